"""Asking graders' models: each question is recorded before it goes out, each answer as it came.

1. what answers a role is a configuration of the suite; every question names it;
2. an answer that a grader cannot read is asked for once more, and no third time;
3. a question that this grading has an answer to is not asked again, so a grading that was cut off
   pays for nothing twice;
4. a call that fails for the moment is made again (``trials/attempts``), one that fails for good is
   an outcome. Nothing that a provider does loses a grading.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from graders import Decision, GraderRequest
from ledger.artifact import JSON, ArtifactRef, decode_text, encode_text
from ledger.digest import Digest
from ledger.errors import RedactedArtifact
from ledger.events import (
    Body,
    Entry,
    GraderAnswered,
    GraderAsked,
    GraderFailed,
    GradingStarted,
)
from ledger.log import Ledger
from ledger.outcomes import Cause, Verdict
from ledger.projections import ANSWERS, Keeper, TrialState, name_answer
from providers import GraderPlace, SessionFailure, SessionRequest
from trials.attempts import (
    Begun,
    Call,
    Errand,
    answer_errand,
    close_providers,
    count_attempts,
)
from trials.sessions import IDENTIFIED, PAID, Recording
from trials.suite import format_configuration
from trials.window import Respondent, Window

ATTEMPTS_MAX = 2
"""Times that a request is sent before its answer counts as unreadable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came of a question.

    Attributes:
        events: the ``grader.answered`` and ``grader.failed`` events, in the order of asking.
        outcome: the text of the last answer, or why there is none.
    """

    events: tuple[Digest, ...]
    outcome: str | Decision


class Asker:
    """Asks the questions of one grading, but for those that it has an answer to already."""

    def __init__(
        self,
        ledger: Ledger,
        keeper: Keeper,
        grading: Digest,
        models: Mapping[str, Respondent],
        window: Window,
    ) -> None:
        """Take where to record, what is recorded, and who answers each role."""
        self._ledger = ledger
        # Read once: folding what was added after each question would cost more than asking.
        self._recorded = {
            name_answer(grading, state.slot, state.request, state.attempt): state
            for state in keeper.scan(ANSWERS, f"{grading}/")
        }
        begun = ledger.find(grading)
        assert isinstance(begun.event.body, GradingStarted)  # noqa: S101 - the caller's
        self._run = begun.event.body.run
        self._begun, self._failed = _find_open(ledger, begun)
        self._grading = grading
        self._models = models
        self._window = window
        self._configurations: dict[str, ArtifactRef] = {}

    async def close(self) -> None:
        """Close what the models hold open, at the end of an event loop."""
        await close_providers(self._models.values())

    async def ask(
        self, trial: TrialState, request: GraderRequest, is_readable: Callable[[str], bool]
    ) -> Reply:
        """Return what came of ``request``, asked once more if the first answer is unreadable."""
        model = self._models.get(request.role)
        if model is None:
            return Reply(events=(), outcome=fail_asking(f"no model answers as {request.role}"))
        events: list[Digest] = []
        outcome: str | Decision = fail_asking("nothing was asked")
        for attempt in range(1, ATTEMPTS_MAX + 1):
            recorded = self._find_recorded(trial, request, attempt)
            reply = recorded or await self._ask_once(trial, model, request, attempt)
            events += reply.events
            outcome = reply.outcome
            # A call that failed was made again already, as often as that could help.
            if not isinstance(outcome, str) or is_readable(outcome):
                break
        return Reply(events=tuple(events), outcome=outcome)

    def _find_recorded(
        self, trial: TrialState, request: GraderRequest, attempt: int
    ) -> Reply | None:
        """Return the answer that this grading has from before it was cut off."""
        failed = self._failed.get((trial.slot, request.address(), attempt))
        if failed is not None:
            return failed
        key = name_answer(self._grading, trial.slot, request.address(), attempt)
        state = self._recorded.get(key)
        if state is None:
            return None
        return Reply(events=(state.answered,), outcome=read_answer(self._ledger, state.answer))

    async def _ask_once(
        self, trial: TrialState, model: Respondent, request: GraderRequest, attempt: int
    ) -> Reply:
        asked = self._make_question(trial, model, request, attempt)
        begun = self._begun.pop(_name_question(asked), None)
        is_reopened = begun is not None
        if begun is None:
            draft = self._ledger.draft(asked)
            await asyncio.wrap_future(self._ledger.submit([draft]))
            begun = Begun(draft.address)
        errand = Errand(
            run=self._run,
            subject=begun.subject,
            respondent=model,
            request=SessionRequest(
                place=GraderPlace(request.address(), attempt),
                prompt=request.prompt,
                model=asked.model,
                effort=asked.effort,
                schema=request.schema,
                limits=model.configuration.limits,
            ),
            attempts=begun.attempts,
            failed=begun.failed,
            is_reopened=is_reopened,
            place=f"{self._grading}/{request.role}",
        )
        answer, result = await answer_errand(
            self._window, self._ledger, errand, partial(self._make_answer, asked, begun.subject)
        )
        await asyncio.wrap_future(self._ledger.submit([answer]))
        if isinstance(result, SessionFailure):
            return Reply(events=(answer.address,), outcome=fail_asking(result.detail))
        return Reply(events=(answer.address,), outcome=result.answer)

    def _make_question(
        self, trial: TrialState, model: Respondent, request: GraderRequest, attempt: int
    ) -> GraderAsked:
        configuration = model.configuration
        if request.role not in self._configurations:
            data = format_configuration(configuration)
            self._configurations[request.role] = self._ledger.put(data, media=JSON)
        return GraderAsked(
            grading=self._grading,
            trial=trial.trial,
            slot=trial.slot,
            role=request.role,
            configuration=self._configurations[request.role],
            provider=configuration.provider,
            model=configuration.model,
            effort=configuration.effort,
            request=self._ledger.put(request.data(), media=JSON),
            attempt=attempt,
        )

    def _make_answer(
        self,
        asked: GraderAsked,
        address: Digest,
        call: Call,
        recording: Recording,
    ) -> Body:
        result = call.result
        if isinstance(result, SessionFailure):
            return GraderFailed(
                asked=address,
                cause=result.cause,
                detail=result.detail,
                duration_us=call.duration_us,
                **recording.pick(*PAID),
            )
        data, media = encode_text(result.answer)
        return GraderAnswered(
            grading=asked.grading,
            slot=asked.slot,
            request=asked.request,
            attempt=asked.attempt,
            asked=address,
            answer=self._ledger.put(data, media=media),
            duration_us=call.duration_us,
            **recording.pick(*PAID, *IDENTIFIED),
        )


Question = tuple[int, Digest, int]
"""Slot, address of the request, attempt: what tells the questions of one grading apart."""


def _name_question(asked: GraderAsked) -> Question:
    return asked.slot, asked.request.address, asked.attempt


def _find_open(
    ledger: Ledger, grading: Entry
) -> tuple[dict[Question, Begun], dict[Question, Reply]]:
    """Return the questions of a grading that have no outcome, and those that failed for good."""
    assert isinstance(grading.event.body, GradingStarted)  # noqa: S101 - the caller's
    questions: dict[Digest, Question] = {}
    failed: dict[Question, Reply] = {}
    for entry in ledger.read(grading.position):
        body = entry.event.body
        if isinstance(body, GraderAsked) and body.grading == grading.address:
            questions[entry.address] = _name_question(body)
        elif isinstance(body, GraderAnswered):
            questions.pop(body.asked, None)
        elif isinstance(body, GraderFailed) and body.asked in questions:
            outcome = fail_asking(body.detail)
            failed[questions.pop(body.asked)] = Reply(events=(entry.address,), outcome=outcome)
    begun = {subject: Begun(subject) for subject in questions}
    if begun:
        count_attempts(ledger, grading.event.body.run, begun, grading=grading.address)
    return {questions[subject]: state for subject, state in begun.items()}, failed


def read_answer(ledger: Ledger, address: Digest) -> str | Decision:
    """Return the text of a recorded answer, or that it was redacted."""
    try:
        return decode_text(ledger.get(address))
    except RedactedArtifact:
        return Decision(
            verdict=Verdict.UNPROVEN,
            cause=Cause.REDACTED,
            reason="A grader's answer was redacted.",
        )


def fail_asking(reason: str) -> Decision:
    """Return the decision where a grader's model gave no answer."""
    return Decision(verdict=Verdict.UNPROVEN, cause=Cause.GRADER_FAILED, reason=reason)
