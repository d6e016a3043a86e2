"""Strict JSON."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.strict_json import DEPTH_MAX, MalformedJson, parse_strict_json


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        (" [1.0, 1e2, -0.0] ", [1, 100, 0]),
        ("0.1", Decimal("0.1")),
        ("9007199254740993", 9007199254740993),
        ("1.00000000000000000000000000000001", Decimal("1.00000000000000000000000000000001")),
        ('{"a": null, "\\u00e9": "\\ud83d\\ude00"}', {"a": None, "\u00e9": "\U0001f600"}),
    ],
)
def test_a_document_is_read_exactly(text, value):
    assert parse_strict_json(text) == value


def test_an_integer_is_an_int_in_whatever_spelling():
    assert [type(number) for number in parse_strict_json("[1.0, 1e2, 1]")] == [int] * 3  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not one JSON document"),
        ("{} {}", "not one JSON document"),
        ("```json\n{}\n```", "not one JSON document"),
        ("{'a': 1}", "not one JSON document"),
        ("\ufeff{}", "not one JSON document"),
        ('"a\nb"', "not one JSON document"),
        ("[1,]", "not one JSON document"),
        ("01", "not one JSON document"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "'c' stands twice"),
        ('{"a": 1, "\\u0061": 2}', "'a' stands twice"),
        ("[NaN]", "NaN is not JSON"),
        ("-Infinity", "-Infinity is not JSON"),
        ('"\\ud800"', "lone surrogate"),
        ('["\ud800"]', "lone surrogate"),
        ('{"\\udc00": 1}', "lone surrogate"),
        ("1e999999999999999999999", "out of range"),
        ("-1E-401", "out of range"),
        ("9" * 10_000_000, "out of range"),
        ("1e" + "9" * 5000, "out of range"),
        ("[" * (DEPTH_MAX + 1) + "]" * (DEPTH_MAX + 1), "nested deeper"),
        ("[" * 1_000_000, "nested deeper"),
    ],
)
def test_what_readers_would_read_differently_is_refused(text, reason):
    with pytest.raises(MalformedJson, match=reason):
        parse_strict_json(text)


def test_the_deepest_nesting_is_read():
    assert parse_strict_json("[" * DEPTH_MAX + "]" * DEPTH_MAX)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**60), max_value=10**60))
def test_a_number_keeps_its_value(value):
    assert parse_strict_json(str(value)) == value
