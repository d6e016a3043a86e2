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
    inputs: ArtifactRef


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialStarted:
    """One execution of one case with one variant; a trial *is* the address of this event.

    Attributes:
        run: the ``run.started`` event.
        slot: index into the plan, from 0; a slot has at most one trial.
        repetition: k of n, from 1.
        prompt: the whole prompt text as it is sent.
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
    inputs: tuple[tuple[str, ArtifactRef], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialCompleted:
    """The provider answered.

    Attributes:
        run: the ``run.started`` event.
        slot: of the trial, so that a reader can count by slot alone.
        trial: the ``trial.started`` event.
        answer: the answer text.
        response: what the provider sent, byte for byte, from which the answer was read.
        resolved_model: the model that says it answered, where the provider tells.
        request_id: the provider's own name for the call, where there is one.
        stop_reason: as the provider gave it.
        usage: name and count as sent, in the order sent.
        tool_calls: what the session did, read from ``response`` (``ledger/tools``); ``None`` where
            its provider keeps no such record.
        duration_us: from the slot to the answer, microseconds.
        stated_us: how long the session took by its own account, microseconds; of a recorded
            session the only time that says anything about the model.
    """

    KIND: ClassVar[str] = "trial.completed"
    V: ClassVar[int] = 1

    run: Digest
    slot: Count
    trial: Digest
    answer: ArtifactRef
    response: ArtifactRef
    resolved_model: str | None
    request_id: str | None
    stop_reason: str | None
    usage: tuple[tuple[str, Count], ...]
    tool_calls: ArtifactRef | None
    duration_us: Count
    stated_us: Count | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFailed:
    """No answer came; the trial stays in every denominator.

    Attributes:
        run: the ``run.started`` event.
        slot: of the trial, so that a reader can count by slot alone.
        trial: the ``trial.started`` event.
        cause: stable word for the kind of failure, for example ``no_answer``.
        detail: one line for people.
        response: what the provider did send, byte for byte, or ``None``.
        duration_us: from the slot to the failure, microseconds.
    """

    KIND: ClassVar[str] = "trial.failed"
    V: ClassVar[int] = 1

    run: Digest
    slot: Count
    trial: Digest
    cause: str
    detail: str
    response: ArtifactRef | None
    duration_us: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCompleted:
    """Every planned trial has an outcome: ``completed`` + ``failed`` = planned."""

    KIND: ClassVar[str] = "run.completed"
    V: ClassVar[int] = 1

    run: Digest
    completed: Count
    failed: Count
