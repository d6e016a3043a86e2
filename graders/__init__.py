"""Judgement without I/O: what to ask, and what follows from the answers."""

from graders.grader import Decision, Diagnosis, Evidence, Grader, GraderRequest, Key
from graders.registry import GRADERS, Member, find_member, identify_grader

__all__ = [
    "GRADERS",
    "Decision",
    "Diagnosis",
    "Evidence",
    "Grader",
    "GraderRequest",
    "Key",
    "Member",
    "find_member",
    "identify_grader",
]
