"""Answers: per grading, what graders' models answered, by trial, question and attempt.

A grading that was cut off does not ask again what was answered, and a later one may take an answer
over, because a question is found by the address of its bytes.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ledger.digest import Digest
from ledger.events import Body, Entry, GraderAnswered
from ledger.projections.projection import RowReader, encode_state


class AnswerState(NamedTuple):
    """One answer: the ``grader.answered`` event, what it answers, and the address of the text."""

    answered: Digest
    slot: int
    request: Digest
    attempt: int
    answer: Digest


def name_answer(grading: Digest, slot: int, request: Digest, attempt: int) -> str:
    """Return the key under which the answer to a question is kept."""
    return f"{grading}/{slot:010d}/{request}/{attempt}"


class AnswersProjection:
    """Key: grading, slot, address of the request and attempt (``name_answer``)."""

    name = "answers"
    version = 1
    kinds: frozenset[type[Body]] = frozenset({GraderAnswered})
    openers: frozenset[type[Body]] = frozenset({GraderAnswered})
    _reader = RowReader("answers", AnswerState)

    def key(self, entry: Entry) -> str:
        """Return grading, slot, request and attempt."""
        body = entry.event.body
        assert isinstance(body, GraderAnswered)  # noqa: S101 - the only one of ``kinds``
        return name_answer(body.grading, body.slot, body.request.address, body.attempt)

    def fold(self, state: AnswerState | None, entries: Sequence[Entry]) -> AnswerState:
        """Return the answer that the first of ``entries`` is; each begins its key anew."""
        return state or _open(entries[0])

    def encode(self, state: AnswerState) -> bytes:
        """Return the row of ``state``."""
        return encode_state(state)

    def decode(self, row: bytes) -> AnswerState:
        """Return the state in ``row``."""
        return self._reader.read(row)


def _open(entry: Entry) -> AnswerState:
    body = entry.event.body
    assert isinstance(body, GraderAnswered)  # noqa: S101 - the only one of ``kinds``
    return AnswerState(
        answered=entry.address,
        slot=body.slot,
        request=body.request.address,
        attempt=body.attempt,
        answer=body.answer.address,
    )


ANSWERS = AnswersProjection()
