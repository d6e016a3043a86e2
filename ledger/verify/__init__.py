"""Verify: every hash, the tree, every checkpoint, every artifact, every projection.

The rules, in order:

1. findings are data: nothing stops at the first one, and each says where and what;
2. one damaged thing is one finding: an event's own bytes, its address and its leaf hash stand for
   one another, so the tree is not blamed for a flipped byte;
3. an artifact is present, redacted by an event that says so, or missing; missing is damage;
4. a database that is older than what was signed is a *rollback*, told apart from damage;
5. nothing is repaired: no byte is invented, and nothing is written but scratch files.
"""

from ledger.verify.findings import FAULTS, Finding, Outcome, Tally
from ledger.verify.verification import Stores, verify_ledger

__all__ = ["FAULTS", "Finding", "Outcome", "Stores", "Tally", "verify_ledger"]
