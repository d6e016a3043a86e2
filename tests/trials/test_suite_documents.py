import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import FaultyInput
from trials.suite.documents import (
    ALIAS_NODES_MAX,
    YAML_BYTES_MAX,
    Numeral,
    decode_text,
    parse_json,
    parse_yaml,
)

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    lambda items: (
        st.lists(items)
        | st.dictionaries(st.text(st.characters(codec="utf-8", exclude_characters="\0")), items)
    ),
    max_leaves=20,
)
LINES = {
    "a key twice below": ('{"a": [{"b": 1, "b": 2}]}', "f: a[0].b: the key stands twice"),
    "infinity": ('{"a": -Infinity}', "f: a: -Infinity is not JSON"),
    "2^53": ('{"a": 9007199254740992}', "f: a: 9007199254740992 is beyond ±(2^53 - 1)"),
    "5,000 digits": ('{"a": -%s}' % ("9" * 5000), "f: a: -9999999999999999999 is beyond"),
    "a lone surrogate": (r'{"a": "x\ud800"}', r"f: a: holds the lone surrogate \ud800"),
    "a lone surrogate as key": (r'{"\udc00": 1}', r"f: '\udc00': holds the lone surrogate \udc00"),
    "an escaped NUL": (r'{"a": "\u0000"}', "f: a: holds the character U+0000"),
    "trailing data": ("{} {}", "f: not JSON at column 4: Extra data"),
    "nothing": ("", "f: not JSON at column 1"),
    "a comma too many": ('{"a": 1,\n}', "f: not JSON at line 2 column 1"),
    "nesting": ("[" * 66 + "]" * 66, "f: [0]"),
    "nesting without end": ("[" * 100_000, "f: nested deeper than 64"),
    "a line end in a string": ('{"a": "\n"}', "f: not JSON at line 1 column 8"),
    "a number": ("1.5", "f: 1.5 is not an object or a list"),
}
YAML_LINES = {
    "a key twice": ("a: 1\nb:\n  c: 1\n  c: 2\n", "f: b.c: the key stands twice"),
    "a tag": ("a: !!timestamp 2026-11-30", "f: a: the tag 'tag:yaml.org,2002:timestamp' is"),
    "a tag of Python": ("a: !!python/object/apply:os.system [x]", "f: a: the tag "),
    "2^53": ("a: 9007199254740992", "f: a: 9007199254740992 is beyond"),
    "a lone surrogate": ('a: "\\uD800"', "f: a: holds the lone surrogate"),
    "an escaped NUL": ('a: "\\0"', "f: a: holds the character U+0000"),
    "two documents": ("a: 1\n---\na: 2\n", "f: not YAML at line 2 column 1"),
    "a list as key": ("? [a]\n: 1\n", "f: a key is not a plain text"),
    "an alias without its anchor": ("a: *b", "f: not YAML at line 1 column 4"),
    "a control character": ("a: \x01", "f: not YAML: "),
    "nothing": ("", "f: null is not an object or a list"),
    "an alias in itself": ("a: &a [*a]", "f: a[0]"),
    "nesting": ("[" * 66 + "]" * 66, "f: [0]"),
    "nesting without end": ("[" * 5_000, "f: nested deeper than 64"),
    "a tab": ("a:\n\t- 1", "f: not YAML at line 2 column 1"),
}


def refuse(parse, text):
    with pytest.raises(FaultyInput) as refused:
        parse(text, "f: ")
    return refused.value.faults


@pytest.mark.parametrize(("text", "line"), LINES.values(), ids=LINES)
def test_json_that_readers_could_take_differently_is_refused(text, line):
    assert refuse(parse_json, text)[0].startswith(line)


@pytest.mark.parametrize(("text", "line"), YAML_LINES.values(), ids=YAML_LINES)
def test_yaml_with_surprises_is_refused(text, line):
    assert refuse(parse_yaml, text)[0].startswith(line)


def test_all_broken_rules_of_a_document_are_said():
    assert len(refuse(parse_json, r'{"a": NaN, "b": "\ud800", "b": 9007199254740992}')) == 4


def test_aliases_that_unfold_without_bound_are_refused():
    levels = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    text = "\n".join(["a0: &a0 [x, x, x]", *levels])
    assert f"aliases unfold to more than {ALIAS_NODES_MAX} nodes" in refuse(parse_yaml, text)[0]


def test_an_alias_stands_for_what_it_names():
    assert parse_yaml("a: &a {b: 1}\nc: *a\n", "f: ") == {"a": {"b": 1}, "c": {"b": 1}}


def test_yaml_beyond_its_bound_is_refused():
    assert refuse(parse_yaml, "#" * (YAML_BYTES_MAX + 1)) == (
        f"f: longer than {YAML_BYTES_MAX} characters; use JSON",
    )


@pytest.mark.parametrize(
    "text", ["yes", "no", "on", "True", "012", "0x1f", "1_000", "1:30", "2026-11-30", ".inf", "+1"]
)
def test_a_plain_scalar_that_json_does_not_know_is_its_text(text):
    assert parse_yaml(f"a: {text}", "f: ") == {"a": text}


def test_a_plain_scalar_that_json_knows_is_its_value():
    text = "a: [true, false, null, -7, 0.50, 1e3, \"1\", 'true', ]\nb:\n"
    values = [True, False, None, -7, Numeral("0.50"), Numeral("1e3"), "1", "true"]
    assert parse_yaml(text, "f: ") == {"a": values, "b": None}


def test_a_number_with_a_fraction_keeps_its_text():
    assert parse_json('{"a": 0.10, "b": 1E400}', "f: ") == {
        "a": Numeral("0.10"),
        "b": Numeral("1E400"),
    }


@given(st.dictionaries(st.text(st.characters(codec="utf-8", exclude_characters="\0")), VALUES))
def test_sound_json_is_read_as_it_was_written(value):
    assert parse_json(json.dumps(value), "f: ") == value
    assert parse_json(json.dumps(value, ensure_ascii=False), "f: ") == value


@given(st.binary(max_size=200))
def test_bytes_of_any_kind_are_read_or_refused(data):
    for parse in (parse_json, parse_yaml):
        with contextlib.suppress(FaultyInput):
            assert isinstance(parse(decode_text(data, "f"), "f: "), dict | list)
