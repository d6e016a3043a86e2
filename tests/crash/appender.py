"""Appends one event with a large artifact when told to, and tries again if it was refused.

    python tests/crash/appender.py LEDGER

Waits for a line on stdin, so that a tracer can be attached first. Prints what became of each
attempt: ``recorded`` with position and address, or ``refused`` with the error.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from cli.setting import open_ledger  # noqa: E402 - from the checkout, wherever the program stands
from ledger.artifact import OCTETS  # noqa: E402
from ledger.errors import LedgerError  # noqa: E402
from ledger.events import SuiteRegistered  # noqa: E402
from ledger.writer import Draft  # noqa: E402

LARGE = b"".join(n.to_bytes(4, "big") for n in range(25_000))

ATTEMPTS = 3
"""The tracer counts calls by thread, so that an error may strike in each of the two."""


def attempt(ledger, drafts):
    """Put and append; say what became of it. What was drafted once is appended again."""
    try:
        ref = ledger.put(LARGE, media=OCTETS)
        listing = ledger.put_listing([ref])
        body = SuiteRegistered(suite_name="s", manifest=ref, artifacts=listing)
        drafts[:] = drafts or [ledger.draft(body)]
        (recorded,) = ledger.append(drafts)
    except LedgerError as error:
        return f"refused {type(error).__name__}: {error}"
    return f"recorded {recorded.position} {recorded.address}"


if __name__ == "__main__":
    with open_ledger(Path(sys.argv[1]), actor="ana") as opened:
        opened.ledger.head()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        drafts: list[Draft] = []
        said: list[str] = []
        while len(said) < ATTEMPTS and not (said and said[-1].startswith("recorded")):
            said.append(attempt(opened.ledger, drafts))
    # Not before: an injected error is for the ledger's calls alone.
    sys.stdout.write("\n".join(said) + "\n")
