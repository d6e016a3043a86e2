"""What a grader is: two pure functions and an identity.

1. ``plan`` says from the evidence alone which questions a model has to answer, possibly none;
2. the engine (``trials/grade``) asks, and records question and answer with their bytes;
3. ``decide`` says from the evidence and the recorded answers which verdict follows.

A grader reads no clock, no disk, no network and no randomness, so ``decide`` on recorded answers
gives the recorded verdict again at any time: that is the whole of replay.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from graders.reference import Reference
from ledger.canonical import JsonObject, format_canonical
from ledger.digest import Digest, compute_digest
from ledger.outcomes import Cause, Verdict
from ledger.tools import ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """What was written down about a case before anything ran; never shown to a trial.

    Attributes:
        facts: name of a fact to its accepted values, as written (amounts are decimal strings).
        must_include: phrases that the answer has to contain, each of them.
        must_not_include: phrases that the answer may not contain, none of them.
        expectation: the expectation in words, for people and judges.
        reference: the entries of which the facts are totals; a diagnosis searches them.
    """

    facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    must_include: tuple[str, ...] = ()
    must_not_include: tuple[str, ...] = ()
    expectation: str | None = None
    reference: Reference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that a grader may look at: what one completed trial left, and the key of its case.

    Attributes:
        answer: the text as the provider gave it, lone surrogates and all; may be empty.
        key: ``None`` where nobody wrote one for this case.
        tool_calls: what the session did, in order; ``None`` where its provider keeps no such
            record, which is not the same as a session that called no tool.
        redacted: which of these fields is empty because its bytes were redacted.
    """

    case: str
    variant: str
    answer: str
    key: Key | None
    tool_calls: tuple[ToolCall, ...] | None = None
    redacted: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderRequest:
    """One question for a model; two checks that plan the same bytes share one call.

    Attributes:
        role: which grader configuration answers it, for example ``extractor`` or ``judge``.
        prompt: the whole text of the question.
        schema: JSON schema of the expected response as text, or ``None``.
    """

    role: str
    prompt: str
    schema: str | None = None

    def data(self) -> bytes:
        """Return the canonical bytes by which the request is recorded and found again."""
        return format_canonical({"prompt": self.prompt, "role": self.role, "schema": self.schema})

    def address(self) -> Digest:
        """Return the address of ``data()``."""
        return compute_digest(self.data())


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A verdict with its reason, in one or two sentences that name the evidence.

    ``cause`` is set for an unproven verdict and only there.
    """

    verdict: Verdict
    reason: str
    cause: Cause | None = None

    def __post_init__(self) -> None:
        if (self.verdict is Verdict.UNPROVEN) != (self.cause is not None):
            raise ValueError(f"{self.verdict}: a cause belongs to an unproven verdict alone")


def fail(reason: str) -> Decision:
    """Return the decision that the check failed."""
    return Decision(verdict=Verdict.FAIL, reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What may have led to a failed verdict: candidates, never a finding of what happened.

    Attributes:
        subject: what was wrong, for example ``Travel 2026-08``.
        statement: one or two sentences with every figure.
        causes: the candidates, best first, each without the figures of this one answer, so that
            one mistake reads the same in every trial; empty where no simple explanation was found.
    """

    subject: str
    statement: str
    causes: tuple[str, ...]


class Grader(Protocol):
    """Decides one check. Instances are frozen values: name, version and configuration."""

    @property
    def name(self) -> str:
        """The name in the suite's ``grader`` field."""
        ...

    @property
    def version(self) -> int:
        """Raised with every change that could change a verdict."""
        ...

    def configuration(self) -> JsonObject:
        """Return what the check's fields set, defaults filled in; part of the identity."""
        ...

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the requests that ``plan`` may return; empty for code alone."""
        ...

    def plan(self, evidence: Evidence) -> tuple[GraderRequest, ...]:
        """Return the questions that ``decide`` needs answered.

        Pure; the same evidence, the same requests to the byte.
        """
        ...

    def is_readable(self, request: GraderRequest, answer: str) -> bool:
        """Return whether ``decide`` can read ``answer``; if not, the engine asks once more."""
        ...

    def decide(self, evidence: Evidence, answers: Mapping[Digest, str]) -> Decision:
        """Return the verdict.

        Args:
            answers: the recorded answer to each planned request, by the request's address; a
                request that has none is absent (its call failed twice).
        """
        ...

    def diagnose(self, evidence: Evidence, answers: Mapping[Digest, str]) -> tuple[Diagnosis, ...]:
        """Return candidate causes of a fail that ``decide`` gave on the same arguments.

        Pure and bounded; it is asked for nothing but a fail, and never moves a verdict.
        """
        ...
