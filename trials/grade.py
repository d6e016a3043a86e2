"""Grading: plan, ask, record, decide, record; one verdict for each check on each trial.

1. graders are pure; this engine sends what they plan, records ``grader.asked`` and
   ``grader.answered`` with the exact bytes, and calls ``decide``;
2. two checks that plan the same request on a trial share one call;
3. an answer that a grader cannot read is asked for once more, and no third time;
4. whatever cannot be decided is a verdict too: ``unproven`` with its cause. Nothing that a grader
   or its model does loses a grading;
5. a grading that was cut off goes on with the verdicts that are missing.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass

from graders import Decision, Evidence, Grader, GraderRequest, Key
from ledger.artifact import JSON, decode_text, encode_text
from ledger.digest import Digest
from ledger.errors import (
    Busy,
    RedactedArtifact,
    RunIncomplete,
)
from ledger.events import (
    Body,
    GraderAnswered,
    GraderAsked,
    GraderFailed,
    GradingCompleted,
    GradingStarted,
    VerdictGiven,
)
from ledger.log import Ledger
from ledger.outcomes import Cause, Verdict
from ledger.projections import INVENTORY, SCORECARD, TRIALS, VERDICTS, Keeper, Scorecard, TrialState
from providers import SessionFailure, SessionResult
from trials.criteria import put_criteria
from trials.run import CONCURRENCY, Tell, describe_error, draft_result, run_tasks
from trials.suite import Check, Suite

REASON_BYTES_MAX = 20_000
"""Of a verdict's reason, which is part of its event."""
ATTEMPTS_MAX = 2
"""Times that a request is sent before its answer counts as unreadable."""

Ask = Callable[[GraderRequest], Awaitable[SessionResult | SessionFailure]]
"""Sends a grader's request to the model that the grader's role is configured with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The last answer to a request: the ``grader.answered`` event and the text."""

    event: Digest
    text: str


async def refuse_to_ask(request: GraderRequest) -> SessionResult | SessionFailure:
    """Answer that no model is configured for ``request``."""
    detail = f"no model is configured for graders that ask a {request.role}"
    return SessionFailure(cause="no_model", detail=detail)


def grade_run(
    ledger: Ledger,
    keeper: Keeper,
    run: Digest,
    suite_event: Digest,
    suite: Suite,
    *,
    ask: Ask = refuse_to_ask,
    tell: Tell = lambda *_: None,
) -> Scorecard:
    """Grade every trial of ``run`` by ``suite`` and return the scorecard of the grading.

    Args:
        ledger: records.
        keeper: knows the trials, and the verdicts of a grading that was cut off.
        run: its ``run.started`` event.
        suite_event: the ``suite.registered`` event of ``suite``.
        suite: whose checks and keys decide.
        ask: sends grader requests.
        tell: is told of progress.

    Raises:
        RunIncomplete: a planned trial has no outcome yet.
        StoreUnavailable: the ledger does not take a verdict; the grading can go on later.
    """
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
    engine = _Engine(ledger, grading, suite, ask, given)
    trials = keeper.scan(TRIALS, f"{run}/")
    run_tasks(engine.run(trials, lambda done: tell(done, planned)))
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
    criteria, _ = put_criteria(ledger, suite)

    def is_same(card: Scorecard) -> bool:
        body = ledger.find(card.grading).event.body
        return isinstance(body, GradingStarted) and body.criteria.address == criteria.address

    same = (card for card in keeper.scan(SCORECARD) if card.run == run and is_same(card))
    return max(same, key=lambda card: card.position, default=None)


class _Engine:
    """Grades the trials of one run, a bounded number at a time."""

    def __init__(
        self,
        ledger: Ledger,
        grading: Digest,
        suite: Suite,
        ask: Ask,
        given: set[tuple[int, str]],
    ) -> None:
        self._ledger = ledger
        self._grading = grading
        self._checks = suite.checks
        self._keys = {case.id: case.key for case in suite.cases}
        self._ask = ask
        self._given = given

    async def run(self, trials: Iterator[TrialState], tell: Callable[[int], None]) -> None:
        """Grade ``trials``, those checks alone that have no verdict yet."""
        async with asyncio.TaskGroup() as group:
            for _ in range(CONCURRENCY):
                group.create_task(self._work(trials, tell))

    async def _work(self, trials: Iterator[TrialState], tell: Callable[[int], None]) -> None:
        for trial in trials:
            checks = [c for c in self._checks if (trial.slot, c.name) not in self._given]
            if checks:
                verdicts = await self._grade(trial, checks)
                await self._record(verdicts)
                self._given.update((trial.slot, check.name) for check in checks)
            tell(len(self._given))

    async def _grade(self, trial: TrialState, checks: list[Check]) -> list[Body]:
        """Return the verdicts of ``checks`` on one trial, in their order."""
        evidence = self._gather(trial)
        if isinstance(evidence, Decision):
            return [self._verdict(trial, check, evidence, ()) for check in checks]
        plans = [plan_requests(check.grader, evidence) for check in checks]
        answers: dict[Digest, Answered | Decision] = {}
        for check, plan in zip(checks, plans, strict=True):
            for request in () if isinstance(plan, Decision) else plan:
                if request.address() not in answers:
                    answer = await self._answer(trial, check.grader, request)
                    answers[request.address()] = answer
        verdicts: list[Body] = []
        for check, plan in zip(checks, plans, strict=True):
            if isinstance(plan, Decision):
                verdicts.append(self._verdict(trial, check, plan, ()))
                continue
            own = {request.address(): answers[request.address()] for request in plan}
            decision = decide_check(check.grader, evidence, own)
            events = [answer.event for answer in own.values() if isinstance(answer, Answered)]
            verdicts.append(self._verdict(trial, check, decision, tuple(events)))
        return verdicts

    def _gather(self, trial: TrialState) -> Evidence | Decision:
        return gather_evidence(self._ledger, trial, self._keys.get(trial.case))

    async def _answer(
        self, trial: TrialState, grader: Grader, request: GraderRequest
    ) -> Answered | Decision:
        """Return the recorded answer to ``request``, asked for a second time if unreadable."""
        answer: Answered | Decision = Decision(
            verdict=Verdict.UNPROVEN, cause=Cause.GRADER_FAILED, reason="The grader was not asked."
        )
        for attempt in range(1, ATTEMPTS_MAX + 1):
            answer = await self._ask_once(trial, request, attempt)
            if isinstance(answer, Answered) and _is_readable(grader, request, answer.text):
                break
        return answer

    async def _ask_once(
        self, trial: TrialState, request: GraderRequest, attempt: int
    ) -> Answered | Decision:
        ledger = self._ledger
        asked = ledger.draft(
            GraderAsked(
                grading=self._grading,
                trial=trial.trial,
                request=ledger.put(request.data(), media=JSON),
                attempt=attempt,
            )
        )
        await asyncio.wrap_future(ledger.submit([asked]))
        begun = time.monotonic_ns()
        try:
            result = await self._ask(request)
        except Exception as error:  # noqa: BLE001 - a call that fails is an outcome, however it does
            result = SessionFailure(cause="provider_failed", detail=describe_error(error))
        duration_us = (time.monotonic_ns() - begun) // 1000
        answer, result = draft_result(
            ledger, result, lambda sound: self._make_answer(asked.address, sound, duration_us)
        )
        await asyncio.wrap_future(ledger.submit([answer]))
        if isinstance(result, SessionFailure):
            return Decision(
                verdict=Verdict.UNPROVEN, cause=Cause.GRADER_FAILED, reason=result.detail
            )
        return Answered(event=answer.address, text=result.answer)

    def _make_answer(
        self, asked: Digest, result: SessionResult | SessionFailure, duration_us: int
    ) -> Body:
        ledger = self._ledger
        if isinstance(result, SessionFailure):
            raw = result.response
            return GraderFailed(
                asked=asked,
                cause=result.cause,
                detail=result.detail,
                response=None if raw is None else ledger.put(raw, media=result.media),
                duration_us=duration_us,
            )
        data, media = encode_text(result.answer)
        return GraderAnswered(
            asked=asked,
            answer=ledger.put(data, media=media),
            response=ledger.put(result.response, media=result.media),
            resolved_model=result.resolved_model,
            usage=result.usage,
            duration_us=duration_us,
        )

    def _verdict(
        self, trial: TrialState, check: Check, decision: Decision, answers: tuple[Digest, ...]
    ) -> VerdictGiven:
        return VerdictGiven(
            grading=self._grading,
            trial=trial.trial,
            slot=trial.slot,
            check=check.name,
            variant=trial.variant,
            verdict=decision.verdict,
            cause=decision.cause,
            reason=decision.reason,
            answers=answers,
        )

    async def _record(self, bodies: list[Body]) -> None:
        await asyncio.wrap_future(self._ledger.submit(self._ledger.draft_all(bodies)))


def gather_evidence(ledger: Ledger, trial: TrialState, key: Key | None) -> Evidence | Decision:
    """Return what graders may look at, or why there is nothing to look at."""
    if trial.answer is None:
        return Decision(
            verdict=Verdict.UNPROVEN,
            cause=Cause.TRIAL_FAILED,
            reason=f"The trial failed: {trial.cause}.",
        )
    try:
        answer = decode_text(ledger.get(trial.answer))
    except RedactedArtifact:
        return Decision(
            verdict=Verdict.UNPROVEN, cause=Cause.REDACTED, reason="The answer was redacted."
        )
    return Evidence(case=trial.case, variant=trial.variant, answer=answer, key=key)


def plan_requests(grader: Grader, evidence: Evidence) -> tuple[GraderRequest, ...] | Decision:
    """Return what ``grader`` asks, or that it failed."""
    try:
        requests = tuple(grader.plan(evidence))
        for request in requests:
            request.address()  # one without canonical bytes cannot be recorded, so it is not sent
        return requests
    except Exception as error:  # noqa: BLE001 - a stranger's code; its fault is an outcome
        return _failed(grader, error)


def decide_check(
    grader: Grader, evidence: Evidence, answers: Mapping[Digest, Answered | Decision]
) -> Decision:
    """Return what ``grader`` decides, or why it cannot.

    Args:
        grader: the check's.
        evidence: of one trial.
        answers: to each planned request the recorded answer, or why there is none.
    """
    for answer in answers.values():
        if isinstance(answer, Decision):
            return answer
    texts = {
        address: answer.text for address, answer in answers.items() if isinstance(answer, Answered)
    }
    try:
        return _check_decision(grader.decide(evidence, texts))
    except Exception as error:  # noqa: BLE001 - a stranger's code; its fault is an outcome
        return _failed(grader, error)


def _check_decision(decision: Decision) -> Decision:
    """Return ``decision``, which a verdict can carry; it comes from a stranger's code."""
    if not isinstance(decision, Decision):
        raise TypeError(f"decided {decision!r:.80}")
    if len(decision.reason.encode()) > REASON_BYTES_MAX:
        raise ValueError(f"its reason has more than {REASON_BYTES_MAX:,} bytes")
    return decision


def _is_readable(grader: Grader, request: GraderRequest, answer: str) -> bool:
    try:
        return grader.is_readable(request, answer)
    except Exception:  # noqa: BLE001 - as above; ``decide`` will say what is the matter
        return True


def _failed(grader: Grader, error: Exception) -> Decision:
    return Decision(
        verdict=Verdict.UNPROVEN,
        cause=Cause.GRADER_FAILED,
        reason=f"The grader {grader.name} failed: {describe_error(error)}",
    )
