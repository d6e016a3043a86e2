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
import contextlib
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from ledger.digest import Digest
from ledger.errors import LedgerError, StoreUnavailable
from ledger.events import AttemptBegun, AttemptFailed, Body, RunStopped
from ledger.log import ROW_SIZE_MAX, Ledger
from ledger.writer import Draft
from providers import (
    Closing,
    Provider,
    SessionFailure,
    SessionRequest,
    scrub_session,
)
from trials.pace import RETRY_AFTER_MAX_S, compute_backoff
from trials.results import Result, check_result, fail_malformed
from trials.sessions import PAID, Recording, put_session
from trials.window import Respondent, Window

DETAIL_LENGTH_MAX = 400
ERROR_LENGTH_MAX = 4_000
CLOSE_S = 5.0
"""What a provider is given to let go of its connections."""
GRACE_S = 15.0
"""What a provider is given beyond the deadline that it keeps itself."""
CUT_OFF = "cut_off"
UNREACHED = frozenset({"connection_failed", "not_found"})
"""Causes that every further call would meet where none has succeeded so far."""


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
        is_reopened: whether it was begun in an earlier window.
        place: whose calls it belongs to: a run, or a role in a grading (``Window.reached``).
    """

    run: Digest
    subject: Digest
    respondent: Respondent
    request: SessionRequest
    attempts: int = 0
    failed: int = 0
    is_reopened: bool = False
    place: str = ""


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
        elif isinstance(body, AttemptBegun) and body.subject in subjects:
            subjects[body.subject].is_cut_off = True
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
        if self._errand.is_reopened:
            await self._record_begin(attempt + 1)
        while True:
            attempt += 1
            call = await self._call(attempt)
            failed += 1
            is_last = failed >= self._configuration.attempts_max
            failure = call.result
            if not isinstance(failure, SessionFailure):
                self._window.reached.add(self._errand.place)
                return await self._draft(call, make_body)
            if is_last or not failure.is_transient:
                failure = self._stop_unreached(failure)
            if not _is_open(failure, is_last=is_last):
                return await self._draft(call, make_body)
            await self._wait(call, failure, failed)

    async def _record_begin(self, attempt: int) -> None:
        errand = self._errand
        begun = AttemptBegun(run=errand.run, subject=errand.subject, attempt=attempt)
        await self._submit(self._ledger.draft(begun))

    def _stop_unreached(self, failure: SessionFailure) -> SessionFailure:
        """Return ``failure``, which stops the run where nobody was ever reached in this window.

        A server that is not there, or an address or a model that is wrong, would fail every trial.
        """
        is_reached = self._errand.place in self._window.reached
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
        await window.pace.wait(self._configuration.provider, window.stop)
        reservation = await window.purse.reserve(
            self._configuration, provider, self._errand.request, window.stop
        )
        result: Result | None = None
        begun = time.monotonic_ns()
        try:
            result = check_result(await _respond(provider, self._errand.request))
        finally:
            duration_us = (time.monotonic_ns() - begun) // 1000
            window.purse.settle(reservation, self._configuration, result)
        return Call(await self._scrub(result), attempt, duration_us)

    async def _scrub(self, result: Result) -> Result:
        """Return ``result`` without secrets; a long search is made beside the other calls."""
        if _is_large(result):
            clean = await asyncio.to_thread(scrub_session, result, self._window.vault)
        else:
            clean = scrub_session(result, self._window.vault)
        if isinstance(clean, SessionFailure) and len(clean.detail) > DETAIL_LENGTH_MAX:
            # Only now: cut off before, the beginning of a secret would be no secret any more.
            return replace(clean, detail=clean.detail[:DETAIL_LENGTH_MAX])
        return clean

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
            detail = self._window.vault.scrub_text(describe_error(error))
            failure = fail_malformed(call.result, detail[:DETAIL_LENGTH_MAX])
            return self._draft_call(call._replace(result=failure), make_body), failure

    def _draft_call(self, call: Call, make_body: MakeBody) -> Draft:
        cost = self._window.purse.tariff.charge(self._configuration, call.result.tokens)
        return self._ledger.draft(make_body(call, put_session(self._ledger, call.result, cost)))

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


async def _respond(provider: Provider, request: SessionRequest) -> object:
    """Ask the provider; whatever it raises is a failure, unless it is we who end the program."""
    deadline_s = request.limits.deadline_s + GRACE_S
    guard = asyncio.timeout(deadline_s)
    try:
        async with guard:
            return await provider.respond(request)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return SessionFailure(cause="provider_failed", detail=describe_error(error))
    except BaseException as error:  # noqa: BLE001 - a stranger's code; its fault is an outcome
        if guard.expired():
            detail = f"the provider did not keep its deadline: no end after {deadline_s:,.0f} s"
            return SessionFailure(cause="timed_out", detail=detail)
        return SessionFailure(cause="provider_failed", detail=describe_error(error))


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


def describe_error(error: BaseException) -> str:
    """Return one line about what a stranger's code raised, fit for an event once it is cut."""
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - also its words are a stranger's
        said = "it cannot say what"
    text = f"{type(error).__name__}: {said}"[:ERROR_LENGTH_MAX]
    return " ".join(text.encode("utf-8", "backslashreplace").decode().split())


async def close_providers(respondents: Iterable[Respondent]) -> None:
    """Close what the providers hold open, each once: connections end with their event loop.

    What one of them raises then, or waits for, changes nothing of what is on record.
    """
    providers = {id(respondent.provider): respondent.provider for respondent in respondents}
    for provider in providers.values():
        if isinstance(provider, Closing):
            with contextlib.suppress(Exception):
                async with asyncio.timeout(CLOSE_S):
                    await provider.close()
