"""Keeps projections: catches up, rebuilds, and answers as of a position.

Rows and the position up to which they were folded change in one transaction, and only if nobody
else moved the position meanwhile; so a row counts every event once, whoever is killed when.
"""

import gc
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ledger.errors import Damage, MalformedEvent
from ledger.events import Entry
from ledger.log import Ledger
from ledger.ports import Change, ProjectionStore
from ledger.projections.answers import ANSWERS
from ledger.projections.diagnoses import DIAGNOSES
from ledger.projections.inventory import INVENTORY
from ledger.projections.projection import Projection, State
from ledger.projections.scorecard import SCORECARD
from ledger.projections.trials import TRIALS
from ledger.projections.verdicts import VERDICTS

PROJECTIONS: tuple[Projection[Any], ...] = (
    INVENTORY,
    TRIALS,
    VERDICTS,
    ANSWERS,
    DIAGNOSES,
    SCORECARD,
)
"""All that are kept, written out; a new one is entered here."""

BATCH_EVENTS = 4_000
"""Events folded between two writes; each is some 4 KB while it is held."""
LONG_WAY = 80_000
"""Events from which on larger steps are taken, as in a rebuild: a tenth faster, 25 MB more."""
LONG_BATCH_EVENTS = 10_000
CACHED_STATES = 10_000
"""States of each projection held in memory between batches."""


class Folding:
    """Folds one projection into the rows of a store, a batch at a time."""

    def __init__(self, projection: Projection[Any], store: ProjectionStore, position: int) -> None:
        """Go on from ``position``, the next one to fold."""
        self._projection = projection
        self._store = store
        self._position = position
        self._cache: OrderedDict[str, Any] = OrderedDict()

    def fold(self, entries: Sequence[Entry], position: int) -> Change:
        """Return what ``entries`` change; nothing is written.

        Args:
            entries: in order; those that the projection does not read, or has read, pass by.
            position: the next one to fold afterwards.
        """
        projection, kinds, key_of = self._projection, self._projection.kinds, self._projection.key
        by_key: defaultdict[str, list[Entry]] = defaultdict(list)
        if entries and entries[0].position < self._position:
            entries = [entry for entry in entries if entry.position >= self._position]
        for entry in entries:
            if type(entry.event.body) in kinds:
                by_key[key_of(entry)].append(entry)
        self._load(
            key
            for key, some in by_key.items()
            if type(some[0].event.body) not in projection.openers
        )
        touched: dict[str, Any] = {}
        for key, some in by_key.items():
            state = _fold_key(projection, self._cache.get(key), some)
            if state is not None:
                touched[key] = state
        rows = {key: projection.encode(state) for key, state in touched.items()}
        change = Change(projection.name, projection.version, self._position, position, rows)
        self._remember(touched)
        self._position = position
        return change

    def _load(self, keys: Iterable[str]) -> None:
        unknown = sorted(key for key in keys if key not in self._cache)
        if unknown:
            for key, row in self._store.load(self._projection.name, unknown).items():
                self._cache[key] = self._projection.decode(row)

    def _remember(self, touched: dict[str, Any]) -> None:
        for key, state in touched.items():
            self._cache[key] = state
            self._cache.move_to_end(key)
        while len(self._cache) > CACHED_STATES:
            self._cache.popitem(last=False)


class Keeper:
    """The projections of one ledger, kept in one store."""

    def __init__(
        self,
        ledger: Ledger,
        store: ProjectionStore,
        projections: Sequence[Projection[Any]] = PROJECTIONS,
    ) -> None:
        """Take the ledger to read and the store to keep rows in."""
        self._ledger = ledger
        self._store = store
        self._projections = projections

    def catch_up(self, tell: Callable[[int], None] = lambda _: None) -> int:
        """Fold what is new; return the position up to which everything is folded.

        Args:
            tell: is told the position after each batch.

        Raises:
            MalformedEvent: an event cannot be read; its position is named, and rows stand as
                of the batch before it.
        """
        with _without_cycle_search():
            while not self._catch_up_once(tell):
                pass
        return min(self._position(projection) for projection in self._projections)

    def rebuild(self, tell: Callable[[int], None] = lambda _: None) -> int:
        """Throw all rows away and fold the log from its beginning."""
        self._store.clear_all()
        return self.catch_up(tell)

    def get(self, projection: Projection[State], key: str) -> State | None:
        """Return the state of ``key``, folded up to now, ``None`` where there is none."""
        self.catch_up()
        row = self._store.load(projection.name, [key]).get(key)
        return None if row is None else projection.decode(row)

    def scan(self, projection: Projection[State], prefix: str = "") -> Iterator[State]:
        """Yield the states whose key begins with ``prefix``, in order of key, folded up to now."""
        self.catch_up()
        for _, row in self._store.rows(projection.name, prefix):
            yield projection.decode(row)

    def get_as_of(self, projection: Projection[State], key: str, position: int) -> State | None:
        """Return the state of ``key`` from the events before ``position`` alone."""
        state: State | None = None
        for entry in self._ledger.read(0, position):
            if type(entry.event.body) in projection.kinds and projection.key(entry) == key:
                state = _fold_key(projection, state, [entry])
        return state

    def _position(self, projection: Projection[Any]) -> int:
        kept = self._store.position(projection.name)
        if kept is None:
            return 0
        version, position = kept
        if version != projection.version:
            self._store.clear(projection.name)
            return 0
        return position

    def _catch_up_once(self, tell: Callable[[int], None]) -> bool:
        """Fold up to the head; return whether nobody else folded meanwhile."""
        # The positions first: somebody else may append and fold between the two reads.
        starts = {p.name: self._position(p) for p in self._projections}
        size = self._ledger.head().size
        if any(start > size for start in starts.values()):
            raise Damage(
                f"projections have read {max(starts.values()):,} events and the log has {size:,}: "
                "an older copy of the log was put back; see 'verdict verify'"
            )
        folds = [(p, Folding(p, self._store, starts[p.name])) for p in self._projections]
        first = min(starts.values())
        step = LONG_BATCH_EVENTS if size - first >= LONG_WAY else BATCH_EVENTS
        for start in range(first, size, step):
            stop = min(start + step, size)
            entries = read_entries(self._ledger, start, stop)
            present = {type(entry.event.body) for entry in entries}
            changes = [
                folding.fold([] if projection.kinds.isdisjoint(present) else entries, stop)
                for projection, folding in folds
                if starts[projection.name] < stop
            ]
            if not self._store.save(changes):
                return False
            tell(stop)
        return True


def _fold_key(
    projection: Projection[State], state: State | None, entries: Sequence[Entry]
) -> State | None:
    """Return the state of a key after ``entries``, ``None`` where it was never begun.

    The log takes any event that names earlier ones, and what it took is there for good: an event
    whose key no opener began passes by, and a further opener begins the key anew. So a row
    depends neither on the batches nor on what is held in memory.
    """
    openers = projection.openers
    for at in range(len(entries) - 1, -1, -1):
        if type(entries[at].event.body) in openers:
            return projection.fold(None, entries[at:])
    return None if state is None else projection.fold(state, entries)


@contextmanager
def _without_cycle_search() -> Iterator[None]:
    """Spare the search for garbage cycles, a fifth of the time: a batch of events has none."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def read_entries(ledger: Ledger, start: int, stop: int) -> list[Entry]:
    """Return the events at positions start … stop - 1 as a list.

    Raises:
        MalformedEvent: one cannot be read; its position is named.
    """
    entries: list[Entry] = []
    try:
        entries.extend(ledger.read(start, stop))
    except MalformedEvent as error:
        place = start + len(entries)
        raise type(error)(f"event {place:,}: {error}; projections stop before it") from error
    return entries
