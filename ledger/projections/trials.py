"""Trials: per slot of a run's plan, which trial it is and how it ended."""

from collections.abc import Sequence
from typing import NamedTuple

from ledger.digest import Digest
from ledger.events import Body, Entry, TrialCompleted, TrialFailed, TrialStarted
from ledger.projections.projection import RowReader, encode_state


class TrialState(NamedTuple):
    """One trial.

    Attributes:
        outcome: the ``trial.completed`` or ``trial.failed`` event, ``None`` while there is none.
        answer: address of the answer of a completed trial.
        cause: of a failed trial.
        duration_us: from the slot to the outcome; ``stated_us`` by the session's own account.
        resolved_model: the model that says it answered, where the provider tells.
        usage: name and count as sent.
        tool_calls: address of the session's tool calls, where its provider keeps them.
        parts: name and address of what else a completed trial left.
        attempt: of the outcome, from 1; ``None`` while there is none.
        cost_usd: of the call that led to it, by the suite's prices; ``stated_cost_usd`` by the
            provider's own account.
        notes: how many lines a reader should know.
    """

    trial: Digest
    run: Digest
    slot: int
    case: str
    variant: str
    repetition: int
    outcome: Digest | None = None
    answer: Digest | None = None
    cause: str | None = None
    duration_us: int | None = None
    stated_us: int | None = None
    resolved_model: str | None = None
    usage: tuple[tuple[str, int], ...] = ()
    tool_calls: Digest | None = None
    parts: tuple[tuple[str, Digest], ...] = ()
    attempt: int | None = None
    cost_usd: str | None = None
    stated_cost_usd: str | None = None
    notes: int = 0


class TrialsProjection:
    """Key: run and slot, in the order of the plan."""

    name = "trials"
    version = 1
    kinds: frozenset[type[Body]] = frozenset({TrialStarted, TrialCompleted, TrialFailed})
    openers: frozenset[type[Body]] = frozenset({TrialStarted})
    _reader = RowReader("trials", TrialState)

    def key(self, entry: Entry) -> str:
        """Return run and slot."""
        return f"{entry.event.body.run}/{entry.event.body.slot:010d}"  # type: ignore[attr-defined]

    def fold(self, state: TrialState | None, entries: Sequence[Entry]) -> TrialState:
        """Return ``state`` with ``entries`` in it."""
        outcomes = entries if state else entries[1:]
        if not outcomes:
            return _open(entries[0])
        return _close(state or _open(entries[0]), outcomes[-1])

    def encode(self, state: TrialState) -> bytes:
        """Return the row of ``state``."""
        return encode_state(state)

    def decode(self, row: bytes) -> TrialState:
        """Return the state in ``row``."""
        return self._reader.read(row)


def _open(entry: Entry) -> TrialState:
    body = entry.event.body
    assert isinstance(body, TrialStarted)  # noqa: S101 - an event names only earlier ones
    return TrialState(
        trial=entry.address,
        run=body.run,
        slot=body.slot,
        case=body.case,
        variant=body.variant,
        repetition=body.repetition,
    )


def _close(trial: TrialState, entry: Entry) -> TrialState:
    body = entry.event.body
    if isinstance(body, TrialCompleted):
        calls = body.tool_calls
        # By position, in the order of the fields: a rebuild spends a good part of its time here.
        return TrialState(
            *trial[:6],
            entry.address,
            body.answer.address,
            None,
            body.duration_us,
            body.stated_us,
            body.resolved_model,
            body.usage,
            None if calls is None else calls.address,
            tuple((name, part.address) for name, part in body.parts) if body.parts else (),
            body.attempt,
            body.cost_usd,
            body.stated_cost_usd,
            len(body.notes),
        )
    assert isinstance(body, TrialFailed)  # noqa: S101 - the last of ``kinds``
    return TrialState(
        *trial[:6],
        outcome=entry.address,
        cause=body.cause,
        duration_us=body.duration_us,
        attempt=body.attempt,
        cost_usd=body.cost_usd,
        stated_cost_usd=body.stated_cost_usd,
        notes=len(body.notes),
    )


TRIALS = TrialsProjection()
