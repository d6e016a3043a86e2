"""Grading: plan, ask, record, decide, record; one verdict for each check on each trial.

1. graders are pure; this engine sends what they plan, records ``grader.asked`` and
   ``grader.answered`` with the exact bytes (``trials/asking``), and calls ``decide``;
2. two checks that plan the same request on a trial share one call;
3. whatever cannot be decided is a verdict too: ``unproven`` with its cause. Nothing that a grader
   or its model does loses a grading;
4. a fail is recorded together with the candidate causes that its grader finds;
5. a grading that was cut off goes on with the verdicts that are missing.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from graders import Decision, Diagnosis, Evidence, Grader, GraderRequest
from ledger.digest import Digest, compute_digest
from ledger.errors import Busy, RunIncomplete
from ledger.events import DiagnosisMade, GradingCompleted, GradingStarted, RunStopped, VerdictGiven
from ledger.log import Ledger, Shelf
from ledger.outcomes import Cause, Verdict
from ledger.projections import INVENTORY, SCORECARD, TRIALS, VERDICTS, Keeper, Scorecard, TrialState
from ledger.writer import Draft
from trials.asking import Asker, Reply
from trials.attempts import describe_error
from trials.criteria import format_criteria, put_criteria
from trials.engine import CONCURRENCY, Tell, run_tasks
from trials.evidence import gather_evidence
from trials.stop import Stopped
from trials.suite import Check, Suite
from trials.window import Respondent, Window

AHEAD = 64
"""Trials whose answers are looked up at once."""
REASON_BYTES_MAX = 20_000
"""Of a verdict's reason, or of all of a diagnosis, which is part of its event."""


Requests = tuple[GraderRequest, ...]
"""What a grader plans on one trial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one check on one trial.

    Attributes:
        answers: the events that the decision rests on, in the order of asking.
        diagnoses: candidate causes of a fail.
    """

    decision: Decision
    answers: tuple[Digest, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()


def grade_run(
    ledger: Ledger,
    keeper: Keeper,
    run: Digest,
    suite_event: Digest,
    suite: Suite,
    *,
    models: Mapping[str, Respondent] | None = None,
    window: Window | None = None,
    concurrency: int = CONCURRENCY,
    tell: Tell = lambda *_: None,
) -> Scorecard:
    """Grade every trial of ``run`` by ``suite`` and return the scorecard of the grading.

    Args:
        ledger: records.
        keeper: knows the trials, and the verdicts of a grading that was cut off.
        run: its ``run.started`` event.
        suite_event: the ``suite.registered`` event of ``suite``.
        suite: whose checks and keys decide.
        models: who answers each role of the graders' questions.
        window: what the calls share; where it stops, the grading is left to go on later.
        concurrency: trials that are graded at a time, 1 or more.
        tell: is told of progress.

    Raises:
        RunIncomplete: a planned trial has no outcome yet.
        StoreUnavailable: the ledger does not take a verdict; the grading can go on later.
    """
    window = window or Window()
    inventory = keeper.get(INVENTORY, run)
    if inventory is None or inventory.missing > 0:
        missing = "all" if inventory is None else f"{inventory.missing:,}"
        raise RunIncomplete(f"run {run}: {missing} planned trials have no outcome; resume it first")
    planned = inventory.planned * len(suite.checks)
    same = find_same(ledger, keeper, run, suite)
    if same is not None and not same.is_complete:
        grading = same.grading
    else:
        grading = _start(ledger, run, suite_event, suite, planned)
    given = {(state.slot, state.check) for state in keeper.scan(VERDICTS, f"{grading}/")}
    begun = keeper.get(SCORECARD, grading)
    if begun is None or begun.given != len(given):
        raise Busy(f"grading {grading}: the projections are being folded again; try once more")
    asker = Asker(ledger, keeper, grading, models or {}, window)
    engine = _Engine(ledger, grading, suite, asker, given)
    trials = keeper.scan(TRIALS, f"{run}/")
    run_tasks(engine.run(trials, concurrency, lambda done: tell(done, planned)), window.stop)
    if window.stop.cause is not None:
        stopped = RunStopped(
            run=run, grading=grading, cause=window.stop.cause, detail=window.stop.detail
        )
        ledger.append([ledger.draft(stopped)])
    card = keeper.get(SCORECARD, grading)
    assert card is not None  # noqa: S101 - it was started
    if card.given == card.planned and not card.is_complete:
        ledger.append([ledger.draft(GradingCompleted(grading=grading, verdicts=card.given))])
        card = keeper.get(SCORECARD, grading) or card
    return card


def _start(ledger: Ledger, run: Digest, suite_event: Digest, suite: Suite, planned: int) -> Digest:
    criteria, artifacts = put_criteria(ledger, suite)
    started = ledger.draft(
        GradingStarted(
            run=run, suite=suite_event, criteria=criteria, artifacts=artifacts, planned=planned
        )
    )
    ledger.append([started])
    return started.address


def find_same(ledger: Ledger, keeper: Keeper, run: Digest, suite: Suite) -> Scorecard | None:
    """Return the newest grading of ``run`` by the very criteria that ``suite`` states now."""
    address = compute_digest(format_criteria(suite))

    def is_same(card: Scorecard) -> bool:
        body = ledger.find(card.grading).event.body
        return isinstance(body, GradingStarted) and body.criteria.address == address

    same = (card for card in keeper.scan(SCORECARD) if card.run == run and is_same(card))
    return max(same, key=lambda card: card.position, default=None)


class _Engine:
    """Grades the trials of one run, a bounded number at a time."""

    def __init__(
        self,
        ledger: Ledger,
        grading: Digest,
        suite: Suite,
        asker: Asker,
        given: set[tuple[int, str]],
    ) -> None:
        self._ledger = ledger
        self._grading = grading
        self._checks = suite.checks
        self._keys = {case.id: case.key for case in suite.cases}
        self._asker = asker
        self._given = given

    async def run(
        self, trials: Iterator[TrialState], concurrency: int, tell: Callable[[int], None]
    ) -> None:
        """Grade ``trials``, those checks alone that have no verdict yet."""
        supply = self._read_ahead(trials)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(concurrency):
                    group.create_task(self._work(supply, tell))
        finally:
            await self._asker.close()

    def _read_ahead(self, trials: Iterator[TrialState]) -> Iterator[tuple[TrialState, Shelf]]:
        """Yield each trial with what reads its evidence, looked up for some at a time."""
        while some := list(islice(trials, AHEAD)):
            shelf = self._ledger.fetch(trial.answer for trial in some if trial.answer is not None)
            for trial in some:
                yield trial, shelf

    async def _work(
        self, supply: Iterator[tuple[TrialState, Shelf]], tell: Callable[[int], None]
    ) -> None:
        for trial, shelf in supply:
            checks = [c for c in self._checks if (trial.slot, c.name) not in self._given]
            if checks:
                try:
                    drafts = await self._grade(trial, shelf, checks)
                except Stopped:  # What was answered stands, and is not asked again.
                    return
                await asyncio.wrap_future(self._ledger.submit(drafts))
                self._given.update((trial.slot, check.name) for check in checks)
            tell(len(self._given))

    async def _grade(self, trial: TrialState, shelf: Shelf, checks: list[Check]) -> list[Draft]:
        """Return the verdicts of ``checks`` on one trial in their order, each before its causes."""
        key = self._keys.get(trial.case)
        looked_at = {
            name: gather_evidence(shelf, trial, key, name)
            for name in dict.fromkeys(check.evidence for check in checks)
        }
        plans = [(check, _plan(check.grader, looked_at[check.evidence])) for check in checks]
        replies = await self._ask(trial, plans)
        outcomes = []
        for check, plan in plans:
            if isinstance(plan, Decision):
                outcomes.append((check, Outcome(decision=plan)))
                continue
            evidence = looked_at[check.evidence]
            assert isinstance(evidence, Evidence)  # noqa: S101 - else it would be the plan
            own = {request.address(): replies[request.address()] for request in plan}
            outcomes.append((check, decide_check(check.grader, evidence, own)))
        return self._draft(trial, outcomes)

    async def _ask(
        self, trial: TrialState, plans: list[tuple[Check, Requests | Decision]]
    ) -> dict[Digest, Reply]:
        """Return what came of each planned request, each asked once for all that plan it."""
        planners: dict[GraderRequest, list[Grader]] = {}
        for check, plan in plans:
            for request in () if isinstance(plan, Decision) else plan:
                planners.setdefault(request, []).append(check.grader)
        replies = {}
        for request, graders in planners.items():
            replies[request.address()] = await self._asker.ask(
                trial, request, partial(_can_all_read, graders, request)
            )
        return replies

    def _draft(self, trial: TrialState, outcomes: list[tuple[Check, Outcome]]) -> list[Draft]:
        verdicts = self._ledger.draft_all(
            self._make_verdict(trial, check, outcome) for check, outcome in outcomes
        )
        drafts: list[Draft] = []
        for (check, outcome), verdict in zip(outcomes, verdicts, strict=True):
            drafts.append(verdict)
            drafts += self._ledger.draft_all(
                self._make_diagnosis(trial, check, verdict.address, number, diagnosis)
                for number, diagnosis in enumerate(outcome.diagnoses)
            )
        return drafts

    def _make_verdict(self, trial: TrialState, check: Check, outcome: Outcome) -> VerdictGiven:
        return VerdictGiven(
            grading=self._grading,
            trial=trial.trial,
            slot=trial.slot,
            check=check.name,
            variant=trial.variant,
            verdict=outcome.decision.verdict,
            cause=outcome.decision.cause,
            reason=outcome.decision.reason,
            answers=outcome.answers,
        )

    def _make_diagnosis(
        self, trial: TrialState, check: Check, verdict: Digest, number: int, diagnosis: Diagnosis
    ) -> DiagnosisMade:
        return DiagnosisMade(
            grading=self._grading,
            verdict=verdict,
            slot=trial.slot,
            check=check.name,
            variant=trial.variant,
            number=number,
            subject=diagnosis.subject,
            statement=diagnosis.statement,
            causes=diagnosis.causes,
        )


def _plan(grader: Grader, evidence: Evidence | Decision) -> Requests | Decision:
    return evidence if isinstance(evidence, Decision) else plan_requests(grader, evidence)


def plan_requests(grader: Grader, evidence: Evidence) -> Requests | Decision:
    """Return what ``grader`` asks, or that it failed."""
    try:
        requests = tuple(grader.plan(evidence))
        for request in requests:
            request.address()  # one without canonical bytes cannot be recorded, so it is not sent
        return requests
    except Exception as error:  # noqa: BLE001 - a stranger's code; its fault is an outcome
        return _failed(grader, error)


def decide_check(grader: Grader, evidence: Evidence, replies: Mapping[Digest, Reply]) -> Outcome:
    """Return what ``grader`` decides, or why it cannot, and the candidate causes of a fail.

    Args:
        grader: the check's.
        evidence: of one trial.
        replies: to each planned request, by its address, what came of it.
    """
    events = tuple(event for reply in replies.values() for event in reply.events)
    texts: dict[Digest, str] = {}
    for address, reply in replies.items():
        if isinstance(reply.outcome, Decision):
            return Outcome(decision=reply.outcome, answers=events)
        texts[address] = reply.outcome
    try:
        decision = _check_decision(grader.decide(evidence, texts))
    except Exception as error:  # noqa: BLE001 - a stranger's code; its fault is an outcome
        return Outcome(decision=_failed(grader, error), answers=events)
    is_fail = decision.verdict is Verdict.FAIL
    diagnoses = _diagnose(grader, evidence, texts) if is_fail else ()
    return Outcome(decision=decision, answers=events, diagnoses=diagnoses)


def _diagnose(
    grader: Grader, evidence: Evidence, texts: Mapping[Digest, str]
) -> tuple[Diagnosis, ...]:
    """Return the candidate causes that ``grader`` finds; its fault is a statement, not a loss."""
    try:
        diagnoses = tuple(grader.diagnose(evidence, texts))
        return tuple(_check_diagnosis(diagnosis) for diagnosis in diagnoses)
    except Exception as error:  # noqa: BLE001 - a stranger's code; its fault is an outcome
        statement = f"The grader {grader.name} failed to diagnose: {describe_error(error)}"
        return (Diagnosis(subject=grader.name, statement=statement, causes=()),)


def _check_diagnosis(diagnosis: Diagnosis) -> Diagnosis:
    """Return ``diagnosis``, which an event can carry; it comes from a stranger's code."""
    texts = (diagnosis.subject, diagnosis.statement, *diagnosis.causes)
    if sum(len(text.encode()) for text in texts) > REASON_BYTES_MAX:
        raise ValueError(f"a diagnosis has more than {REASON_BYTES_MAX:,} bytes")
    return diagnosis


def _check_decision(decision: Decision) -> Decision:
    """Return ``decision``, which a verdict can carry; it comes from a stranger's code."""
    if not isinstance(decision, Decision):
        raise TypeError(f"decided {decision!r:.80}")
    if len(decision.reason.encode()) > REASON_BYTES_MAX:
        raise ValueError(f"its reason has more than {REASON_BYTES_MAX:,} bytes")
    return decision


def _can_all_read(graders: Sequence[Grader], request: GraderRequest, answer: str) -> bool:
    """Return whether each grader that planned ``request`` can read ``answer``."""
    return all(_is_readable(grader, request, answer) for grader in graders)


def _is_readable(grader: Grader, request: GraderRequest, answer: str) -> bool:
    try:
        return grader.is_readable(request, answer)
    except Exception:  # noqa: BLE001 - as above; ``decide`` will say what is the matter
        return True


def _failed(grader: Grader, error: Exception) -> Decision:
    reason = f"The grader {grader.name} failed: {describe_error(error)}"
    return Decision(verdict=Verdict.UNPROVEN, cause=Cause.GRADER_FAILED, reason=reason)
