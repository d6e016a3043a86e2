"""The five verdicts and the causes of an unproven one; nothing else may be written or read."""

from enum import StrEnum


class Verdict(StrEnum):
    """The outcome of one check on one trial in one grading (docs/format.md, "Verdicts")."""

    PASS = "pass"
    FAIL = "fail"
    NOT_APPLICABLE = "not_applicable"
    UNPROVEN = "unproven"
    UNRESOLVED = "unresolved"


LEFT_OUT = frozenset({Verdict.NOT_APPLICABLE, Verdict.UNRESOLVED})
"""Verdicts that are shown and are in no rate; the others are its denominator."""


class Cause(StrEnum):
    """Why a check that applies could not be decided; recorded with every unproven verdict."""

    TRIAL_FAILED = "trial_failed"
    GRADER_FAILED = "grader_failed"
    GRADER_UNREADABLE = "grader_unreadable"
    EVIDENCE_MISSING = "evidence_missing"
    REFERENCE_MISSING = "reference_missing"
    REDACTED = "redacted"
    BUDGET = "budget"
