"""Verdicts: per grading, every verdict in the order of the plan."""

from collections.abc import Sequence
from typing import NamedTuple

from ledger.digest import Digest
from ledger.events import Body, Entry, VerdictGiven
from ledger.outcomes import Cause, Verdict
from ledger.projections.projection import RowReader, encode_state


class VerdictState(NamedTuple):
    """One verdict; ``verdict_event`` is the address of its ``verdict.given``."""

    verdict_event: Digest
    position: int
    trial: Digest
    slot: int
    check: str
    variant: str
    verdict: Verdict
    cause: Cause | None


class VerdictsProjection:
    """Key: grading, slot and check."""

    name = "verdicts"
    version = 1
    kinds: frozenset[type[Body]] = frozenset({VerdictGiven})
    openers: frozenset[type[Body]] = frozenset({VerdictGiven})
    _reader = RowReader("verdicts", VerdictState)

    def key(self, entry: Entry) -> str:
        """Return grading, slot and check."""
        body = entry.event.body
        return f"{body.grading}/{body.slot:010d}/{body.check}"  # type: ignore[attr-defined]

    def fold(self, state: VerdictState | None, entries: Sequence[Entry]) -> VerdictState:
        """Return the verdict that the first of ``entries`` is; each begins its key anew."""
        return state or _open(entries[0])

    def encode(self, state: VerdictState) -> bytes:
        """Return the row of ``state``."""
        return encode_state(state)

    def decode(self, row: bytes) -> VerdictState:
        """Return the state in ``row``."""
        return self._reader.read(row)


def _open(entry: Entry) -> VerdictState:
    body = entry.event.body
    assert isinstance(body, VerdictGiven)  # noqa: S101 - the only one of ``kinds``
    return VerdictState(
        verdict_event=entry.address,
        position=entry.position,
        trial=body.trial,
        slot=body.slot,
        check=body.check,
        variant=body.variant,
        verdict=body.verdict,
        cause=body.cause,
    )


VERDICTS = VerdictsProjection()
