"""How long sessions took and what they used."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.digest import compute_digest
from ledger.projections import TrialState
from trials.scorecard.times import add_usage, find_percentile, measure_times

ADDRESS = compute_digest(b"")


def trial(slot, measured, stated=None, *, variant="v", usage=(), is_completed=True):
    return TrialState(
        trial=ADDRESS,
        run=ADDRESS,
        slot=slot,
        case="x",
        variant=variant,
        repetition=slot + 1,
        outcome=ADDRESS,
        answer=ADDRESS if is_completed else None,
        duration_us=measured,
        stated_us=stated,
        usage=usage,
    )


def times(*trials, gated="v"):
    return measure_times({one.slot: one for one in trials}, gated)


def test_the_first_trial_of_the_plan_is_shown_and_left_out():
    timing = times(trial(0, 900), trial(1, 10), trial(2, 30))
    assert timing.warm_up is not None
    assert (timing.warm_up.place, timing.warm_up.time_us) == (("x", "v", 1), 900)
    (row,) = timing.rows
    assert (row.trials, row.mean_us, row.median_us, row.max_us) == (2, 20, 20, 30)


def test_where_the_first_trial_failed_none_is_left_out():
    timing = times(trial(0, 900, is_completed=False), trial(1, 10), trial(2, 30))
    assert timing.warm_up is None
    assert [row.trials for row in timing.rows] == [2]


def test_the_time_of_a_failed_trial_is_no_time():
    (row,) = times(trial(0, 1), trial(1, 10), trial(2, 999, is_completed=False)).rows
    assert (row.trials, row.max_us) == (1, 10)


def test_what_sessions_state_counts_where_all_of_them_state_it():
    timing = times(trial(0, 1, 50), trial(1, 1, 60))
    assert (timing.source, timing.rows[0].mean_us) == ("stated", 60)


def test_one_session_that_states_nothing_makes_all_of_them_measured():
    timing = times(trial(0, 1, 50), trial(1, 1, 60), trial(2, 3))
    assert (timing.source, timing.rows[0].mean_us) == ("measured", 2)


def test_the_gated_variant_comes_first():
    timing = times(trial(0, 1), trial(1, 10, variant="a"), trial(2, 20), gated="v")
    assert [row.variant for row in timing.rows] == ["v", "a"]


def test_no_trial_has_no_time():
    assert times().rows == ()


@pytest.mark.parametrize(
    ("percent", "time"), [(90, 9), (95, 10), (50, 5), (100, 10), (1, 1), (0, 1)]
)
def test_a_percentile_is_a_time_that_occurred(percent, time):
    assert find_percentile(list(range(1, 11)), percent) == time


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=60))
def test_mean_and_median_are_those_of_the_standard_library(measured):
    trials = [trial(0, 7), *(trial(slot, time) for slot, time in enumerate(measured, 1))]
    (row,) = times(*trials).rows
    assert row.mean_us == pytest.approx(statistics.mean(measured), abs=1)
    assert row.median_us == pytest.approx(statistics.median(measured), abs=1)
    assert row.median_us <= row.p90_us <= row.p95_us <= row.max_us == max(measured)


def test_usage_is_added_up_by_name_with_the_mean_of_those_that_sent_it():
    trials = {
        0: trial(0, 1, usage=(("in", 10), ("out", 1))),
        1: trial(1, 1, usage=(("in", 30),)),
        2: trial(2, 1, variant="a", usage=(("in", 5),)),
        3: trial(3, 1),
    }
    spent = add_usage(trials, "v")
    assert [(one.variant, one.name, one.total, one.trials) for one in spent] == [
        ("v", "in", 40, 2),
        ("v", "out", 1, 1),
        ("a", "in", 5, 1),
    ]
    assert spent[0].mean == 20


def test_a_name_that_was_sent_twice_is_of_one_trial():
    (one,) = add_usage({0: trial(0, 1, usage=(("in", 10), ("in", 5)))}, "v")
    assert (one.total, one.trials) == (15, 1)
