"""Canonical bytes are those of RFC 8785, and what has none is refused."""

import enum
import json
import math
import struct
import uuid

import orjson
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import DEPTH_MAX, INTEGER_MAX, format_canonical, parse_canonical
from ledger.errors import NotCanonical

# RFC 8785, Appendix B: the bits of a double, and its JSON.
NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]

TEXTS = st.text(max_size=20)
KEYS = st.text(st.characters(max_codepoint=0x7F), max_size=8)
INTEGERS = st.integers(-INTEGER_MAX, INTEGER_MAX)
VALUES = st.recursive(
    st.none() | st.booleans() | INTEGERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


class Word(str):
    __slots__ = ()


class Number(int):
    __slots__ = ()


class Grade(enum.IntEnum):
    ONE = 1


class Colour(enum.StrEnum):
    RED = "red"


class Rows(list[int]):
    __slots__ = ()


class Table(dict[str, int]):
    __slots__ = ()


def nest(depth, *, in_lists):
    value: object = 0
    for _ in range(depth):
        value = [value] if in_lists else {"k": value}
    return value


@given(VALUES)
def test_the_bytes_are_those_of_rfc_8785(value):
    assert format_canonical(value) == rfc8785.dumps(value)


@given(VALUES)
def test_parsing_gives_back_what_was_formatted(value):
    again = parse_canonical(format_canonical(value))
    assert again == value
    assert json.dumps(again, sort_keys=True) == json.dumps(value, sort_keys=True)


@pytest.mark.parametrize(("bits", "text"), NUMBERS)
def test_a_double_of_rfc_8785_is_refused_however_it_is_written(bits, text):
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert rfc8785.dumps(number) == text.encode()
    with pytest.raises(NotCanonical, match="float"):
        format_canonical(number)
    if text != "0":
        with pytest.raises(NotCanonical):
            parse_canonical(text.encode())


@pytest.mark.parametrize("number", [0, 1, -1, 2**32, INTEGER_MAX, -INTEGER_MAX])
def test_an_integer_within_its_bounds_is_written_in_digits(number):
    assert format_canonical(number) == rfc8785.dumps(number) == str(number).encode()


@pytest.mark.parametrize(
    "number", [2**53, -(2**53), 2**63, 2**64, pytest.param(10**5000, id="huge")]
)
def test_an_integer_that_some_reader_would_round_is_refused(number):
    with pytest.raises(NotCanonical, match="write it as a string"):
        format_canonical({"a": [number]})


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        1.5,
        -0.0,
        math.nan,
        math.inf,
        (1, 2),
        pytest.param((10**5000,), id="huge"),
        {1},
        b"bytes",
        Word("a"),
        Number(1),
        Grade.ONE,
        Colour.RED,
        Rows(),
        Table(),
        uuid.UUID(int=0),
        orjson.Fragment(b"{ }"),
        object(),
    ],
)
def test_a_value_of_another_type_is_refused_at_any_depth(value):
    for holder in (value, [value], {"a": [{"b": value}]}):
        with pytest.raises(NotCanonical, match="has no canonical form"):
            format_canonical(holder)


@pytest.mark.parametrize(
    "key", ["é", "\ud800", "\x80", 1, pytest.param(10**5000, id="huge"), None, b"a", Word("a")]
)
def test_a_key_that_is_not_plain_ascii_is_refused(key):
    with pytest.raises(NotCanonical, match="is not an ASCII string"):
        format_canonical({"a": {key: 1}})


def test_a_lone_surrogate_is_refused_with_its_place():
    with pytest.raises(NotCanonical, match=r"value\.a\[1\]: a string with a lone surrogate"):
        format_canonical({"a": ["fine", "\udc00"]})


@pytest.mark.parametrize("text", ["\x00", "\x1f", "\x7f", "\u2028", "\U0001f600", "e\u0301", '"\\'])
def test_any_valid_unicode_may_be_a_value(text):
    assert format_canonical([text]) == rfc8785.dumps([text])
    assert parse_canonical(format_canonical([text])) == [text]


@pytest.mark.parametrize("in_lists", [True, False])
def test_nesting_is_bounded(in_lists):
    deepest = nest(DEPTH_MAX, in_lists=in_lists)
    assert parse_canonical(format_canonical(deepest)) == deepest
    with pytest.raises(NotCanonical, match="nested deeper than 64"):
        format_canonical([deepest])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"nul",
        b'{"a":1,"a":1}',
        b'{"a":1,"a":2}',
        b'{"b":1,"a":2}',
        b'{"a": 1}',
        b'{"a":1}\n',
        b" 1",
        b"1.0",
        b"-0",
        b"1e2",
        b"01",
        b"NaN",
        b"Infinity",
        b"9007199254740992",
        b"18446744073709551616",
        b'"\\u0041"',
        b'"\\/"',
        b'"\\u000A"',
        b'"\\u000a"',
        b'"\\u001F"',
        b'"\\u007f"',
        b'"\\ud800"',
        b'"\xed\xa0\x80"',
        b'"\xff"',
        '{"é":1}'.encode(),
        b"\xef\xbb\xbf1",
        b"1 2",
        b"[" * 100_000,
        b"[" * 65 + b"]" * 65,
    ],
)
def test_bytes_that_are_not_the_one_spelling_of_a_value_are_refused(data):
    with pytest.raises(NotCanonical):
        parse_canonical(data)
