"""The whole verification: its parts in order, and the processes among which they are spread."""

import gc
import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from ledger.checkpoint import Verifier, format_verifier, open_note, parse_verifier
from ledger.errors import InvalidProof, LedgerError
from ledger.ports import BlobStore, ProjectionStore, RecordStore
from ledger.verify.artifacts import check_artifacts
from ledger.verify.events import Checked, check_events
from ledger.verify.findings import Finding, Outcome, Tally, damage
from ledger.verify.projections import check_projections
from ledger.verify.tree import TreeCheck

RANGE_EVENTS = 10_000
"""Events that one task checks."""
WORKERS_MAX = 2
"""Processes beside this one; each holds about 90 MB, and a verification stays below 300 MB."""
SPREAD_EVENTS = 50_000
"""Below so many events another process costs more than it brings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """What is verified.

    Attributes:
        scratch: an empty store into which projections are folded again.
        read_last_signed: returns the note remembered outside the database, ``None`` if there is
            none.
        verifier: the public half of the signing key, or the database's word for it.
        has_key: whether the signing key is here; a copy for somebody else does without.
        key_fault: what is the matter with the signing key, ``None`` if nothing.
    """

    records: RecordStore
    blobs: BlobStore
    projections: ProjectionStore
    scratch: ProjectionStore
    read_last_signed: Callable[[], str | None]
    verifier: Verifier
    has_key: bool
    key_fault: str | None


Result = TypeVar("Result")

Open = Callable[[], AbstractContextManager[Stores]]
"""Opens the stores, in this process or another: it has to be picklable."""


def verify_ledger(
    open_stores: Open, tally: Tally, tell: Callable[[int, int], None] = lambda *_: None
) -> Iterator[Finding]:
    """Yield every finding.

    Args:
        open_stores: opens the ledger to be verified.
        tally: counted up as things are checked.
        tell: is told how many events are checked, and of how many.
    """
    with (
        open_stores() as stores,
        _hold_state(stores) as state,
        _open_workers(open_stores, stores, state.size) as workers,
    ):
        run = _Run(stores, state, workers, tally, tell)
        known: set[str] = set()
        for part in run.parts():
            try:
                for finding in part():
                    if _is_news(finding, known):
                        yield finding
            except Exception as error:  # noqa: BLE001 - damaged rows may raise anything
                what = str(error) if isinstance(error, LedgerError) else repr(error)
                yield Finding(
                    outcome=Outcome.UNFINISHED,
                    where=part.__name__.removeprefix("check_"),
                    what=f"could not be checked: {what}",
                )


class _State(NamedTuple):
    """What is verified: the note that was the last signed one, and the size of the log, then."""

    last_signed: str | None
    size: int


@contextmanager
def _hold_state(stores: Stores) -> Iterator[_State]:
    """Hold one state of the database, and yield what it is.

    Somebody may sign between the two readings; then both are made again.
    """
    while True:
        before = stores.read_last_signed()
        with stores.records.snapshot():
            if stores.read_last_signed() == before:
                yield _State(before, stores.records.head().size)
                return


def _is_news(finding: Finding, known: set[str]) -> bool:
    """Return whether ``finding`` is the first one of its artifact, which many events may name."""
    is_known = finding.where in known
    if finding.where.startswith("artifact "):
        known.add(finding.where)
    return not is_known


class _Workers(Protocol):
    """Runs tasks; a process pool is one."""

    def submit(self, task: Callable[..., Result], /, *arguments: int) -> Future[Result]:
        """Begin a task."""
        ...


class _Here:
    """Runs each task at once, in this process."""

    def submit(self, task: Callable[..., Result], /, *arguments: int) -> Future[Result]:
        """Return a future that is done."""
        future: Future[Result] = Future()
        try:
            future.set_result(task(*arguments))
        except Exception as error:  # noqa: BLE001 - as another process would hand it on
            future.set_exception(error)
        return future


class _Run:
    """One verification under way."""

    def __init__(
        self,
        stores: Stores,
        state: _State,
        workers: _Workers,
        tally: Tally,
        tell: Callable[[int, int], None],
    ) -> None:
        self._stores = stores
        self._last_signed = state.last_signed
        self._size = state.size
        self._workers = workers
        self._tally = tally
        self._tell = tell
        self._redactions: dict[bytes, int] = {}
        self._listings: set[bytes] = set()
        self._projections = workers.submit(_check_projections)

    def parts(self) -> tuple[Callable[[], Iterator[Finding]], ...]:
        """Return the parts in order; one that cannot be finished does not keep the next back."""
        return (
            self.check_key,
            self.check_storage,
            self.check_log,
            self.check_artifacts,
            self.check_projections,
        )

    def check_storage(self) -> Iterator[Finding]:
        """Check what lies below the rows."""
        for fault in self._stores.records.check_storage():
            yield damage("database", fault)

    def check_key(self) -> Iterator[Finding]:
        """Check that the signing key is the one that the log was made with."""
        stores = self._stores
        if not stores.has_key:
            what = "it is not here: nothing can be signed; what was signed is checked all the same"
            yield Finding(outcome=Outcome.UNKNOWN, where="signing key", what=what)
        elif stores.key_fault is not None:
            yield damage("signing key", stores.key_fault)
            return
        named = stores.records.verifier()
        try:
            parse_verifier(named)
        except InvalidProof as error:
            yield damage("public key", str(error))
            return
        if named != format_verifier(stores.verifier):
            yield damage("signing key", "it is not the key that the log names as its own")

    def check_log(self) -> Iterator[Finding]:
        """Check the events, the tree over them, and what was signed of it."""
        stores, tally = self._stores, self._tally
        tree = TreeCheck(
            stores.records, _pick_verifier(stores, self._last_signed), self._last_signed, tally
        )
        for checked in self._check_ranges():
            yield from checked.findings
            yield from tree.push(checked.leaves)
            self._redactions.update(checked.redactions)
            self._listings.update(checked.listings)
            tally.events += checked.events
            self._tell(tally.events, self._size)
        yield from tree.check_tiles()
        yield from tree.check_head(stores.records.head())
        yield from tree.check_statements()

    def check_artifacts(self) -> Iterator[Finding]:
        """Check the artifacts."""
        stores = self._stores
        yield from check_artifacts(
            stores.records, stores.blobs, self._redactions, self._listings, self._tally
        )

    def check_projections(self) -> Iterator[Finding]:
        """Check the projections."""
        findings, rows = self._projections.result()
        self._tally.projection_rows += rows
        yield from findings

    def _check_ranges(self) -> Iterator[Checked]:
        """Yield the ranges of the log in order; a few are under way at a time."""
        starts = iter(range(0, self._size, RANGE_EVENTS))
        under_way: list[Future[Checked]] = []
        while True:
            while (
                len(under_way) < _worker_count() + 1 and (start := next(starts, None)) is not None
            ):
                stop = min(start + RANGE_EVENTS, self._size)
                under_way.append(self._workers.submit(_check_events, start, stop))
            if not under_way:
                return
            yield under_way.pop(0).result()


def _pick_verifier(stores: Stores, last_signed: str | None) -> Verifier:
    """Return the key that reads the notes: of two that differ, the one that signed last.

    ``_Run.check_key`` says that they differ; the notes are not to be blamed for it as well.
    """
    try:
        named = parse_verifier(stores.records.verifier())
        open_note(last_signed or "", named)
    except InvalidProof:
        return stores.verifier
    return named


_stores: Stores | None = None
"""What the tasks of this process work on; set once, before the first of them."""
_opened: AbstractContextManager[Stores] | None = None


@contextmanager
def _open_workers(open_stores: Open, stores: Stores, size: int) -> Iterator[_Workers]:
    """Return what runs tasks: other processes for a long log, this one for a short."""
    if size < SPREAD_EVENTS or _cores() == 1:
        _use(stores)
        yield _Here()
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        _worker_count(), mp_context=context, initializer=_start, initargs=(open_stores,)
    ) as executor:
        yield executor


def _worker_count() -> int:
    return min(_cores(), WORKERS_MAX)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _use(stores: Stores) -> None:
    global _stores  # noqa: PLW0603 - a process pool has no other place for what its tasks share
    _stores = stores


def _start(open_stores: Open) -> None:
    """Prepare a worker process."""
    global _opened  # noqa: PLW0603 - as above; held so that it stays open
    gc.disable()  # a task makes no cycles, and the search for them takes a fifth of the time
    _opened = open_stores()
    _use(_opened.__enter__())


def _check_events(start: int, stop: int) -> Checked:
    assert _stores is not None  # noqa: S101 - set by the initializer
    return check_events(_stores.records, start, stop)


def _check_projections() -> tuple[list[Finding], int]:
    assert _stores is not None  # noqa: S101 - set by the initializer
    with _stores.records.snapshot():
        return check_projections(_stores.records, _stores.projections, _stores.scratch)
