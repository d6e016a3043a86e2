"""Trace: the chain of evidence from a verdict down to the bytes, as steps that can be shown.

Each step is an event or an artifact, with its address; whoever follows them reads everything that
led to the verdict and nothing else.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from ledger.artifact import ArtifactRef, decode_text
from ledger.codec import format_instant
from ledger.digest import Digest
from ledger.errors import RedactedArtifact, UnknownAddress
from ledger.events import (
    AttemptFailed,
    DiagnosisMade,
    Entry,
    GraderAnswered,
    GraderAsked,
    GraderFailed,
    GradingStarted,
    RunStarted,
    SuiteRegistered,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
    VerdictGiven,
)
from ledger.log import Ledger
from ledger.projections import DIAGNOSES, TRIALS, Keeper
from trials.criteria import RecordedCheck, parse_criteria
from trials.suite.model import ANSWER

Kind = TypeVar("Kind")

EXCERPT_CHARS = 300
"""Characters of an artifact's text that a step carries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One link of the chain.

    Attributes:
        depth: 0 for the verdict, 1 for what it names directly, and so on.
        label: what it is in this chain, for example ``answer``.
        address: of the event or artifact.
        position: of an event in the log; ``None`` for an artifact.
        fields: name and value, for people, in order.
        excerpt: the beginning of an artifact's text, the end if that is where the matter lies;
            ``None`` for an event.
    """

    depth: int
    label: str
    address: Digest
    position: int | None
    fields: tuple[tuple[str, str], ...]
    excerpt: str | None = None


def trace_verdict(ledger: Ledger, keeper: Keeper, address: Digest) -> Iterator[Step]:
    """Yield the chain of evidence of the verdict at ``address``, from the verdict down.

    Raises:
        UnknownAddress: it is no verdict of this ledger.
        Damage: a link is not what it was.
    """
    entry = ledger.find(address)
    verdict = entry.event.body
    if not isinstance(verdict, VerdictGiven):
        raise UnknownAddress(f"{address} is a {verdict.KIND}, not a verdict")
    grading = _expect(ledger.find(verdict.grading), GradingStarted)
    trial = _expect(ledger.find(verdict.trial), TrialStarted)
    fields = [("check", verdict.check), ("verdict", verdict.verdict.value)]
    fields += [("cause", verdict.cause.value)] if verdict.cause else []
    yield _event(0, "verdict", entry, *fields, ("reason", verdict.reason))
    yield from _trace_diagnoses(ledger, keeper, verdict)
    criteria = parse_criteria(ledger.get(grading.criteria.address))
    check = next(check for check in criteria.checks if check.name == verdict.check)
    yield from _trace_criteria(ledger, verdict, grading, check, criteria.keys.get(trial.case))
    for answered in verdict.answers:
        yield from _trace_answer(ledger, answered)
    yield from _trace_trial(ledger, keeper, verdict, trial, check.evidence)
    yield from _trace_run(ledger, trial.run)


def _trace_criteria(
    ledger: Ledger,
    verdict: VerdictGiven,
    grading: GradingStarted,
    check: RecordedCheck,
    key: Digest | None,
) -> Iterator[Step]:
    yield _event(1, "grading", ledger.find(verdict.grading))
    grader = check.identity
    name = ("grader", f"{grader['name']} v{grader['version']}, code {grader['code']}")
    step = _artifact(ledger, 2, "criteria", grading.criteria)
    yield replace(step, fields=(*step.fields, name))
    for field, (_, address) in check.files.items():
        yield _artifact_at(ledger, 3, field, address)
    if key is not None:
        yield _artifact_at(ledger, 3, "key", key)


def _trace_answer(ledger: Ledger, address: Digest) -> Iterator[Step]:
    entry = ledger.find(address)
    came = entry.event.body
    if isinstance(came, GraderAnswered):
        yield _event(1, "grader answered", entry)
        yield _artifact(ledger, 2, "grader's answer", came.answer)
        yield _artifact(ledger, 2, "grader's response", came.response)
    else:
        came = _expect(entry, GraderFailed)
        yield _event(1, "grader failed", entry, ("cause", came.cause), ("detail", came.detail))
        if came.response is not None:
            yield _artifact(ledger, 2, "grader's response", came.response)
    asked_entry = ledger.find(came.asked)
    asked = _expect(asked_entry, GraderAsked)
    effort = f", effort {asked.effort}" if asked.effort else ""
    names = ("asked", f"{asked.provider}, {asked.model}{effort}, as {asked.role}")
    yield _event(2, "grader asked", asked_entry, names, ("attempt", str(asked.attempt)))
    yield _artifact(ledger, 3, "grader's request", asked.request)
    yield _artifact(ledger, 3, "grader's configuration", asked.configuration)


def _trace_diagnoses(ledger: Ledger, keeper: Keeper, verdict: VerdictGiven) -> Iterator[Step]:
    prefix = f"{verdict.grading}/{verdict.slot:010d}/{verdict.check}/"
    for state in keeper.scan(DIAGNOSES, prefix):
        entry = ledger.find(state.diagnosis_event)
        diagnosis = _expect(entry, DiagnosisMade)
        yield _event(1, "diagnosis", entry, ("candidate", diagnosis.statement))


def _trace_trial(
    ledger: Ledger, keeper: Keeper, verdict: VerdictGiven, trial: TrialStarted, evidence: str
) -> Iterator[Step]:
    place = ("case", trial.case), ("variant", trial.variant), ("repetition", str(trial.repetition))
    yield _event(1, "trial", ledger.find(verdict.trial), *place)
    state = keeper.get(TRIALS, f"{trial.run}/{trial.slot:010d}")
    if state is not None and state.outcome is not None:
        outcome = ledger.find(state.outcome)
        yield from _trace_attempts(ledger, verdict.trial, outcome)
        yield from _trace_outcome(ledger, outcome, evidence)
    if trial.system is not None:
        yield _artifact(ledger, 2, "system", trial.system)
    yield _artifact(ledger, 2, "prompt", trial.prompt)
    for name, ref in trial.inputs:
        yield _artifact(ledger, 2, f"input {name}", ref)


def _trace_outcome(ledger: Ledger, entry: Entry, evidence: str) -> Iterator[Step]:
    """Yield how a trial ended, and of its parts the one that the check looked at."""
    outcome = entry.event.body
    if isinstance(outcome, TrialCompleted):
        yield _event(2, "trial completed", entry, *_tell_session(outcome))
        for name, ref in outcome.parts:
            if name == evidence != ANSWER:
                yield _artifact(ledger, 3, f"part {name}", ref)
        yield _artifact(ledger, 3, "answer", outcome.answer, is_end=True)
        yield _artifact(ledger, 3, "response", outcome.response)
        if outcome.sent is not None:
            yield _artifact(ledger, 3, "request", outcome.sent)
        if outcome.tool_calls is not None:
            yield _artifact(ledger, 3, "tool calls", outcome.tool_calls)
    elif isinstance(outcome, TrialFailed):
        why = ("cause", outcome.cause), ("detail", outcome.detail)
        yield _event(2, "trial failed", entry, *why, *_tell_session(outcome))
        if outcome.response is not None:
            yield _artifact(ledger, 3, "response", outcome.response)
        if outcome.sent is not None:
            yield _artifact(ledger, 3, "request", outcome.sent)


def _trace_attempts(ledger: Ledger, trial: Digest, outcome: Entry) -> Iterator[Step]:
    """Yield the attempts that failed before ``outcome``; where it was the first there are none."""
    body = outcome.event.body
    if not isinstance(body, TrialCompleted | TrialFailed) or body.attempt == 1:
        return
    for entry in ledger.read(ledger.find(trial).position, outcome.position):
        failed = entry.event.body
        if isinstance(failed, AttemptFailed) and failed.subject == trial:
            number = ("attempt", str(failed.attempt))
            why = ("cause", failed.cause), ("detail", failed.detail)
            yield _event(2, "attempt failed", entry, number, *why)
            if failed.response is not None:
                yield _artifact(ledger, 3, "response", failed.response)


def _tell_session(outcome: TrialCompleted | TrialFailed) -> Iterator[tuple[str, str]]:
    """Yield what a reader should know of a session, if there is anything."""
    if outcome.attempt > 1:
        yield "attempt", str(outcome.attempt)
    for note in outcome.notes:
        yield "note", note


def _trace_run(ledger: Ledger, address: Digest) -> Iterator[Step]:
    entry = ledger.find(address)
    run = _expect(entry, RunStarted)
    asked = f"{run.provider}, {run.model}" + (f", effort {run.effort}" if run.effort else "")
    yield _event(1, "run", entry, ("configuration", run.configuration_name), ("asked", asked))
    yield _artifact(ledger, 2, "configuration", run.configuration)
    yield _artifact(ledger, 2, "plan", run.plan)
    suite_entry = ledger.find(run.suite)
    suite = _expect(suite_entry, SuiteRegistered)
    yield _event(1, "suite", suite_entry, ("suite", suite.suite_name))
    yield _artifact(ledger, 2, "manifest", suite.manifest)


def _expect(entry: Entry, kind: type[Kind]) -> Kind:
    body = entry.event.body
    if not isinstance(body, kind):
        raise UnknownAddress(f"{entry.address} is a {body.KIND}, not what the chain leads to")
    return body


def _event(depth: int, label: str, entry: Entry, *fields: tuple[str, str]) -> Step:
    event = entry.event
    recorded = ("recorded", f"{format_instant(event.at)} by {event.actor}")
    return Step(
        depth=depth,
        label=label,
        address=entry.address,
        position=entry.position,
        fields=(*fields, recorded),
    )


def _artifact(
    ledger: Ledger, depth: int, label: str, ref: ArtifactRef, *, is_end: bool = False
) -> Step:
    fields = ("sha256", ref.sha256), ("size", f"{ref.size:,} bytes, {ref.media}")
    return Step(
        depth=depth,
        label=label,
        address=ref.address,
        position=None,
        fields=fields,
        excerpt=_excerpt(ledger, ref.address, is_end=is_end),
    )


def _artifact_at(ledger: Ledger, depth: int, label: str, address: Digest) -> Step:
    return Step(
        depth=depth,
        label=label,
        address=address,
        position=None,
        fields=(),
        excerpt=_excerpt(ledger, address),
    )


def _excerpt(ledger: Ledger, address: Digest, *, is_end: bool = False) -> str:
    """Return part of the text of an artifact, or why there is none."""
    try:
        text = decode_text(ledger.get(address))
    except RedactedArtifact:
        return "(redacted: the bytes are gone on purpose)"
    except UnicodeDecodeError:
        return "(not text)"
    if len(text) <= EXCERPT_CHARS:
        return text
    return f"… {text[-EXCERPT_CHARS:]}" if is_end else f"{text[:EXCERPT_CHARS]} …"
