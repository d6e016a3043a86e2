"""What is evaluated: prompts of some 340 characters that the model gives back word for word.

An answer is right where the item's word stands in it. Nine items of ten have the word in their
prompt; every tenth asks for another one, so that how many pass is known beforehand.

    >>> count_passes(1_000)
    900
"""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

RARITY = 10
"""One item of so many fails."""
PROMPT = """\
Item {n:06d}. You are handed a record: the question, the bytes that went out, the reply that came \
back, and what each check made of it. Read it to the end, then say the word exactly as it stands \
here: {word}. Neither translate nor shorten anything, accents and signs included (déjà vu, 10 €, \
“so”), and add nothing of your own."""

INPUT_TOKENS, OUTPUT_TOKENS = 80, 80
"""What every call claims to have used, as a live model would say."""


class Item(NamedTuple):
    """A prompt, and the word that has to stand in the answer."""

    name: str
    prompt: str
    word: str


def make_items(amount: int) -> Iterator[Item]:
    """Yield the first ``amount`` items; the same ones each time."""
    for n in range(amount):
        code = hashlib.sha256(f"item {n}".encode()).hexdigest()[:12]
        word = f"ABSENT-{code}" if n % RARITY == 0 else f"WORD-{code}"
        yield Item(f"item-{n}", PROMPT.format(n=n, word=f"WORD-{code}"), word)


def count_passes(amount: int) -> int:
    """Return how many of the first ``amount`` items pass."""
    return amount - (amount + RARITY - 1) // RARITY
