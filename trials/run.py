"""Runs: the plan is recorded, then each trial is asked and what came is recorded with its bytes.

1. ``start_run`` records suite, configuration and plan in one batch, before any answer;
2. a trial's start is recorded before its question goes out, its outcome after the bytes came;
3. whoever is killed when: ``resume_run`` goes on with the slots that have no outcome; a slot that
   was started keeps its trial, so that none is counted twice.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ledger.artifact import JSON, JSONL, OCTETS, encode_text
from ledger.digest import Digest, compute_digest
from ledger.errors import (
    Busy,
    Damage,
    FaultyInput,
    LedgerError,
    StoreUnavailable,
    UnknownAddress,
)
from ledger.events import (
    Body,
    RunCompleted,
    RunStarted,
    SuiteRegistered,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
)
from ledger.log import Ledger
from ledger.projections import INVENTORY, SCORECARD, TRIALS, Inventory, Keeper, TrialState
from ledger.writer import Draft
from providers import InputFile, Provider, SessionFailure, SessionRequest, SessionResult, TrialPlace
from trials.plan import PlannedTrial, format_plan, parse_plan, plan_trials
from trials.sessions import WHOLE, put_session
from trials.suite import (
    Case,
    Configuration,
    Suite,
    Variant,
    compose_prompt,
    format_configuration,
    format_manifest,
    suite_artifacts,
)

CONCURRENCY = 32
"""Trials under way at a time; the recorder groups their events into common commits."""

Result = SessionResult | SessionFailure
"""What a provider returns."""

Tell = Callable[[int, int], None]
"""Is told how many of how many are done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A recorded run: its address, the suite's event, and what it was made of."""

    address: Digest
    suite_event: Digest
    suite: Suite
    configuration: Configuration
    plan: list[PlannedTrial]


def start_run(
    ledger: Ledger, suite: Suite, configuration: Configuration, *, variants: Collection[str] = ()
) -> Run:
    """Record suite, configuration and plan, and return the run that they begin.

    Args:
        ledger: records.
        suite: the examination.
        configuration: what is under test.
        variants: names of the variants to be tried; all by default.

    Raises:
        FaultyInput: the suite has no variant of some name.
    """
    plan = plan_trials(suite, variants)
    registered = draft_suite(ledger, suite)
    files = [
        ledger.put(file.data, media=JSONL if file.path.endswith(".jsonl") else OCTETS)
        for file in configuration.files
    ]
    started = ledger.draft(
        RunStarted(
            suite=registered.address,
            configuration=ledger.put(format_configuration(configuration), media=JSON),
            configuration_name=configuration.name,
            provider=configuration.provider,
            model=configuration.model,
            effort=configuration.effort,
            tools=configuration.tools,
            plan=ledger.put(format_plan(plan), media=JSON),
            planned=len(plan),
            seed=0,
            order=ledger.put(format_plan(plan), media=JSON),
            inputs=ledger.put_listing(files),
        )
    )
    ledger.append([registered, started])
    return Run(
        address=started.address,
        suite_event=registered.address,
        suite=suite,
        configuration=configuration,
        plan=plan,
    )


def draft_suite(ledger: Ledger, suite: Suite) -> Draft:
    """Return the event that registers ``suite`` with all its bytes; not recorded yet."""
    artifacts = [ledger.put(data, media=media) for data, media in suite_artifacts(suite)]
    return ledger.draft(
        SuiteRegistered(
            suite_name=suite.name,
            manifest=ledger.put(format_manifest(suite), media=JSON),
            artifacts=ledger.put_listing(artifacts),
        )
    )


def resume_run(ledger: Ledger, address: Digest, suite: Suite, configuration: Configuration) -> Run:
    """Return the recorded run ``address``, to go on with.

    Raises:
        UnknownAddress: it is no run of this ledger.
        FaultyInput: suite or configuration are not those that the run began with.
    """
    body = ledger.find(address).event.body
    if not isinstance(body, RunStarted):
        raise UnknownAddress(f"{address} is a {body.KIND}, not a run")
    registered = ledger.find(body.suite).event.body
    assert isinstance(registered, SuiteRegistered)  # noqa: S101 - what a run names
    faults = []
    if registered.manifest.address != compute_digest(format_manifest(suite)):
        faults.append(f"{suite.name}: the suite has changed since the run began; start a new run")
    if body.configuration.address != compute_digest(format_configuration(configuration)):
        faults.append(
            f"{configuration.name}: the configuration has changed since the run began; start a "
            "new run"
        )
    if faults:
        raise FaultyInput(faults)
    return Run(
        address=address,
        suite_event=body.suite,
        suite=suite,
        configuration=configuration,
        plan=parse_plan(ledger.get(body.plan.address)),
    )


def find_unfinished(
    ledger: Ledger, keeper: Keeper, suite: Suite, configuration: Configuration
) -> Digest | None:
    """Return the newest run of just this suite and configuration that lacks outcomes or verdicts.

    A run lacks verdicts while no grading of it is complete (``trials/grade``).
    """
    graded = {card.run for card in keeper.scan(SCORECARD) if card.is_complete}
    found: Inventory | None = None
    for inventory in keeper.scan(INVENTORY):
        is_newer = found is None or inventory.position > found.position
        if is_newer and inventory.run not in graded:
            try:
                resume_run(ledger, inventory.run, suite, configuration)
            except FaultyInput:
                continue
            found = inventory
    return found.run if found else None


def run_trials(
    run: Run,
    ledger: Ledger,
    keeper: Keeper,
    provider: Provider,
    *,
    concurrency: int = CONCURRENCY,
    tell: Tell = lambda *_: None,
) -> Inventory:
    """Make every planned trial that has no outcome yet, and return the run's inventory.

    Args:
        run: as ``start_run`` or ``resume_run`` returned it.
        ledger: records.
        keeper: knows what is done already.
        provider: answers.
        concurrency: trials under way at a time, 1 or more.
        tell: is told of progress.

    Raises:
        StoreUnavailable: the ledger does not take what came; what it took stands, and the run can
            be resumed.
    """
    engine = _Engine(run, ledger, keeper, provider, tell)
    run_tasks(engine.run(concurrency))
    inventory = keeper.get(INVENTORY, run.address)
    if inventory is None:
        raise Busy(f"run {run.address}: the projections are being folded again; try once more")
    if not inventory.is_complete and inventory.missing == 0:
        completed = RunCompleted(
            run=run.address, completed=inventory.completed, failed=inventory.failed
        )
        ledger.append([ledger.draft(completed)])
        inventory = keeper.get(INVENTORY, run.address) or inventory
    return inventory


def check_reading(keeper: Keeper, run: Digest, states: Sequence[TrialState]) -> None:
    """Refuse to go on from a reading that is not all of the run: a trial would be made twice.

    Raises:
        Busy: the projections changed under the reading, as when they are folded again.
        Damage: the record itself has a trial too many.
    """
    inventory = keeper.get(INVENTORY, run)
    done = sum(state.outcome is not None for state in states)
    if inventory is not None and inventory.missing < 0:
        raise Damage(f"run {run}: {-inventory.missing:,} trials more than were planned")
    counted = inventory and (inventory.started, inventory.completed + inventory.failed)
    if counted != (len(states), done):
        raise Busy(f"run {run}: the projections are being folded again; try once more")


class _Engine:
    """Makes the trials of one run, a bounded number at a time."""

    def __init__(
        self, run: Run, ledger: Ledger, keeper: Keeper, provider: Provider, tell: Tell
    ) -> None:
        self._run = run
        self._ledger = ledger
        self._provider = provider
        self._tell = tell
        self._cases: Mapping[str, Case] = {case.id: case for case in run.suite.cases}
        self._variants: Mapping[str, Variant] = {v.name: v for v in run.suite.variants}
        prefix = f"{run.address}/"
        states = list(keeper.scan(TRIALS, prefix))
        check_reading(keeper, run.address, states)
        self._done = {state.slot for state in states if state.outcome is not None}
        self._begun = {state.slot: state.trial for state in states if state.outcome is None}

    async def run(self, concurrency: int) -> None:
        """Work through the plan."""
        to_do = iter([trial for trial in self._run.plan if trial.slot not in self._done])
        self._tell(len(self._done), len(self._run.plan))
        async with asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(self._work(to_do))

    async def _work(self, to_do: Iterator[PlannedTrial]) -> None:
        for planned in to_do:
            await self._make(planned)
            self._done.add(planned.slot)
            self._tell(len(self._done), len(self._run.plan))

    async def _make(self, planned: PlannedTrial) -> None:
        """Record the start, ask, record the outcome."""
        case = self._cases[planned.case]
        prompt = compose_prompt(self._variants[planned.variant], case)
        trial = self._begun.get(planned.slot) or await self._start(planned, case, prompt)
        request = SessionRequest(
            place=TrialPlace(planned.case, planned.variant, planned.repetition),
            prompt=prompt,
            model=self._run.configuration.model,
            effort=self._run.configuration.effort,
            inputs=tuple(InputFile(name, compute_digest(data), data) for name, data in case.inputs),
            tools=self._run.configuration.tools,
        )
        draft, _ = await ask_provider(
            self._ledger, self._provider, request, partial(self._make_outcome, planned, trial)
        )
        await asyncio.wrap_future(self._ledger.submit([draft]))

    async def _start(self, planned: PlannedTrial, case: Case, prompt: str) -> Digest:
        data, media = encode_text(prompt)
        started = TrialStarted(
            run=self._run.address,
            slot=planned.slot,
            case=planned.case,
            variant=planned.variant,
            repetition=planned.repetition,
            prompt=self._ledger.put(data, media=media),
            system=None,
            inputs=tuple(
                (name, self._ledger.put(content, media=OCTETS)) for name, content in case.inputs
            ),
        )
        return await self._record(started)

    def _make_outcome(
        self,
        planned: PlannedTrial,
        trial: Digest,
        result: SessionResult | SessionFailure,
        duration_us: int,
    ) -> Body:
        recording = put_session(self._ledger, result)
        fields: dict[str, Any] = {
            "run": self._run.address,
            "slot": planned.slot,
            "trial": trial,
            "attempt": 1,
            "duration_us": duration_us,
            **recording.pick(*WHOLE),
        }
        if isinstance(result, SessionFailure):
            return TrialFailed(cause=result.cause, detail=result.detail, **fields)
        data, media = encode_text(result.answer)
        return TrialCompleted(answer=self._ledger.put(data, media=media), **fields)

    async def _record(self, body: Body) -> Digest:
        draft = self._ledger.draft(body)
        await asyncio.wrap_future(self._ledger.submit([draft]))
        return draft.address


def run_tasks(main: Coroutine[object, object, None]) -> None:
    """Run ``main`` to its end; of the faults of its tasks the first one is raised, by itself.

    It stops all tasks; the others are its consequences.
    """
    try:
        asyncio.run(main)
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from group


async def ask_provider(
    ledger: Ledger,
    provider: Provider,
    request: SessionRequest,
    make_body: Callable[[Result, int], Body],
) -> tuple[Draft, Result]:
    """Send ``request``; return the event that records what came, and what it counts as.

    A call that raises is a failure, however it does. So is a result that no event can hold; its
    bytes are kept.

    Args:
        ledger: drafts the event; it is not recorded yet.
        provider: answers.
        request: to be sent.
        make_body: from what came and how long it took, in microseconds, to the event's body.
    """
    result: Result
    begun = time.monotonic_ns()
    try:
        result = await provider.respond(request)
    except Exception as error:  # noqa: BLE001 - a stranger's code; its fault is an outcome
        result = SessionFailure(cause="provider_failed", detail=describe_error(error))
    duration_us = (time.monotonic_ns() - begun) // 1000
    try:
        return ledger.draft(make_body(result, duration_us)), result
    except StoreUnavailable:
        raise
    except (LedgerError, AttributeError, TypeError, ValueError) as error:
        failure = _fail_malformed(result, error)
        return ledger.draft(make_body(failure, duration_us)), failure


def _fail_malformed(result: object, error: Exception) -> SessionFailure:
    response = getattr(result, "response", None)
    return SessionFailure(
        cause="provider_malformed",
        detail=describe_error(error),
        response=response if isinstance(response, bytes) else None,
    )


def describe_error(error: Exception) -> str:
    """Return one short line about what a stranger's code raised, fit for an event."""
    text = f"{type(error).__name__}: {error}"[:400]
    return " ".join(text.encode("utf-8", "backslashreplace").decode().split())
