"""Replay: decide a recorded verdict again, from recorded bytes alone.

No provider and no suite folder is needed: the criteria, the answer, the key and the grader's
answers are read by address, and ``decide`` is called again. The old verdict must come out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graders import Decision, Grader, GraderRequest, Key, identify_grader
from ledger.digest import Digest
from ledger.errors import FaultyInput, RedactedArtifact, UnknownAddress
from ledger.events import (
    GraderAnswered,
    GraderAsked,
    GraderFailed,
    GradingStarted,
    VerdictGiven,
)
from ledger.log import Ledger
from ledger.outcomes import Cause, Verdict
from ledger.projections import TRIALS, VERDICTS, Keeper, TrialState
from trials.asking import Reply, fail_asking, read_answer
from trials.criteria import Criteria, RecordedCheck, make_grader, parse_criteria, read_key
from trials.evidence import gather_evidence
from trials.grade import decide_check, plan_requests


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A verdict beside what is decided now.

    Attributes:
        verdict_event: the ``verdict.given`` event.
        grader_differs: this program's grader has another code or version than the one that
            decided then; ``None`` if it is the same to the byte.
        note: why it could not be decided again, else ``None``.
    """

    verdict_event: Digest
    check: str
    recorded: Decision
    decided: Decision | None
    grader_differs: str | None
    note: str | None

    @property
    def is_same(self) -> bool:
        """Whether verdict and cause came out as they were recorded."""
        return self.decided is not None and (self.decided.verdict, self.decided.cause) == (
            self.recorded.verdict,
            self.recorded.cause,
        )


def replay_verdict(ledger: Ledger, keeper: Keeper, address: Digest) -> Replayed:
    """Decide the verdict at ``address`` again.

    Raises:
        UnknownAddress: it is no verdict of this ledger.
        Damage: evidence is not what it was.
    """
    body = ledger.find(address).event.body
    if not isinstance(body, VerdictGiven):
        raise UnknownAddress(f"{address} is a {body.KIND}, not a verdict")
    return _Replay(ledger, keeper, body.grading).replay(address, body)


def replay_grading(ledger: Ledger, keeper: Keeper, address: Digest) -> Iterator[Replayed]:
    """Decide every verdict of the grading at ``address`` again, in the order of the plan.

    Raises:
        UnknownAddress: it is no grading of this ledger.
        Damage: evidence is not what it was.
    """
    replay = _Replay(ledger, keeper, address)
    for state in keeper.scan(VERDICTS, f"{address}/"):
        body = ledger.find(state.verdict_event).event.body
        assert isinstance(body, VerdictGiven)  # noqa: S101 - what the projection folds
        yield replay.replay(state.verdict_event, body)


class _Replay:
    """One grading, opened for replay."""

    def __init__(self, ledger: Ledger, keeper: Keeper, grading: Digest) -> None:
        body = ledger.find(grading).event.body
        if not isinstance(body, GradingStarted):
            raise UnknownAddress(f"{grading} is a {body.KIND}, not a grading")
        self._ledger = ledger
        self._keeper = keeper
        self._run = body.run
        self._criteria: Criteria = parse_criteria(ledger.get(body.criteria.address))
        self._checks = {check.name: check for check in self._criteria.checks}
        self._graders: dict[str, Grader | str] = {}

    def replay(self, address: Digest, body: VerdictGiven) -> Replayed:
        recorded = Decision(verdict=body.verdict, cause=body.cause, reason=body.reason)
        check = self._checks[body.check]
        grader = self._grader(check)
        differs = None
        if isinstance(grader, str):
            note: str | None = grader
            decided = None
        else:
            differs = _compare_identity(check, grader)
            note = None
            decided = self._decide(body, check, grader)
        return Replayed(
            verdict_event=address,
            check=body.check,
            recorded=recorded,
            decided=decided,
            grader_differs=differs,
            note=note,
        )

    def _grader(self, check: RecordedCheck) -> Grader | str:
        """Return the check's grader, or why this program cannot make it."""
        if check.name not in self._graders:
            try:
                self._graders[check.name] = make_grader(self._ledger, check)
            except (FaultyInput, RedactedArtifact) as error:
                self._graders[check.name] = f"its grader cannot be made again: {error}"
        return self._graders[check.name]

    def _decide(self, body: VerdictGiven, check: RecordedCheck, grader: Grader) -> Decision:
        trial = self._trial(body)
        try:
            key = self._key(trial.case)
            evidence = gather_evidence(self._ledger, trial, key, check.evidence)
        except RedactedArtifact:
            return _redacted("The key of the case was redacted.")
        if isinstance(evidence, Decision):
            return evidence
        plan = plan_requests(grader, evidence)
        if isinstance(plan, Decision):
            return plan
        recorded = self._replies(body)
        replies = {request.address(): _pick(recorded, request) for request in plan}
        return decide_check(grader, evidence, replies).decision

    def _trial(self, body: VerdictGiven) -> TrialState:
        state = self._keeper.get(TRIALS, f"{self._run}/{body.slot:010d}")
        if state is None:
            raise UnknownAddress(f"run {self._run} has no trial in slot {body.slot:,}")
        return state

    def _key(self, case: str) -> Key | None:
        return read_key(self._ledger, self._criteria, case)

    def _replies(self, body: VerdictGiven) -> Mapping[Digest, Reply]:
        """Return what came of each request, the last of its attempts, by the request's address."""
        replies = {}
        for address in body.answers:
            came = self._ledger.find(address).event.body
            assert isinstance(came, GraderAnswered | GraderFailed)  # noqa: S101 - what it names
            asked = self._ledger.find(came.asked).event.body
            assert isinstance(asked, GraderAsked)  # noqa: S101 - what an answer names
            outcome: str | Decision
            if isinstance(came, GraderFailed):
                outcome = fail_asking(came.detail)
            else:
                outcome = read_answer(self._ledger, came.answer.address)
            replies[asked.request.address] = Reply(events=(address,), outcome=outcome)
        return replies


def _pick(recorded: Mapping[Digest, Reply], request: GraderRequest) -> Reply:
    nothing = fail_asking("No answer to the grader's request is recorded.")
    return recorded.get(request.address()) or Reply(events=(), outcome=nothing)


def _redacted(reason: str) -> Decision:
    return Decision(verdict=Verdict.UNPROVEN, cause=Cause.REDACTED, reason=reason)


def _compare_identity(check: RecordedCheck, grader: Grader) -> str | None:
    now = identify_grader(grader)
    then = check.identity
    parts = [part for part in ("version", "configuration", "code") if now[part] != then[part]]
    return f"{then['name']}: another {', '.join(parts)} than then" if parts else None
