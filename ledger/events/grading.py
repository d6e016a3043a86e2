"""Gradings: which criteria decided, what graders were asked and answered, and the verdicts."""

from dataclasses import dataclass
from typing import ClassVar

from ledger.artifact import ArtifactRef
from ledger.canonical import Count
from ledger.digest import Digest
from ledger.outcomes import Cause, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingStarted:
    """One pass of graders over a run's trials; a grading *is* the address of this event.

    Attributes:
        run: the ``run.started`` event whose trials are graded.
        suite: the ``suite.registered`` event whose checks and keys decide; a regrade may name a
            later one than the run does.
        criteria: canonical JSON: each check with its grader's identity, each case with its key
            (``trials/criteria``).
        artifacts: a listing of the bytes that the criteria name.
        planned: verdicts to give: trials times checks.
    """

    KIND: ClassVar[str] = "grading.started"
    V: ClassVar[int] = 1

    run: Digest
    suite: Digest
    criteria: ArtifactRef
    artifacts: ArtifactRef
    planned: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderAsked:
    """A question went out to a grader's model.

    Attributes:
        grading: the ``grading.started`` event.
        trial: the ``trial.started`` event.
        slot: of the trial in the run's plan.
        role: of the question, for example ``judge``.
        configuration: canonical JSON of what answers the role (``trials/suite``).
        provider: its provider; ``model`` and ``effort`` are what that is asked for.
        request: canonical bytes of the request; its address is how an answer is found again.
        attempt: 1 or 2.
    """

    KIND: ClassVar[str] = "grader.asked"
    V: ClassVar[int] = 1

    grading: Digest
    trial: Digest
    slot: Count
    role: str
    configuration: ArtifactRef
    provider: str
    model: str
    effort: str | None
    request: ArtifactRef
    attempt: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderAnswered:
    """The grader's model answered, readable or not.

    Attributes:
        grading: the ``grading.started`` event; ``slot``, ``request`` and ``attempt`` as in
            ``asked``, so that a reader finds the answer to a question by these alone.
        asked: the ``grader.asked`` event.
        answer: the answer text.
        sent: body of the request as it went out, byte for byte; ``None`` where nothing was sent.
        response: what the provider sent, byte for byte.
        resolved_model: the model that says it answered, where the provider tells.
        request_id: the provider's own name for the call, where there is one.
        stop_reason: as the provider gave it.
        usage: name and count as sent.
        tokens: as in ``attempt.failed``, like ``cost_usd`` and ``stated_cost_usd``.
        duration_us: microseconds.
    """

    KIND: ClassVar[str] = "grader.answered"
    V: ClassVar[int] = 1

    grading: Digest
    slot: Count
    request: ArtifactRef
    attempt: Count
    asked: Digest
    answer: ArtifactRef
    sent: ArtifactRef | None
    response: ArtifactRef
    resolved_model: str | None
    request_id: str | None
    stop_reason: str | None
    usage: tuple[tuple[str, Count], ...]
    tokens: tuple[tuple[str, Count], ...]
    cost_usd: str | None
    stated_cost_usd: str | None
    duration_us: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderFailed:
    """The call to the grader's model failed; the fields as in ``trial.failed``."""

    KIND: ClassVar[str] = "grader.failed"
    V: ClassVar[int] = 1

    asked: Digest
    cause: str
    detail: str
    sent: ArtifactRef | None
    response: ArtifactRef | None
    usage: tuple[tuple[str, Count], ...]
    tokens: tuple[tuple[str, Count], ...]
    cost_usd: str | None
    stated_cost_usd: str | None
    duration_us: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictGiven:
    """The outcome of one check on one trial in one grading.

    Attributes:
        grading: the ``grading.started`` event.
        trial: the ``trial.started`` event.
        slot: of the trial in the run's plan.
        check: name of the check; the grading's criteria say what it was.
        variant: of the trial, so that rates can be counted from verdicts alone.
        verdict: one of five.
        cause: for an unproven verdict why, else ``None``.
        reason: one or two sentences.
        answers: the ``grader.answered`` and ``grader.failed`` events that it rests on, in the order
            of asking; of several for one request ``decide`` was given the last.
    """

    KIND: ClassVar[str] = "verdict.given"
    V: ClassVar[int] = 1

    grading: Digest
    trial: Digest
    slot: Count
    check: str
    variant: str
    verdict: Verdict
    cause: Cause | None
    reason: str
    answers: tuple[Digest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisMade:
    """What may have led to a failed verdict: candidates that code found, no observation.

    Attributes:
        grading: the ``grading.started`` event.
        slot: as in the verdict, like ``check`` and ``variant``.
        verdict: the ``verdict.given`` event, a fail.
        number: of several diagnoses of one verdict, from 0.
        subject: what was wrong, for example ``Travel 2026-08``.
        statement: one or two sentences with every figure.
        causes: the candidates, best first; empty where no simple explanation was found.
    """

    KIND: ClassVar[str] = "diagnosis.made"
    V: ClassVar[int] = 1

    grading: Digest
    verdict: Digest
    slot: Count
    check: str
    variant: str
    number: Count
    subject: str
    statement: str
    causes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingCompleted:
    """Every planned verdict was given."""

    KIND: ClassVar[str] = "grading.completed"
    V: ClassVar[int] = 1

    grading: Digest
    verdicts: Count
