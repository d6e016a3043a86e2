"""Dice that fall the same way each time: a choice depends on its name and on who makes it.

>>> marks = ("-", "*")
>>> [Dice(seed="opus", accent=0, repetition=n).choose("mark", marks) for n in (1, 2, 3)]
['-', '*', '-']
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

Option = TypeVar("Option")

WORDINGS = 3
"""Options that one configuration uses where there are more: its way of speaking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dice:
    """The dice of one session.

    Attributes:
        seed: configuration and variant.
        accent: which of many options the configuration uses.
        repetition: from 1; each is one option further, so that neighbours differ.
    """

    seed: str
    accent: int
    repetition: int

    def choose(self, name: str, options: Sequence[Option]) -> Option:
        """Return one of ``options``; ``name`` says what is chosen."""
        used = min(WORDINGS, len(options))
        turn = (_hash(f"{self.seed}/{name}") + self.repetition) % used
        return options[(self.accent + turn) % len(options)]

    def count(self, name: str, low: int, high: int) -> int:
        """Return a number from ``low`` to ``high``, both included."""
        return low + _hash(f"{self.seed}/{self.repetition}/{name}") % (high - low + 1)


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
