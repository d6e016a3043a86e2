import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.grader import Key
from ledger.errors import NotCanonical
from trials.suite import format_key, parse_key

TEXTS = st.lists(st.text(), max_size=3).map(tuple)
KEYS = st.builds(
    Key,
    facts=st.dictionaries(st.text(), TEXTS, max_size=3),
    must_include=TEXTS,
    must_not_include=TEXTS,
    expectation=st.none() | st.text(),
)
EMPTY = b'{"expectation":null,"facts":[],"must_include":[],"must_not_include":[]}'


@given(KEYS)
def test_a_key_comes_back_from_its_bytes(key):
    assert parse_key(format_key(key)) == key


def test_the_order_in_which_facts_were_written_does_not_matter():
    one = Key(facts={"é": ("1",), "a": ("2",)})
    other = Key(facts={"a": ("2",), "é": ("1",)})
    assert format_key(one) == format_key(other)


def test_the_order_of_accepted_values_is_part_of_a_key():
    assert format_key(Key(facts={"a": ("1", "2")})) != format_key(Key(facts={"a": ("2", "1")}))


def test_an_empty_key_has_the_bytes_that_the_format_says():
    assert format_key(Key()) == EMPTY


@pytest.mark.parametrize(
    "facts",
    ['[["b",[]],["a",[]]]', '[["a",[]],["a",[]]]', '[["a"]]', '[[[],"a"]]', '[["a","b"]]', "{}"],
)
def test_bytes_that_are_not_the_one_spelling_of_a_key_are_refused(facts):
    with pytest.raises(NotCanonical):
        parse_key(EMPTY.replace(b'"facts":[]', b'"facts":' + facts.encode()))


def test_a_key_with_an_unknown_field_is_refused():
    with pytest.raises(NotCanonical):
        parse_key(EMPTY.replace(b"}", b',"z":1}'))
