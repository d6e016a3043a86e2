"""Order: in which order the trials of a window are begun; drawn from a seed, recorded, pure.

The order is a sort by SHA-256, so that anybody can draw it again in any language:

1. repetitions are outermost: a run that is cut off has seen every case before it sees one a second
   time. Within a repetition the places (case and variant) are in order of the hash of seed, case,
   variant and repetition; a place's index in that order is its slot;
2. all configurations of a window have one seed, so a slot means the same place in each of them;
3. slot by slot, the configurations take turns in order of the hash of seed, slot and configuration.
   So those that are compared meet the same minutes of the provider.
"""

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from ledger.canonical import format_canonical, parse_canonical
from ledger.digest import Digest
from ledger.errors import Damage


class Turn(NamedTuple):
    """One trial of a window: the index of its configuration, and its slot in that run's plan."""

    lane: int
    slot: int


class Order(NamedTuple):
    """The order of a window.

    Attributes:
        configurations: addresses, in the order in which turns number them.
        turns: every trial of the window once.
    """

    seed: int
    configurations: tuple[Digest, ...]
    turns: tuple[Turn, ...]


def draw_order(seed: int, configurations: Sequence[Digest], planned: int) -> Order:
    """Return the order of ``planned`` slots under each of ``configurations``."""
    lanes = list(enumerate(configurations))
    turns: list[Turn] = []
    for slot in range(planned):
        if len(lanes) > 1:
            lanes.sort(key=lambda lane: hash_place(seed, slot, lane[1]))
        turns += [Turn(lane, slot) for lane, _ in lanes]
    return Order(seed, tuple(configurations), tuple(turns))


def hash_place(seed: int, *parts: str | int) -> bytes:
    """Return the SHA-256 of the canonical JSON list of ``seed`` and ``parts``."""
    return hashlib.sha256(format_canonical([seed, *parts])).digest()


def format_order(order: Order) -> bytes:
    """Return the canonical bytes of ``order``."""
    return format_canonical(
        {
            "configurations": list(order.configurations),
            "seed": order.seed,
            "turns": [list(turn) for turn in order.turns],
        }
    )


def parse_order(data: bytes) -> Order:
    """Return the order whose bytes are ``data``; the inverse of ``format_order``.

    Raises:
        Damage: ``data`` is no order.
    """
    document: Any = parse_canonical(data)
    try:
        return Order(
            document["seed"],
            tuple(document["configurations"]),
            tuple(Turn(*turn) for turn in document["turns"]),
        )
    except (KeyError, TypeError) as error:
        raise Damage("not an order: seed, configurations and turns") from error
