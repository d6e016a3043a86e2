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
        request: canonical bytes of the request; its address is how an answer is found again.
        attempt: 1 or 2.
    """

    KIND: ClassVar[str] = "grader.asked"
    V: ClassVar[int] = 1

    grading: Digest
    trial: Digest
    request: ArtifactRef
    attempt: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderAnswered:
    """The grader's model answered, readable or not.

    Attributes:
        asked: the ``grader.asked`` event.
        answer: the answer text.
        response: what the provider sent, byte for byte.
        resolved_model: the model that says it answered, where the provider tells.
        usage: name and count as sent.
        duration_us: microseconds.
    """

    KIND: ClassVar[str] = "grader.answered"
    V: ClassVar[int] = 1

    asked: Digest
    answer: ArtifactRef
    response: ArtifactRef
    resolved_model: str | None
    usage: tuple[tuple[str, Count], ...]
    duration_us: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderFailed:
    """The call to the grader's model failed; ``cause`` and ``detail`` as in ``trial.failed``."""

    KIND: ClassVar[str] = "grader.failed"
    V: ClassVar[int] = 1

    asked: Digest
    cause: str
    detail: str
    response: ArtifactRef | None
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
        answers: the ``grader.answered`` events that ``decide`` was given.
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
class GradingCompleted:
    """Every planned verdict was given."""

    KIND: ClassVar[str] = "grading.completed"
    V: ClassVar[int] = 1

    grading: Digest
    verdicts: Count
