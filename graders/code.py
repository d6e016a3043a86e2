"""Graders that are code alone: they ask no model, so ``decide`` needs the evidence and no more."""

from graders.grader import Evidence, GraderRequest


class CodeGrader:
    """The two methods of a grader that has no questions; a member adds identity and ``decide``."""

    __slots__ = ()

    def plan(self, evidence: Evidence) -> tuple[GraderRequest, ...]:
        """Return no requests."""
        return ()

    def is_readable(self, request: GraderRequest, answer: str) -> bool:
        """Return true: nothing is ever asked, so nothing is unreadable."""
        return True
