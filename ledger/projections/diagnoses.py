"""Diagnoses: per grading, the candidate causes of each failed verdict, in the order of the plan."""

from collections.abc import Sequence
from typing import NamedTuple

from ledger.digest import Digest
from ledger.events import Body, DiagnosisMade, Entry
from ledger.projections.projection import RowReader, encode_state


class DiagnosisState(NamedTuple):
    """One diagnosis; ``diagnosis_event`` is the address of its ``diagnosis.made``.

    Attributes:
        causes: candidates, best first; empty where no simple explanation was found.
    """

    diagnosis_event: Digest
    position: int
    verdict_event: Digest
    slot: int
    check: str
    variant: str
    subject: str
    causes: tuple[str, ...]


class DiagnosesProjection:
    """Key: grading, slot, check and the diagnosis's number."""

    name = "diagnoses"
    version = 1
    kinds: frozenset[type[Body]] = frozenset({DiagnosisMade})
    openers: frozenset[type[Body]] = frozenset({DiagnosisMade})
    _reader = RowReader("diagnoses", DiagnosisState)

    def key(self, entry: Entry) -> str:
        """Return grading, slot, check and number."""
        body = entry.event.body
        assert isinstance(body, DiagnosisMade)  # noqa: S101 - the only one of ``kinds``
        return f"{body.grading}/{body.slot:010d}/{body.check}/{body.number:03d}"

    def fold(self, state: DiagnosisState | None, entries: Sequence[Entry]) -> DiagnosisState:
        """Return the diagnosis that the first of ``entries`` is; each begins its key anew."""
        return state or _open(entries[0])

    def encode(self, state: DiagnosisState) -> bytes:
        """Return the row of ``state``."""
        return encode_state(state)

    def decode(self, row: bytes) -> DiagnosisState:
        """Return the state in ``row``."""
        return self._reader.read(row)


def _open(entry: Entry) -> DiagnosisState:
    body = entry.event.body
    assert isinstance(body, DiagnosisMade)  # noqa: S101 - the only one of ``kinds``
    return DiagnosisState(
        diagnosis_event=entry.address,
        position=entry.position,
        verdict_event=body.verdict,
        slot=body.slot,
        check=body.check,
        variant=body.variant,
        subject=body.subject,
        causes=body.causes,
    )


DIAGNOSES = DiagnosesProjection()
