"""How numbers and strangers' texts look."""

from decimal import Decimal
from fractions import Fraction

import pytest

from cli.render import format_count, format_minimum, format_rate, make_printable
from cli.render.figures import (
    format_cost,
    format_interval,
    format_mean,
    format_ratio,
    format_time,
)
from cli.render.words import describe_answering
from trials.scorecard import Answering, Interval, Ratio


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (None, "-"),
        (Fraction(0), "0.0 %"),
        (Fraction(1), "100.0 %"),
        (Fraction(1, 3), "33.3 %"),
        (Fraction(1, 16), "6.3 %"),
        (Fraction(99_999, 100_000), "99.9 %"),
        (Fraction(1, 100_000), "0.1 %"),
    ],
)
def test_a_rate_is_never_rounded_up_to_all_or_down_to_nothing(rate, text):
    assert format_rate(rate) == text


@pytest.mark.parametrize(
    ("passed", "counted", "text", "interval"),
    [
        (4, 5, "4/5 = 80.0 %", "[37.6, 96.4]"),
        (5, 5, "5/5 = 100.0 %", "[56.6, 100.0]"),
        (0, 1_000_000, "0/1,000,000 = 0.0 %", "[0.0, 0.1]"),
        (999_999, 1_000_000, "999,999/1,000,000 = 99.9 %", "[99.9, 99.9]"),
        (0, 0, "0/0 = -", "-"),
    ],
)
def test_a_ratio_is_shown_with_its_counts_and_its_interval(passed, counted, text, interval):
    ratio = Ratio(passed, counted)
    assert (format_ratio(ratio), format_interval(ratio.interval)) == (text, interval)


def test_a_bound_is_100_or_0_only_where_it_is_exact():
    assert format_interval(Interval(1e-9, 1 - 1e-9)) == "[0.1, 99.9]"
    assert format_interval(Interval(0.0, 1.0)) == "[0.0, 100.0]"


@pytest.mark.parametrize(
    ("time_us", "text"),
    [
        (0, "0 ms"),
        (350, "0.35 ms"),
        (12_345, "12.3 ms"),
        (1_000_000, "1.0 s"),
        (3_661_040_000, "3,661.0 s"),
    ],
)
def test_a_time_is_in_seconds_or_where_it_is_shorter_in_milliseconds(time_us, text):
    assert format_time(time_us) == text


@pytest.mark.parametrize(
    ("mean", "text"), [(Fraction(1200), "1,200"), (Fraction(2469, 2), "1,234.5")]
)
def test_a_mean_has_a_decimal_where_it_is_no_whole_number(mean, text):
    assert format_mean(mean) == text


@pytest.mark.parametrize(
    ("models", "text"),
    [
        ([], "not stated"),
        ([Answering(None, 3)], "not stated"),
        ([Answering("m-1", 3)], "m-1"),
        ([Answering("m-1", 2), Answering(None, 1)], "m-1 (2 answers), not stated (1 answer)"),
        ([Answering("m-1", 2), Answering("m-2", 1)], "m-1 (2 answers), m-2 (1 answer)"),
    ],
)
def test_who_answered_is_said_with_how_often_where_several_did(models, text):
    assert describe_answering(models) == text


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        ("0", "0.0000 USD"),
        ("0.00004", "less than 0.0001 USD"),
        ("0.42126", "0.4213 USD"),
        ("1234.5", "1,234.5000 USD"),
    ],
)
def test_a_cost_is_never_rounded_down_to_nothing(cost, text):
    assert format_cost(Decimal(cost)) == text


@pytest.mark.parametrize(
    ("minimum", "text"), [("0.5", "50 %"), ("1", "100 %"), ("0.995", "99.5 %"), ("0", "0 %")]
)
def test_a_minimum_keeps_its_digits(minimum, text):
    assert format_minimum(Decimal(minimum)) == text


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 events"), (1, "1 event"), (2, "2 events"), (1200, "1,200 events")]
)
def test_one_thing_is_not_spoken_of_as_several(count, text):
    assert format_count(count, "event") == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc é", "a\tb\nc é"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b2J\x7f\r", "\\x9b2J\\x7f\\x0d"),
        ("\ud83d", "\\ud83d"),
    ],
)
def test_a_text_gives_the_terminal_no_commands(text, shown):
    assert make_printable(text) == shown
