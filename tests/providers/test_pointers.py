import pytest

from ledger.canonical import INTEGER_MAX, JsonObject, JsonValue
from providers.pointers import (
    find_value,
    parse_document,
    parse_pointer,
    read_counts,
    read_word,
    spell_value,
)


@pytest.mark.parametrize("pointer", ["/b", "/list/2", "/list/-", "/list/01", "/text/0", "/null/a"])
def test_a_pointer_that_leads_nowhere_is_named_and_the_document_is_not(pointer):
    document = parse_document(b'{"list": [1, 2], "text": "secret", "null": null, "n": 1.5}')
    with pytest.raises(ValueError, match=f"^'{pointer}' leads nowhere$"):
        find_value(document, parse_pointer(pointer))


def test_a_numeral_is_no_text_to_point_into():
    with pytest.raises(ValueError, match="leads nowhere"):
        find_value(parse_document(b"1.5"), parse_pointer("/0"))


@pytest.mark.parametrize("text", ["a", "/a~2", "/~"])
def test_what_is_no_pointer_is_refused(text):
    with pytest.raises(ValueError, match="is no JSON pointer"):
        parse_pointer(text)


def test_a_number_keeps_its_spelling():
    document = parse_document(b'{"b": [1.10, 1E5, 12345678901234567890], "a": {"x": -0.0}}')
    assert spell_value(document) == '{"a": {"x": -0.0}, "b": [1.10, 1E5, 12345678901234567890]}'


def test_what_is_nested_too_deeply_to_spell_is_a_fault():
    document: JsonValue = []
    for _ in range(10_000):
        document = [document]
    with pytest.raises(ValueError, match="nested too deeply"):
        spell_value(document)


def test_counts_are_whole_numbers_and_no_others():
    usage: JsonObject = {
        "in": 3,
        "no": True,
        "part": 1,
        "below": -1,
        "huge": INTEGER_MAX + 1,
        "d": {"x": 0},
    }
    assert read_counts(usage) == (("in", 3), ("part", 1), ("d.x", 0))
    assert read_counts([1, 2]) == ()


@pytest.mark.parametrize("value", [None, True, "", "x" * 201, "\ud800", ["a"]])
def test_what_no_event_can_hold_is_no_word(value):
    assert read_word(value) is None
