"""Evidence: what of a trial a grader may look at, read from recorded bytes alone."""

from graders import Decision, Evidence, Key
from ledger.artifact import decode_text
from ledger.errors import RedactedArtifact
from ledger.log import Ledger, Shelf
from ledger.outcomes import Cause, Verdict
from ledger.projections import TrialState
from ledger.tools import parse_tool_calls
from trials.suite.model import ANSWER


def gather_evidence(
    ledger: Ledger | Shelf, trial: TrialState, key: Key | None, name: str
) -> Evidence | Decision:
    """Return what a grader may look at, or why there is nothing to look at.

    Args:
        ledger: has the bytes.
        trial: of which.
        key: of its case.
        name: ``answer``, or that of the part of the session whose text stands for the answer.
    """
    if trial.answer is None:
        is_budget = trial.cause == Cause.BUDGET
        cause = Cause.BUDGET if is_budget else Cause.TRIAL_FAILED
        return _undecided(cause, f"The trial failed: {trial.cause}.")
    found = trial.answer if name == ANSWER else dict(trial.parts).get(name)
    what = "answer" if name == ANSWER else f"part {name}"
    if found is None:
        there = ", ".join(part for part, _ in trial.parts) or "none"
        return _undecided(
            Cause.EVIDENCE_MISSING, f"The session left no {what}; its parts: {there:.500}."
        )
    try:
        text = decode_text(ledger.get(found))
    except RedactedArtifact:
        return _undecided(Cause.REDACTED, f"The {what} was redacted.")
    except UnicodeDecodeError:
        return _undecided(Cause.EVIDENCE_MISSING, f"The {what} is not text.")
    calls = None
    redacted: frozenset[str] = frozenset()
    if trial.tool_calls is not None:
        try:
            calls = parse_tool_calls(ledger.get(trial.tool_calls))
        except RedactedArtifact:
            redacted = frozenset({"tool_calls"})
    return Evidence(
        case=trial.case,
        variant=trial.variant,
        answer=text,
        key=key,
        tool_calls=calls,
        redacted=redacted,
    )


def _undecided(cause: Cause, reason: str) -> Decision:
    return Decision(verdict=Verdict.UNPROVEN, cause=cause, reason=reason)
