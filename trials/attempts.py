"""Attempts: one request, sent until an answer came or no further attempt can help.

1. an attempt begins when it has its reservation (``budget``) and its time has come (``pace``);
2. a transient failure is recorded as ``attempt.failed`` *before* the request goes out again, with
   all bytes and what it cost, so that nothing is sent twice without a reason on record;
3. how long to wait is what the provider asks for, for all calls to it, or else doubles;
4. a failure that every further call would meet, such as a refused key, stops the window. So does a
   server that was never reached. The request stays open, and the run can be resumed;
5. a call that raises, or outlives its deadline, is a failure like any other. What no event can hold
   is one, too, and its bytes are kept;
6. an attempt that this program was killed in is recorded as ``cut_off`` when the next window opens.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from ledger.digest import Digest
from ledger.errors import LedgerError, StoreUnavailable
from ledger.events import AttemptFailed, Body, RunStopped
from ledger.log import ROW_SIZE_MAX, Ledger
from ledger.writer import Draft
from providers import (
    Closing,
    Provider,
    SessionFailure,
    SessionRequest,
    SessionResult,
    scrub_session,
)
from trials.pace import RETRY_AFTER_MAX_S, compute_backoff
from trials.sessions import PAID, Recording, put_session
from trials.window import Respondent, Window

GRACE_S = 15.0
"""What a provider is given beyond the deadline that it keeps itself."""
CUT_OFF = "cut_off"
UNREACHED = frozenset({"connection_failed", "not_found"})
"""Causes that every further call would meet where none has succeeded so far."""

Result = SessionResult | SessionFailure
"""What a provider returns."""


class Call(NamedTuple):
    """One call: what came of it, which attempt it was, from 1, and how long it took."""

    result: Result
    attempt: int
    duration_us: int


MakeBody = Callable[[Call, Recording], Body]
"""From a call and what of it is recorded to the event that says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """A request to be answered.

    Attributes:
        run: the ``run.started`` event.
        subject: the ``trial.started`` or ``grader.asked`` event.
        attempts: how many are on record as failed, from before this window.
        failed: how many of them failed by themselves: those that were cut off do not count against
            ``attempts_max``.
    """

    run: Digest
    subject: Digest
    respondent: Respondent
    request: SessionRequest
    attempts: int = 0
    failed: int = 0


@dataclass(slots=True)
class Begun:
    """What was begun before and has no outcome: a trial or a question; else as in ``Errand``.

    Attributes:
        is_cut_off: whether a further attempt may have been under way when the program ended.
    """

    subject: Digest
    attempts: int = 0
    failed: int = 0
    is_cut_off: bool = False


def count_attempts(
    ledger: Ledger,
    run: Digest,
    subjects: Mapping[Digest, Begun],
    *,
    grading: Digest | None = None,
) -> None:
    """Count the attempts on record for each of ``subjects``, and record what was cut off.

    A window that stopped by itself left none under way; what follows the last thing that is known
    of a subject may have been.

    Args:
        ledger: the record.
        run: to which they belong.
        subjects: trials of the run, or questions of one grading of it.
        grading: which one.
    """
    for entry in ledger.read(ledger.find(run).position):
        body = entry.event.body
        if isinstance(body, AttemptFailed) and body.subject in subjects:
            begun = subjects[body.subject]
            begun.attempts = body.attempt
            begun.failed += body.cause != CUT_OFF
            begun.is_cut_off = True
        elif isinstance(body, RunStopped) and (body.run, body.grading) == (run, grading):
            for begun in subjects.values():
                begun.is_cut_off = False
        elif entry.address in subjects:
            subjects[entry.address].is_cut_off = True
    _record_cut_off(ledger, run, subjects.values())


def _record_cut_off(ledger: Ledger, run: Digest, begun: Iterable[Begun]) -> None:
    """Record every attempt that was cut off, before this window begins anything.

    Later would be too late: a window that stops by itself says that nothing was under way.
    """
    cut_off = [each for each in begun if each.is_cut_off]
    for each in cut_off:
        each.attempts += 1
        each.is_cut_off = False
    if cut_off:
        ledger.append(
            ledger.draft_all(
                _describe_cut_off(run, each.subject, each.attempts) for each in cut_off
            )
        )


async def answer_errand(
    window: Window, ledger: Ledger, errand: Errand, make_body: MakeBody
) -> tuple[Draft, Result]:
    """Return what came of ``errand`` as an event, not recorded yet, and what it counts as.

    Raises:
        Stopped: the window stops before there is an outcome; the request stays open.
        StoreUnavailable: the ledger does not take what came.
    """
    return await _Attempts(window, ledger, errand).make(make_body)


class _Attempts:
    """The attempts of one errand."""

    def __init__(self, window: Window, ledger: Ledger, errand: Errand) -> None:
        self._window = window
        self._ledger = ledger
        self._errand = errand
        self._configuration = errand.respondent.configuration

    async def make(self, make_body: MakeBody) -> tuple[Draft, Result]:
        """Attempt until there is an outcome."""
        attempt, failed = self._errand.attempts, self._errand.failed
        while True:
            attempt += 1
            call = await self._call(attempt)
            failed += 1
            is_last = failed >= self._configuration.attempts_max
            failure = call.result
            if not isinstance(failure, SessionFailure):
                self._window.reached.add(self._configuration.name)
                return await self._draft(call, make_body)
            if is_last or not failure.is_transient:
                failure = self._stop_unreached(failure)
            if not _is_open(failure, is_last=is_last):
                return await self._draft(call, make_body)
            await self._wait(call, failure, failed)

    def _stop_unreached(self, failure: SessionFailure) -> SessionFailure:
        """Return ``failure``, which stops the run where nobody was ever reached in this window.

        A server that is not there, or an address or a model that is wrong, would fail every trial.
        """
        is_reached = self._configuration.name in self._window.reached
        if failure.cause in UNREACHED and not is_reached:
            return replace(failure, stops_run=True)
        return failure

    async def _wait(self, call: Call, failure: SessionFailure, failed: int) -> None:
        """Record a failure that leaves the request open, and wait until it may be sent again."""
        wait_s = _compute_wait(self._errand, failure, failed)
        draft, _ = await self._draft(call, partial(_describe_failure, self._errand, wait_s))
        await self._submit(draft)
        if failure.stops_run or wait_s > RETRY_AFTER_MAX_S:
            asked = "" if failure.stops_run else f"; it asks to wait {wait_s:,.0f} s"
            name = self._configuration.provider
            self._window.stop.request(failure.cause, f"{name}: {failure.detail}{asked}")
        elif failure.retry_after_s is not None:
            self._window.pace.hold(self._configuration.provider, wait_s)
        await self._window.stop.pause(wait_s)

    async def _call(self, attempt: int) -> Call:
        """Make one call when its time has come."""
        window, provider = self._window, self._errand.respondent.provider
        reservation = await window.purse.reserve(
            self._configuration, provider, self._errand.request, window.stop
        )
        try:
            await window.pace.wait(self._configuration.provider, window.stop)
        except BaseException:
            window.purse.release(reservation)
            raise
        result: Result | None = None
        begun = time.monotonic_ns()
        try:
            result = await _respond(provider, self._errand.request)
        finally:
            duration_us = (time.monotonic_ns() - begun) // 1000
            window.purse.settle(reservation, self._configuration, result)
        return Call(self._scrub(result), attempt, duration_us)

    def _scrub(self, result: Result) -> Result:
        try:
            return scrub_session(result, self._window.vault)
        except (AttributeError, TypeError, ValueError) as error:
            return self._fail_malformed(result, error)

    async def _draft(self, call: Call, make_body: MakeBody) -> tuple[Draft, Result]:
        """Return the event of a call; a result that no event can hold is a failure."""
        try:
            if _is_large(call.result):
                # Its bytes are compressed, written and synced: in a thread, beside the other calls.
                return await asyncio.to_thread(self._draft_call, call, make_body), call.result
            return self._draft_call(call, make_body), call.result
        except StoreUnavailable:
            raise
        except (LedgerError, AttributeError, TypeError, ValueError) as error:
            failure = self._fail_malformed(call.result, error)
            return self._draft_call(call._replace(result=failure), make_body), failure

    def _draft_call(self, call: Call, make_body: MakeBody) -> Draft:
        cost = self._window.purse.tariff.charge(self._configuration, call.result.tokens)
        return self._ledger.draft(make_body(call, put_session(self._ledger, call.result, cost)))

    def _fail_malformed(self, result: Result, error: Exception) -> SessionFailure:
        vault, response = self._window.vault, result.response
        return SessionFailure(
            cause="provider_malformed",
            detail=vault.scrub_text(describe_error(error)),
            response=vault.scrub(response) if isinstance(response, bytes) else None,
        )

    async def _submit(self, draft: Draft) -> None:
        await asyncio.wrap_future(self._ledger.submit([draft]))


def _is_open(failure: SessionFailure, *, is_last: bool) -> bool:
    """Return whether the request may be sent again, now or in another window."""
    return failure.stops_run or (failure.is_transient and not is_last)


def _compute_wait(errand: Errand, failure: SessionFailure, failed: int) -> float:
    if failure.stops_run:
        return 0.0
    asked = failure.retry_after_s
    return compute_backoff(errand.subject, failed) if asked is None else max(0.0, asked)


async def _respond(provider: Provider, request: SessionRequest) -> Result:
    """Ask the provider; whatever it raises is a failure."""
    deadline_s = request.limits.deadline_s + GRACE_S
    try:
        async with asyncio.timeout(deadline_s):
            result: object = await provider.respond(request)
    except TimeoutError as error:
        detail = f"no outcome after {deadline_s:,.0f} s: {describe_error(error)}"
        return SessionFailure(cause="timed_out", detail=detail)
    except Exception as error:  # noqa: BLE001 - a stranger's code; its fault is an outcome
        return SessionFailure(cause="provider_failed", detail=describe_error(error))
    if not isinstance(result, Result):
        detail = f"the provider returned {type(result).__name__}"
        return SessionFailure(cause="provider_malformed", detail=detail)
    return result


def _is_large(result: Result) -> bool:
    sizes = (result.response, result.sent, *(part.data for part in result.parts))
    return any(len(data or b"") > ROW_SIZE_MAX for data in sizes)


def _describe_failure(errand: Errand, wait_s: float, call: Call, recording: Recording) -> Body:
    result = call.result
    assert isinstance(result, SessionFailure)  # noqa: S101 - nothing turns it into an answer
    return AttemptFailed(
        run=errand.run,
        subject=errand.subject,
        attempt=call.attempt,
        cause=result.cause,
        detail=result.detail,
        duration_us=call.duration_us,
        wait_us=round(wait_s * 1_000_000),
        **recording.pick(*PAID, "parts", "request_id"),
    )


def _describe_cut_off(run: Digest, subject: Digest, attempt: int) -> Body:
    return AttemptFailed(
        run=run,
        subject=subject,
        attempt=attempt,
        cause=CUT_OFF,
        detail="The program ended before an outcome was recorded; the call may have been made.",
        sent=None,
        response=None,
        parts=(),
        request_id=None,
        usage=(),
        tokens=(),
        cost_usd=None,
        stated_cost_usd=None,
        duration_us=0,
        wait_us=0,
    )


def describe_error(error: Exception) -> str:
    """Return one short line about what a stranger's code raised, fit for an event."""
    text = f"{type(error).__name__}: {error}"[:400]
    return " ".join(text.encode("utf-8", "backslashreplace").decode().split())


async def close_providers(respondents: Iterable[Respondent]) -> None:
    """Close what the providers hold open, each once: connections end with their event loop."""
    providers = {id(respondent.provider): respondent.provider for respondent in respondents}
    for provider in providers.values():
        if isinstance(provider, Closing):
            await provider.close()
