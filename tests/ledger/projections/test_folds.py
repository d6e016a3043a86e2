"""The laws of every fold, over stories that hypothesis picks."""

from collections import defaultdict

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import format_canonical
from ledger.digest import compute_digest
from ledger.errors import Damage
from ledger.events import (
    Entry,
    GradingCompleted,
    GradingStarted,
    RunCompleted,
    RunStarted,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
    VerdictGiven,
)
from ledger.outcomes import Verdict
from ledger.projections import INVENTORY, SCORECARD, TRIALS, VERDICTS, Folding
from ledger.projections import engine as engine_module
from ledger.projections.engine import PROJECTIONS
from ledger.stores.memory import MemoryProjections
from tests.ledger.bodies import event_of
from tests.ledger.projections.stories import REF, entries_of, make

EVERY = pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.name)
SEEDS = st.integers(0, 10_000)


def group(projection, entries):
    """Return the entries that the projection reads, by key."""
    by_key = defaultdict(list)
    for entry in entries:
        if type(entry.event.body) in projection.kinds:
            by_key[projection.key(entry)].append(entry)
    return by_key


def fold(projection, entries, cuts=()):
    """Return the rows after folding with a save at each cut."""
    store = MemoryProjections()
    folding = Folding(projection, store, 0)
    start = 0
    for stop in (*sorted(cuts), len(entries)):
        assert store.save([folding.fold(entries[start:stop], stop)])
        start = stop
    return dict(store.rows(projection.name))


def states(projection, seed):
    """Return entries of a story, and the states that they fold to."""
    entries = entries_of(seed)
    return entries, [projection.decode(row) for row in fold(projection, entries).values()]


def bodies(entries, *kinds):
    return [entry.event.body for entry in entries if isinstance(entry.event.body, kinds)]


# Laws


@EVERY
@given(seed=SEEDS, cut=st.integers(0, 100))
def test_folding_in_one_step_or_in_two_is_the_same(projection, seed, cut):
    for some in group(projection, entries_of(seed)).values():
        at = cut % len(some)
        whole = projection.fold(None, some)
        assert projection.fold(projection.fold(None, some[:at]) if at else None, some[at:]) == whole


@EVERY
@given(seed=SEEDS, cuts=st.lists(st.integers(0, 60), max_size=5))
def test_rows_do_not_depend_on_the_batches(projection, seed, cuts):
    entries = entries_of(seed)
    cuts = [min(cut, len(entries)) for cut in cuts]
    assert fold(projection, entries, cuts) == fold(projection, entries)


@EVERY
@given(seed=SEEDS)
def test_a_row_is_canonical_and_read_back_to_its_state(projection, seed):
    for some in group(projection, entries_of(seed)).values():
        state = projection.fold(None, some)
        row = projection.encode(state)
        assert projection.decode(row) == state
        assert row == format_canonical(orjson.loads(row))


@EVERY
def test_rows_do_not_depend_on_what_is_held_in_memory(projection, monkeypatch):
    entries = entries_of(3, runs=6)
    expected = fold(projection, entries)
    monkeypatch.setattr(engine_module, "CACHED_STATES", 1)
    assert fold(projection, entries, range(0, len(entries), 3)) == expected


@EVERY
@given(seed=SEEDS)
def test_an_opener_comes_first_and_once(projection, seed):
    for some in group(projection, entries_of(seed)).values():
        is_opener = [type(entry.event.body) in projection.openers for entry in some]
        assert is_opener == [True] + [False] * (len(some) - 1)


@EVERY
@pytest.mark.parametrize("row", [b"", b"{}", b"[]", b"\xff", b'{"run":1}', b"null", b"[" * 9_999])
def test_a_row_that_cannot_be_read_names_the_command(projection, row):
    with pytest.raises(Damage, match=f"projection {projection.name}: .*'verdict rebuild'"):
        projection.decode(row)


# What they count


@given(seed=SEEDS)
def test_an_inventory_counts_every_planned_trial(seed):
    entries, found = states(INVENTORY, seed)
    assert {state.run for state in found} == {
        entry.address for entry in entries if isinstance(entry.event.body, RunStarted)
    }
    for state in found:
        assert state.completed + state.failed + state.missing == state.planned
        completed = [b for b in bodies(entries, TrialCompleted) if b.run == state.run]
        failed = [b for b in bodies(entries, TrialFailed) if b.run == state.run]
        assert (state.completed, state.failed) == (len(completed), len(failed))
        ended = [b for b in bodies(entries, RunCompleted) if b.run == state.run]
        assert state.is_complete == bool(ended)


@given(seed=SEEDS)
def test_a_scorecard_counts_every_verdict_once(seed):
    entries, found = states(SCORECARD, seed)
    assert len(found) == len(bodies(entries, GradingStarted))
    for state in found:
        given_ = [b for b in bodies(entries, VerdictGiven) if b.grading == state.grading]
        assert state.given == len(given_)
        for row in state.rows:
            mine = [b for b in given_ if (b.variant, b.check) == (row.variant, row.check)]
            for verdict in Verdict:
                assert row.count(verdict) == sum(b.verdict is verdict for b in mine)
            left_out = (Verdict.NOT_APPLICABLE, Verdict.UNRESOLVED)
            assert row.counted == sum(b.verdict not in left_out for b in mine)
            assert sum(n for _, n in row.causes) == row.count(Verdict.UNPROVEN)
            assert list(row.verdicts) == sorted(row.verdicts)
            assert list(row.causes) == sorted(row.causes)


@given(seed=SEEDS)
def test_trials_and_verdicts_come_in_the_order_of_the_plan(seed):
    entries = entries_of(seed)
    for projection, owner in ((TRIALS, "run"), (VERDICTS, "grading")):
        rows = fold(projection, entries)
        found = [projection.decode(rows[key]) for key in sorted(rows)]
        owners = [key.split("/")[0] for key in sorted(rows)]
        assert [state.slot for state in found] == [
            state.slot
            for _, state in sorted(zip(owners, found, strict=True), key=lambda p: (p[0], p[1].slot))
        ]
        assert owners == sorted(owners), owner


@given(seed=SEEDS)
def test_a_trial_has_the_outcome_that_was_recorded(seed):
    entries, found = states(TRIALS, seed)
    outcomes = {
        entry.event.body.trial: entry
        for entry in entries
        if isinstance(entry.event.body, TrialCompleted | TrialFailed)
    }
    for state in found:
        entry = outcomes.get(state.trial)
        assert state.outcome == (entry and entry.address)
        is_completed = entry is not None and isinstance(entry.event.body, TrialCompleted)
        assert (state.answer is not None) == is_completed


@pytest.mark.parametrize("cls", [TrialCompleted, TrialFailed])
def test_a_trial_keeps_what_its_call_cost_and_of_a_completed_one_its_parts(cls):
    told = {"attempt": 3, "cost_usd": "0.1", "stated_cost_usd": "0.2", "notes": ("a", "b")}
    run = make(RunStarted)
    started = make(TrialStarted, run=compute_digest(b"run"), slot=0)
    ended = make(
        cls, run=compute_digest(b"run"), slot=0, parts=(("report", REF), ("err", REF)), **told
    )
    entries = [
        Entry(n, compute_digest(bytes([n])), event_of(body))
        for n, body in enumerate([run, started, ended])
    ]
    (row,) = fold(TRIALS, entries).values()
    state = TRIALS.decode(row)
    assert (state.attempt, state.cost_usd, state.stated_cost_usd) == (3, "0.1", "0.2")
    assert state.notes == 2
    both = (("report", REF.address), ("err", REF.address))
    assert state.parts == (both if cls is TrialCompleted else ())


# What no program of ours writes, and the log would take


def strangers_of(entries):
    """Return events that name others of a wrong kind, or begin what was begun already."""
    story = entries_of(7)
    by_kind = {type(entry.event.body): entry for entry in entries + story}
    run, trial = by_kind[RunStarted].address, by_kind[TrialStarted].event.body
    bodies = [
        make(VerdictGiven, grading=run, trial=run, verdict=Verdict.PASS),
        make(TrialCompleted, run=story[0].address, slot=0, trial=story[0].address),
        make(RunCompleted, run=story[0].address),
        make(TrialStarted, run=trial.run, slot=trial.slot, variant="another"),
        make(TrialFailed, run=trial.run, slot=trial.slot, trial=trial.run, cause="c"),
        by_kind[VerdictGiven].event.body,
    ]
    addresses = [compute_digest(repr(body).encode()) for body in bodies]
    return [
        Entry(len(entries) + n, address, event_of(body))
        for n, (address, body) in enumerate(zip(addresses, bodies, strict=True))
    ]


@EVERY
@given(seed=SEEDS, cuts=st.lists(st.integers(0, 60), max_size=5))
def test_events_that_make_no_sense_together_are_folded_to_the_same_rows(projection, seed, cuts):
    entries = entries_of(seed)
    entries += strangers_of(entries)
    rows = fold(projection, entries)
    assert rows == fold(projection, entries, [min(cut, len(entries)) for cut in cuts])
    assert rows == fold(projection, entries, range(len(entries)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_module, "CACHED_STATES", 1)
        assert rows == fold(projection, entries, range(0, len(entries), 2))


@EVERY
def test_an_event_of_what_never_began_leaves_no_row(projection):
    nowhere = compute_digest(b"nowhere")
    bodies = [
        make(TrialCompleted, run=nowhere, slot=0, trial=nowhere),
        make(RunCompleted, run=nowhere),
        make(GradingCompleted, grading=nowhere),
    ]
    entries = [Entry(n, nowhere, event_of(body)) for n, body in enumerate(bodies)]
    assert fold(projection, entries) == {}
