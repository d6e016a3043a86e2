"""The engine: each event counts once, whoever folds when, and rebuilt rows are the same bytes."""

import threading
from typing import Any

import pytest

from ledger.digest import compute_digest, pack_digest
from ledger.errors import Damage, StoreUnavailable, UnknownKind
from ledger.events import RunStarted
from ledger.merkle import hash_leaf
from ledger.ports import EventRow, Head
from ledger.projections import INVENTORY, SCORECARD, TRIALS, Keeper
from ledger.projections import engine as engine_module
from ledger.projections.engine import PROJECTIONS
from ledger.projections.inventory import InventoryProjection
from tests.ledger.ledgers import MemoryHome, SqlHome
from tests.ledger.projections.stories import append_story
from tests.ledger.projections.test_folds import fold
from tests.ledger.stores.sqlite import run_bare

BATCH = 7


@pytest.fixture(params=["memory", "sqlite"])
def home(request, tmp_path):
    if request.param == "memory":
        yield MemoryHome()
    else:
        home = SqlHome(tmp_path)
        yield home
        home.database.engine.dispose()


@pytest.fixture
def ledger(home, monkeypatch):
    monkeypatch.setattr(engine_module, "BATCH_EVENTS", BATCH)
    with home.open() as ledger:
        append_story(ledger, 1)
        yield ledger


@pytest.fixture
def keeper(ledger, home):
    return Keeper(ledger, home.projections)


def kept(home):
    """Return every row of every projection, and how far each has read."""
    store = home.projections
    return {p.name: (store.position(p.name), list(store.rows(p.name))) for p in PROJECTIONS}


def folded(ledger):
    """Return what ``kept`` should be, folded in one step from nothing."""
    entries = list(ledger.read())
    rows = {p.name: sorted(fold(p, entries).items()) for p in PROJECTIONS}
    return {p.name: ((p.version, len(entries)), rows[p.name]) for p in PROJECTIONS}


# Live and rebuilt


def test_rows_kept_live_are_those_folded_from_nothing(home, ledger, keeper):
    for seed in range(2, 5):
        append_story(ledger, seed)
        assert keeper.catch_up() == ledger.head().size
        assert kept(home) == folded(ledger)


def test_rebuilt_rows_are_the_same_bytes(home, ledger, keeper):
    keeper.catch_up()
    before = kept(home)
    positions: list[int] = []
    assert keeper.rebuild(positions.append) == ledger.head().size
    assert kept(home) == before
    assert positions == [*range(BATCH, ledger.head().size, BATCH), ledger.head().size]


def test_catching_up_with_nothing_new_writes_nothing(ledger, keeper):
    keeper.catch_up()
    positions: list[int] = []
    keeper.catch_up(positions.append)
    assert positions == []


def test_states_are_read_by_key_and_in_order(ledger, keeper):
    append_story(ledger, 2)
    runs = [e.address for e in ledger.read() if isinstance(e.event.body, RunStarted)]
    assert [state.run for state in keeper.scan(INVENTORY)] == sorted(runs)
    assert [keeper.get(INVENTORY, run).run for run in runs] == runs
    assert {trial.run for trial in keeper.scan(TRIALS, f"{runs[0]}/")} == {runs[0]}
    assert keeper.get(INVENTORY, "nothing") is None
    assert list(keeper.scan(TRIALS, "nothing")) == []


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.name)
def test_a_state_as_of_a_position_is_what_it_was_then(home, ledger, keeper, projection):
    entries = list(ledger.read())
    keys = list(fold(projection, entries))[:3]
    for position in range(0, len(entries) + 1, 5):
        then = fold(projection, entries[:position])
        for key in keys:
            expected = projection.decode(then[key]) if key in then else None
            assert keeper.get_as_of(projection, key, position) == expected


# Several at once


def test_two_keepers_at_once_count_each_event_once(home, ledger):
    def keep():
        while not done.is_set():
            Keeper(ledger, home.projections).catch_up()

    done = threading.Event()
    threads = [threading.Thread(target=keep) for _ in range(2)]
    for thread in threads:
        thread.start()
    for seed in range(10, 30):
        append_story(ledger, seed)
    done.set()
    for thread in threads:
        thread.join()
    Keeper(ledger, home.projections).catch_up()
    assert kept(home) == folded(ledger)


class Between:
    """A store, or a ledger, with something else happening once before or after a method."""

    def __init__(self, inner, method, action, *, after=False):
        self._inner = inner
        self._method = method
        self._actions = [action]
        self._after = after

    def __getattr__(self, name):
        value = getattr(self._inner, name)
        return value if name != self._method else self._wrap(value)

    def _wrap(self, method):
        def run(*args):
            if self._after:
                result = method(*args)
                self._act()
                return result
            self._act()
            return method(*args)

        return run

    def _act(self):
        if self._actions:
            self._actions.pop()()


def test_a_keeper_that_was_overtaken_starts_again_from_what_is_kept(home, ledger, keeper):
    store = Between(home.projections, "save", keeper.catch_up)
    Keeper(ledger, store).catch_up()
    assert kept(home) == folded(ledger)


def test_a_rebuild_in_the_midst_of_another_keeper_loses_nothing(home, ledger, keeper):
    keeper.catch_up()
    append_story(ledger, 2)
    Keeper(ledger, Between(home.projections, "save", keeper.rebuild)).catch_up()
    assert kept(home) == folded(ledger)


def test_events_that_came_and_were_folded_meanwhile_are_no_older_log(home, ledger, keeper):
    def overtake():
        append_story(ledger, 2)
        keeper.catch_up()

    slow: Any = Between(ledger, "head", overtake, after=True)
    Keeper(slow, home.projections).catch_up()
    assert kept(home) == folded(ledger)


def test_an_older_log_under_newer_rows_is_told(home, ledger, keeper):
    keeper.catch_up()
    with MemoryHome().open() as older:
        append_story(older, 1, runs=1)
        with pytest.raises(Damage, match="an older copy of the log was put back"):
            Keeper(older, home.projections).catch_up()


# Interruptions


def test_rows_and_positions_stand_as_before_a_save_that_failed(home, ledger, keeper):
    def fail():
        raise StoreUnavailable("fault")

    append_story(ledger, 2)
    Keeper(ledger, home.projections).catch_up()
    before = kept(home)
    append_story(ledger, 3)
    with pytest.raises(StoreUnavailable, match="fault"):
        Keeper(ledger, Between(home.projections, "save", fail)).catch_up()
    assert kept(home) == before
    keeper.catch_up()
    assert kept(home) == folded(ledger)


class NextInventory(InventoryProjection):
    """The same fold under a newer version, with other keys."""

    version = 2

    def key(self, entry):
        return f"new/{super().key(entry)}"


def test_a_newer_version_folds_from_the_beginning_and_leaves_no_old_row(home, ledger, keeper):
    keeper.catch_up()
    projection = NextInventory()
    newer = Keeper(ledger, home.projections, [projection])
    assert newer.catch_up() == ledger.head().size
    rows = dict(home.projections.rows("inventory"))
    assert rows == fold(projection, list(ledger.read()))
    assert home.projections.position("inventory") == (2, ledger.head().size)
    assert home.projections.position("scorecard") == (1, ledger.head().size)


def test_a_projection_that_is_new_catches_up_beside_the_old_ones(home, ledger):
    Keeper(ledger, home.projections, PROJECTIONS[:2]).catch_up()
    append_story(ledger, 2)
    Keeper(ledger, home.projections).catch_up()
    assert kept(home) == folded(ledger)


def append_poison(home, data):
    """Put an event into the log past the codec, as a newer program would."""
    with home.records.begin() as transaction:
        head = transaction.head
        address = pack_digest(compute_digest(data))
        row = EventRow(head.size, address, hash_leaf(data), data)
        transaction.insert(events=[row], artifacts=[], tiles=[])
        transaction.set_head(Head(head.size + 1, bytes(32), head.frontier))
    return head.size


def test_an_event_that_cannot_be_read_names_itself(home, ledger, keeper):
    keeper.catch_up()
    before = kept(home)
    data = b'{"actor":"a","at":"2026-11-30T12:00:00.000000Z","body":{},"kind":"run.paused","v":1}'
    position = append_poison(home, data)
    with pytest.raises(UnknownKind, match=rf"event {position}: run.paused v1 .*stop before it"):
        keeper.catch_up()
    assert kept(home) == before


# Damaged rows (SQLite)


@pytest.fixture
def sql(tmp_path):
    home = SqlHome(tmp_path)
    with home.open() as ledger:
        append_story(ledger, 1)
        keeper = Keeper(ledger, home.projections)
        keeper.catch_up()
        yield home, keeper
    home.database.engine.dispose()


DAMAGES = [
    "UPDATE projection_row SET value = x'00'",
    "UPDATE projection_row SET value = substr(value, 2)",
    "UPDATE projection_row SET key = key || 'x'",
    "UPDATE projection SET position = 3",
    "UPDATE projection SET position = 999999",
    "UPDATE projection SET version = 0",
    "DELETE FROM projection_row",
    "DELETE FROM projection",
    "DROP TABLE projection",
    "DROP TABLE projection_row",
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_rebuilding_mends_any_damage_of_the_rows(sql, damage):
    home, keeper = sql
    before = kept(home)
    run_bare(home.path, damage)
    keeper.rebuild()
    assert kept(home) == before


@pytest.mark.parametrize("damage", [DAMAGES[0], DAMAGES[1], DAMAGES[8], DAMAGES[9]])
def test_damaged_rows_are_told_with_the_command_that_mends_them(sql, damage):
    home, keeper = sql
    run_bare(home.path, damage)
    with pytest.raises(Damage, match="verdict rebuild"):
        list(keeper.scan(SCORECARD))


def test_the_kinds_that_are_read_are_kinds_of_the_registry():
    for projection in PROJECTIONS:
        assert projection.openers <= projection.kinds
        assert all(isinstance(kind.KIND, str) for kind in projection.kinds)
    assert len({projection.name for projection in PROJECTIONS}) == len(PROJECTIONS)
