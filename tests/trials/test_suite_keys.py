from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.grader import Key
from graders.reference import Reference, ReferenceEntry, ReferenceTotal
from ledger.errors import NotCanonical
from trials.suite import format_key, parse_key

TEXTS = st.lists(st.text(), max_size=3).map(tuple)
AMOUNTS = st.decimals(allow_nan=False, allow_infinity=False, places=2) | st.integers().map(Decimal)
LINES = st.lists(st.integers(1, 2**53 - 1), unique=True, max_size=3).map(sorted)
ENTRY = st.builds(
    ReferenceEntry,
    line=st.just(1),
    text=st.text(),
    amount=AMOUNTS,
    period=st.text(),
    category=st.text(),
    merchant=st.none() | st.text(),
    alternatives=st.lists(st.tuples(st.text(), st.text()), max_size=2).map(tuple),
    duplicate_of=st.none() | st.integers(1, 9),
)


@st.composite
def references(draw):
    entries = [replace(draw(ENTRY), line=line) for line in draw(LINES)]
    total = st.builds(ReferenceTotal, fact_name=st.text(), category=st.text(), period=st.text())
    totals = draw(st.lists(total, max_size=2))
    return Reference(entries=tuple(entries), totals=tuple(totals))


KEYS = st.builds(
    Key,
    facts=st.dictionaries(st.text(), TEXTS, max_size=3),
    must_include=TEXTS,
    must_not_include=TEXTS,
    expectation=st.none() | st.text(),
    reference=st.none() | references(),
)
EMPTY = b'{"expectation":null,"facts":[],"must_include":[],"must_not_include":[],"reference":null}'
HOTEL = ReferenceEntry(
    line=2,
    text="Hotel 90.00",
    amount=Decimal("90.00"),
    period="2026-08",
    category="Travel",
    alternatives=(("Home", "Fun"),),
)
TRAVEL = ReferenceTotal(fact_name="travel", category="Travel", period="2026-08")
REFERENCE = Reference(entries=(HOTEL,), totals=(TRAVEL,))


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


def test_a_reference_stands_in_its_key_with_amounts_as_written():
    assert format_key(Key(reference=REFERENCE)) == EMPTY.replace(
        b"null}",
        b'{"entries":[{"alternatives":[["Home","Fun"]],"amount":"90.00","category":"Travel",'
        b'"duplicate_of":null,"line":2,"merchant":null,"period":"2026-08","text":"Hotel 90.00"}],'
        b'"totals":[{"category":"Travel","fact_name":"travel","period":"2026-08"}]}}',
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"90.00"', b'"9E+1"'),
        (b'"90.00"', b'"NaN"'),
        (b'"90.00"', b'"090.00"'),
        (b'"90.00"', b"90"),
        (b'"line":2', b'"line":"2"'),
        (b'["Home","Fun"]', b'["Home"]'),
        (b'["Home","Fun"]', b'["Home","Fun","x"]'),
        (b'"totals":[', b'"totals":[[],'),
        (b'"merchant":null,', b""),
    ],
)
def test_bytes_that_are_not_the_one_spelling_of_a_reference_are_refused(old, new):
    data = format_key(Key(reference=REFERENCE))
    assert old in data
    with pytest.raises(NotCanonical):
        parse_key(data.replace(old, new))


@pytest.mark.parametrize("lines", [(2, 1), (1, 1)])
def test_entries_that_are_not_sorted_or_stand_twice_are_refused(lines):
    entries = tuple(replace(HOTEL, line=line) for line in lines)
    with pytest.raises(NotCanonical):
        parse_key(format_key(Key(reference=Reference(entries=entries, totals=()))))


def test_a_key_with_an_unknown_field_is_refused():
    with pytest.raises(NotCanonical):
        parse_key(EMPTY.replace(b"}", b',"z":1}'))
