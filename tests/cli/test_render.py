"""How numbers and strangers' texts look."""

from decimal import Decimal
from fractions import Fraction

import pytest

from cli.render import format_count, format_minimum, format_rate, make_printable


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
