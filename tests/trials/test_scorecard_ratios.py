"""Intervals against published ones, and at their ends."""

from fractions import Fraction
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trials.scorecard import Ratio

COUNTS = st.integers(1, 5_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("passed", "counted", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998) 857-872, table I, method 3.
        (81, 263, "0.2553", "0.3662"),
        (15, 148, "0.0624", "0.1605"),
        (0, 20, "0.0000", "0.1611"),
        (1, 29, "0.0061", "0.1718"),
    ],
)
def test_the_interval_is_the_published_one(passed, counted, low, high):
    interval = Ratio(passed, counted).interval
    assert interval is not None
    assert [f"{bound:.4f}" for bound in interval] == [low, high]


@pytest.mark.parametrize("counted", [1, 5, 400, 10**9])
def test_none_and_all_are_no_certainty_and_reach_their_end_exactly(counted):
    none, every = Ratio(0, counted).interval, Ratio(counted, counted).interval
    assert none is not None
    assert every is not None
    assert (none.low, every.high) == (0.0, 1.0)
    assert 0 < none.high <= 1 - every.low + 1e-12
    assert none.high == pytest.approx(1 - every.low)


def test_nothing_counted_has_neither_rate_nor_interval():
    assert (Ratio(0, 0).rate, Ratio(0, 0).interval) == (None, None)


@given(COUNTS)
def test_the_interval_lies_around_the_rate_and_within_0_and_1(counts):
    ratio = Ratio(*counts)
    assert ratio.interval is not None
    low, high = ratio.interval
    rate = float(ratio.rate or Fraction(0))
    assert 0 <= low <= rate + 1e-12
    assert rate - 1e-12 <= high <= 1
    assert low < high


@given(COUNTS)
def test_each_bound_is_a_rate_from_which_the_observed_one_is_just_not_too_far(counts):
    """It is the defining equation of the score interval, solved by nobody's formula."""
    passed, counted = counts
    interval = Ratio(passed, counted).interval
    assert interval is not None
    for bound in interval:
        if 0 < bound < 1:
            error = sqrt(bound * (1 - bound) / counted)
            assert abs(passed / counted - bound) / error == pytest.approx(1.959964, rel=1e-4)
