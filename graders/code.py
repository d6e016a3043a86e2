"""Graders that are code alone: they ask no model, so ``decide`` needs the evidence and no more."""

from collections.abc import Mapping

from graders.grader import Diagnosis, Evidence, GraderRequest
from ledger.digest import Digest


class CodeGrader:
    """What a grader without questions and diagnoses has; a member adds identity and ``decide``."""

    __slots__ = ()

    @property
    def roles(self) -> tuple[str, ...]:
        """No roles: nothing is asked."""
        return ()

    def plan(self, evidence: Evidence) -> tuple[GraderRequest, ...]:
        """Return no requests."""
        return ()

    def is_readable(self, request: GraderRequest, answer: str) -> bool:
        """Return true: nothing is ever asked, so nothing is unreadable."""
        return True

    def diagnose(self, evidence: Evidence, answers: Mapping[Digest, str]) -> tuple[Diagnosis, ...]:
        """Return nothing: the reason of the verdict says all there is to say."""
        return ()
