"""The engine: makes the trials of one window, a bounded number at a time; nothing of one is lost.

1. the trials of all runs of the window are begun in its recorded order, those alone that have no
   outcome yet; a slot that was begun before keeps its trial, so that none is counted twice;
2. a trial's start is recorded before its question goes out, its outcome after the bytes came; what
   happens in between is ``trials/attempts``;
3. where the window stops, no further trial is begun and what is in flight is finished;
   ``run.stopped`` says why;
4. a time runs from the slot: waiting for one is no part of it.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ledger.artifact import OCTETS, ArtifactRef, encode_text
from ledger.digest import Digest
from ledger.errors import Busy, Damage
from ledger.events import (
    Body,
    RunCompleted,
    RunStopped,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
)
from ledger.log import Ledger
from ledger.projections import INVENTORY, TRIALS, Inventory, Keeper
from providers import InputFile, Provider, SessionFailure, SessionRequest, TrialPlace
from trials.attempts import Begun, Call, Errand, answer_errand, close_providers, count_attempts
from trials.order import Turn
from trials.plan import PlannedTrial
from trials.run import Run
from trials.sessions import WHOLE, Recording
from trials.stop import Stop, Stopped
from trials.suite import Case, Variant, compose_prompt
from trials.window import Respondent, Window

CONCURRENCY = 32
"""Trials under way at a time; the recorder groups their events into common commits."""

Tell = Callable[[int, int], None]
"""Is told how many of how many are done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One run of a window, and who answers its trials."""

    run: Run
    respondent: Respondent


def run_trials(
    run: Run,
    ledger: Ledger,
    keeper: Keeper,
    provider: Provider,
    *,
    window: Window | None = None,
    concurrency: int = CONCURRENCY,
    tell: Tell = lambda *_: None,
) -> Inventory:
    """Make every trial of ``run`` that has no outcome yet; as ``run_window``."""
    respondent = Respondent(configuration=run.configuration, provider=provider)
    (inventory,) = run_window(
        [Lane(run=run, respondent=respondent)],
        ledger,
        keeper,
        window=window or Window(),
        concurrency=concurrency,
        tell=tell,
    )
    return inventory


def run_window(
    lanes: Sequence[Lane],
    ledger: Ledger,
    keeper: Keeper,
    *,
    window: Window,
    concurrency: int = CONCURRENCY,
    tell: Tell = lambda *_: None,
) -> list[Inventory]:
    """Make every planned trial that has no outcome yet, and return the inventory of each run.

    Args:
        lanes: the runs, as ``start_runs`` or ``resume_run`` returned them.
        ledger: records.
        keeper: knows what is done already.
        window: what their calls share; where it stops, the runs are left to be resumed.
        concurrency: trials under way at a time, 1 or more.
        tell: is told of progress.

    Raises:
        StoreUnavailable: the ledger does not take what came; what it took stands, and the run can
            be resumed.
    """
    engine = _Engine(lanes, ledger, keeper, window, tell)
    run_tasks(engine.run(concurrency), window.stop)
    return [_close_run(lane.run, ledger, keeper, window) for lane in lanes]


def _close_run(run: Run, ledger: Ledger, keeper: Keeper, window: Window) -> Inventory:
    """Record that ``run`` has all its outcomes, or why work on it ends without."""
    inventory = keeper.get(INVENTORY, run.address)
    if inventory is None:
        raise Busy(f"run {run.address}: the projections are being folded again; try once more")
    if inventory.missing > 0 and window.stop.cause is not None:
        stopped = RunStopped(
            run=run.address, grading=None, cause=window.stop.cause, detail=window.stop.detail
        )
        ledger.append([ledger.draft(stopped)])
    if not inventory.is_complete and inventory.missing == 0:
        completed = RunCompleted(
            run=run.address, completed=inventory.completed, failed=inventory.failed
        )
        ledger.append([ledger.draft(completed)])
        inventory = keeper.get(INVENTORY, run.address) or inventory
    return inventory


def check_reading(keeper: Keeper, run: Digest, started: int, done: int) -> None:
    """Refuse to go on from a reading that is not all of the run: a trial would be made twice.

    Args:
        keeper: knows better.
        run: its address.
        started: trials that were read.
        done: those of them that have an outcome.

    Raises:
        Busy: the projections changed under the reading, as when they are folded again.
        Damage: the record itself has a trial too many.
    """
    inventory = keeper.get(INVENTORY, run)
    if inventory is not None and inventory.missing < 0:
        raise Damage(f"run {run}: {-inventory.missing:,} trials more than were planned")
    counted = inventory and (inventory.started, inventory.completed + inventory.failed)
    if counted != (started, done):
        raise Busy(f"run {run}: the projections are being folded again; try once more")


class _Progress:
    """What of one run is done, and what was begun."""

    def __init__(self, run: Run, ledger: Ledger, keeper: Keeper) -> None:
        self.done: set[int] = set()
        self.begun: dict[int, Begun] = {}
        self.has_answered = False
        for state in keeper.scan(TRIALS, f"{run.address}/"):
            if state.outcome is not None:
                self.done.add(state.slot)
                self.has_answered = self.has_answered or state.answer is not None
            else:
                self.begun[state.slot] = Begun(state.trial)
        check_reading(keeper, run.address, len(self.done) + len(self.begun), len(self.done))
        if self.begun:
            subjects = {begun.subject: begun for begun in self.begun.values()}
            count_attempts(ledger, run.address, subjects)


class _Engine:
    """Makes the trials of one window."""

    def __init__(
        self, lanes: Sequence[Lane], ledger: Ledger, keeper: Keeper, window: Window, tell: Tell
    ) -> None:
        self._lanes = lanes
        self._ledger = ledger
        self._window = window
        self._tell = tell
        self._cases: Mapping[str, Case] = {c.id: c for lane in lanes for c in lane.run.suite.cases}
        self._variants: Mapping[str, Variant] = {
            v.name: v for lane in lanes for v in lane.run.suite.variants
        }
        self._inputs: dict[str, tuple[tuple[str, ArtifactRef], ...]] = {}
        self._progress = [_Progress(lane.run, ledger, keeper) for lane in lanes]
        window.reached.update(
            lane.run.address
            for lane, progress in zip(lanes, self._progress, strict=True)
            if progress.has_answered
        )
        self._planned = sum(len(lane.run.plan) for lane in lanes)
        self._done = sum(len(progress.done) for progress in self._progress)

    async def run(self, concurrency: int) -> None:
        """Work through the order."""
        turns = self._list_turns()
        self._tell(self._done, self._planned)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(concurrency):
                    group.create_task(self._work(turns))
        finally:
            await close_providers(lane.respondent for lane in self._lanes)

    def _list_turns(self) -> Iterator[Turn]:
        """Yield what is left, in the order of the window in which the runs were started.

        Runs of several windows that are resumed together follow one another.
        """
        for order in dict.fromkeys(lane.run.order for lane in self._lanes):
            indexes = {
                lane.run.lane: index
                for index, lane in enumerate(self._lanes)
                if lane.run.order == order
            }
            for turn in order.turns:
                index = indexes.get(turn.lane)
                if index is not None and turn.slot not in self._progress[index].done:
                    yield Turn(index, turn.slot)

    async def _work(self, turns: Iterator[Turn]) -> None:
        for turn in turns:
            try:
                self._window.stop.check()
                await self._make(turn)
            except Stopped:
                return
            self._done += 1
            self._tell(self._done, self._planned)

    async def _make(self, turn: Turn) -> None:
        """Record the start, ask, record the outcome."""
        lane = self._lanes[turn.lane]
        planned = lane.run.plan[turn.slot]
        prompt = compose_prompt(self._variants[planned.variant], self._cases[planned.case])
        begun = self._progress[turn.lane].begun.get(turn.slot)
        is_reopened = begun is not None
        if begun is None:
            started = self._describe_start(lane.run, planned, prompt)
            begun = Begun(await self._record(started))
        errand = Errand(
            run=lane.run.address,
            subject=begun.subject,
            respondent=lane.respondent,
            request=self._make_request(lane.run, planned, prompt),
            attempts=begun.attempts,
            failed=begun.failed,
            is_reopened=is_reopened,
            place=lane.run.address,
        )
        describe = partial(self._describe_outcome, errand, planned)
        draft, _ = await answer_errand(self._window, self._ledger, errand, describe)
        await asyncio.wrap_future(self._ledger.submit([draft]))

    def _make_request(self, run: Run, planned: PlannedTrial, prompt: str) -> SessionRequest:
        case, configuration = self._cases[planned.case], run.configuration
        refs = self._put_inputs(case)
        return SessionRequest(
            place=TrialPlace(planned.case, planned.variant, planned.repetition),
            prompt=prompt,
            system=self._variants[planned.variant].system,
            model=configuration.model,
            effort=configuration.effort,
            inputs=tuple(
                InputFile(name, ref.address, data)
                for (name, ref), (_, data) in zip(refs, case.inputs, strict=True)
            ),
            tools=configuration.tools,
            limits=configuration.limits,
        )

    def _describe_start(self, run: Run, planned: PlannedTrial, prompt: str) -> TrialStarted:
        system = self._variants[planned.variant].system
        return TrialStarted(
            run=run.address,
            slot=planned.slot,
            case=planned.case,
            variant=planned.variant,
            repetition=planned.repetition,
            prompt=self._put_text(prompt),
            system=None if system is None else self._put_text(system),
            inputs=self._put_inputs(self._cases[planned.case]),
        )

    def _describe_outcome(
        self, errand: Errand, planned: PlannedTrial, call: Call, recording: Recording
    ) -> Body:
        result = call.result
        fields: dict[str, Any] = {
            "run": errand.run,
            "slot": planned.slot,
            "trial": errand.subject,
            "attempt": call.attempt,
            "duration_us": call.duration_us,
            **recording.pick(*WHOLE),
        }
        if isinstance(result, SessionFailure):
            return TrialFailed(cause=result.cause, detail=result.detail, **fields)
        return TrialCompleted(answer=self._put_text(result.answer), **fields)

    def _put_inputs(self, case: Case) -> tuple[tuple[str, ArtifactRef], ...]:
        """Return the names of a case's files; their bytes are hashed once, not for each trial."""
        refs = self._inputs.get(case.id)
        if refs is None:
            refs = self._inputs[case.id] = tuple(
                (name, self._ledger.put(data, media=OCTETS)) for name, data in case.inputs
            )
        return refs

    def _put_text(self, text: str) -> ArtifactRef:
        data, media = encode_text(text)
        return self._ledger.put(data, media=media)

    async def _record(self, body: Body) -> Digest:
        draft = self._ledger.draft(body)
        await asyncio.wrap_future(self._ledger.submit([draft]))
        return draft.address


def run_tasks(main: Coroutine[object, object, None], stop: Stop) -> None:
    """Run ``main`` to its end; of the faults of its tasks the first one is raised, by itself.

    It stops all tasks; the others are its consequences.

    Raises:
        KeyboardInterrupt: ``stop.abort`` was called.
    """

    async def run() -> None:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None  # noqa: S101 - asyncio runs this in one
        stop.abort = lambda: loop.call_soon_threadsafe(task.cancel)
        try:
            await main
        finally:
            stop.abort = None

    try:
        asyncio.run(run())
    except asyncio.CancelledError as error:
        raise KeyboardInterrupt from error
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from group
