"""Runs and trials: what was planned before the first answer, and what became of it."""

from dataclasses import dataclass
from typing import ClassVar

from ledger.artifact import ArtifactRef
from ledger.canonical import Count
from ledger.digest import Digest
from ledger.tools import ToolKind


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """One suite, one configuration, its planned trials; a run *is* the address of this event.

    Attributes:
        suite: the ``suite.registered`` event.
        configuration: canonical JSON of what is under test.
        configuration_name: its name, for people.
        provider: name of the provider.
        model: the exact model that is asked for.
        effort: reasoning effort as the provider names it, or ``None``.
        tools: kinds of tool that a session may use (``ledger/tools``).
        plan: canonical JSON list of the planned trials, in slot order (``trials/plan``).
        planned: how many there are, 1 or more.
        seed: from which the order of trials was drawn.
        order: canonical JSON: the runs that were begun in one window, and the order in which all
            their trials are begun (``trials/order``).
        inputs: a listing of the bytes that the configuration names, such as recorded answers.
    """

    KIND: ClassVar[str] = "run.started"
    V: ClassVar[int] = 1

    suite: Digest
    configuration: ArtifactRef
    configuration_name: str
    provider: str
    model: str
    effort: str | None
    tools: tuple[ToolKind, ...]
    plan: ArtifactRef
    planned: Count
    seed: Count
    order: ArtifactRef
    inputs: ArtifactRef


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialStarted:
    """One execution of one case with one variant; a trial *is* the address of this event.

    Attributes:
        run: the ``run.started`` event.
        slot: index into the plan, from 0; a slot has at most one trial.
        repetition: k of n, from 1.
        prompt: the whole prompt text as it is sent.
        system: the system text, or ``None``.
        inputs: path in the working directory and bytes of each input file.
    """

    KIND: ClassVar[str] = "trial.started"
    V: ClassVar[int] = 1

    run: Digest
    slot: Count
    case: str
    variant: str
    repetition: Count
    prompt: ArtifactRef
    system: ArtifactRef | None
    inputs: tuple[tuple[str, ArtifactRef], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptBegun:
    """What was begun in an earlier window is taken up again; recorded before the request goes out.

    Attributes:
        run: the ``run.started`` event, also of an attempt to ask a grader's model.
        subject: the ``trial.started`` or ``grader.asked`` event.
        attempt: which one, from 1.
    """

    KIND: ClassVar[str] = "attempt.begun"
    V: ClassVar[int] = 1

    run: Digest
    subject: Digest
    attempt: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFailed:
    """A call brought no answer, and the same request may be sent again for it.

    Recorded before it is sent again, so that no request goes out twice without a reason on record.

    Attributes:
        run: the ``run.started`` event, also of an attempt to ask a grader's model.
        subject: the ``trial.started`` or ``grader.asked`` event that was attempted.
        attempt: which one, from 1.
        cause: stable word (docs/providers.md, "Causes"); ``cut_off`` where this program ended in
            the middle of it.
        detail: one line for people.
        sent: body of the request, byte for byte, or ``None``.
        response: what came all the same, byte for byte, or ``None``.
        parts: name and bytes of what else came.
        request_id: the provider's own name for the call, where there is one.
        usage: name and count as sent, in the order sent.
        tokens: ``usage`` read as tokens: ``input``, ``cache_read``, ``cache_write``, ``output``.
        cost_usd: what it cost by the suite's table of prices, a decimal; ``None``: unknown.
        stated_cost_usd: what it cost by the provider's own account.
        duration_us: how long it took, microseconds.
        wait_us: how long until it may be sent again, microseconds.
    """

    KIND: ClassVar[str] = "attempt.failed"
    V: ClassVar[int] = 1

    run: Digest
    subject: Digest
    attempt: Count
    cause: str
    detail: str
    sent: ArtifactRef | None
    response: ArtifactRef | None
    parts: tuple[tuple[str, ArtifactRef], ...]
    request_id: str | None
    usage: tuple[tuple[str, Count], ...]
    tokens: tuple[tuple[str, Count], ...]
    cost_usd: str | None
    stated_cost_usd: str | None
    duration_us: Count
    wait_us: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialCompleted:
    """The provider answered.

    Attributes:
        run: the ``run.started`` event.
        slot: of the trial, so that a reader can count by slot alone.
        trial: the ``trial.started`` event.
        attempt: which one succeeded, from 1; each one before it is an ``attempt.failed``.
        answer: the answer text.
        sent: body of the request as it went out, byte for byte; ``None`` where nothing was sent.
        response: what the provider sent, byte for byte, from which the answer was read.
        parts: name and bytes of what else belongs to the session, such as ``stderr``.
        resolved_model: the model that says it answered, where the provider tells.
        request_id: the provider's own name for the call, where there is one.
        stop_reason: as the provider gave it.
        usage: name and count as sent, in the order sent.
        tokens: as in ``attempt.failed``, like ``cost_usd`` and ``stated_cost_usd``.
        tool_calls: what the session did, read from ``response`` (``ledger/tools``); ``None`` where
            its provider keeps no such record.
        duration_us: from the slot to the answer, microseconds.
        stated_us: how long the session took by its own account, microseconds; of a recorded
            session the only time that says anything about the model.
        notes: one line each: what a reader of the trial should know.
    """

    KIND: ClassVar[str] = "trial.completed"
    V: ClassVar[int] = 1

    run: Digest
    slot: Count
    trial: Digest
    attempt: Count
    answer: ArtifactRef
    sent: ArtifactRef | None
    response: ArtifactRef
    parts: tuple[tuple[str, ArtifactRef], ...]
    resolved_model: str | None
    request_id: str | None
    stop_reason: str | None
    usage: tuple[tuple[str, Count], ...]
    tokens: tuple[tuple[str, Count], ...]
    cost_usd: str | None
    stated_cost_usd: str | None
    tool_calls: ArtifactRef | None
    duration_us: Count
    stated_us: Count | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFailed:
    """No answer came; the trial stays in every denominator.

    Attributes:
        run: the ``run.started`` event.
        slot: of the trial, so that a reader can count by slot alone.
        trial: the ``trial.started`` event.
        attempt: the last one; each one before it is an ``attempt.failed``.
        cause: stable word for the kind of failure, for example ``no_answer``.
        detail: one line for people.
        response: what the provider did send, byte for byte, or ``None``.
        duration_us: from the slot to the failure, microseconds.

    The other fields are those of ``trial.completed``.
    """

    KIND: ClassVar[str] = "trial.failed"
    V: ClassVar[int] = 1

    run: Digest
    slot: Count
    trial: Digest
    attempt: Count
    cause: str
    detail: str
    sent: ArtifactRef | None
    response: ArtifactRef | None
    parts: tuple[tuple[str, ArtifactRef], ...]
    resolved_model: str | None
    request_id: str | None
    stop_reason: str | None
    usage: tuple[tuple[str, Count], ...]
    tokens: tuple[tuple[str, Count], ...]
    cost_usd: str | None
    stated_cost_usd: str | None
    tool_calls: ArtifactRef | None
    duration_us: Count
    stated_us: Count | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStopped:
    """Work on a run ended before it was done; it can be resumed.

    Attributes:
        run: the ``run.started`` event.
        grading: the ``grading.started`` event that was stopped; ``None``: the trials were.
        cause: ``interrupted``, ``budget``, or the cause of a failure that stops a run, such as
            ``unauthorized``.
        detail: one line for people: the limit, what was spent, what the next call might have cost.
    """

    KIND: ClassVar[str] = "run.stopped"
    V: ClassVar[int] = 1

    run: Digest
    grading: Digest | None
    cause: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCompleted:
    """Every planned trial has an outcome: ``completed`` + ``failed`` = planned."""

    KIND: ClassVar[str] = "run.completed"
    V: ClassVar[int] = 1

    run: Digest
    completed: Count
    failed: Count
