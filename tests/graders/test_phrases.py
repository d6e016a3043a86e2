"""The grader ``phrases``."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.grader import Evidence, Key
from graders.phrases import (
    DASHES,
    DOUBLE_QUOTES,
    INVISIBLE,
    SINGLE_QUOTES,
    fold_phrase,
    make_phrases,
)
from ledger.canonical import format_canonical
from ledger.errors import FaultyInput
from ledger.outcomes import Cause, Verdict

NO_FIELDS: dict[str, object] = {}


def decide(answer, key=None, **fields):
    return make_phrases(fields).decide(Evidence(case="c", variant="v", answer=answer, key=key), {})


@pytest.mark.parametrize(
    ("answer", "phrase"),
    [
        ("It is NON-REFUNDABLE.", "non-refundable"),
        ("non\u2011refundable", "non-refundable"),
        ("non-refundable", "non\u2013refundable"),
        ("at \u22125 degrees", "at -5"),
        ("two\n  \u00a0words", "Two Words"),
        ("don\u2019t", "don't"),
        ("\u201cyes\u201d", '"yes"'),
        ("STRASSE", "stra\u00dfe"),
        ("cafe\u0301", "caf\u00e9"),
        ("re\u00adfund\u200b", "refund"),
        ("\ud800 refund", "refund"),
    ],
)
def test_case_white_space_dashes_and_quotes_do_not_matter(answer, phrase):
    assert decide(answer, must_include=[phrase]).verdict is Verdict.PASS
    assert decide(answer, must_not_include=[phrase]).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("answer", "phrase"),
    [("10\u00b2", "102"), ("a - b", "a-b"), ("\u00bd", "1"), ("cafe\u0301", "cafe"), ("", "a")],
)
def test_what_means_something_else_is_not_found(answer, phrase):
    assert decide(answer, must_include=[phrase]).verdict is Verdict.FAIL


def test_phrases_of_check_and_key_add_up():
    key = Key(must_include=("b",), must_not_include=("d",))
    decision = decide("c d", key, must_include=["a"], must_not_include=["c"])
    assert decision.reason == "Required and missing: 'a', 'b'. Forbidden and there: 'c', 'd'."


def test_a_pass_counts_the_phrases():
    decision = decide("a", Key(must_include=("a",), must_not_include=("b",)))
    assert decision.verdict is Verdict.PASS
    assert decision.reason == "Required and there: 1. Forbidden and not there: 1."


def test_a_key_without_phrases_says_that_the_check_does_not_apply():
    assert decide("a", Key()).verdict is Verdict.NOT_APPLICABLE


def test_without_key_and_phrases_the_reference_is_missing():
    assert decide("a").cause is Cause.REFERENCE_MISSING


def test_the_phrases_of_the_check_need_no_key():
    assert decide("a", must_include=["a"]).verdict is Verdict.PASS


@pytest.mark.parametrize("key", [Key(must_include=("",)), Key(must_not_include=(" \u200b",))])
def test_an_empty_phrase_of_the_key_decides_nothing(key):
    assert decide("a", key).cause is Cause.REFERENCE_MISSING


def test_ten_megabytes_make_a_short_reason():
    key = Key(must_include=tuple(f"{number} \ud800 {'x' * 999}" for number in range(99)))
    decision = decide("\u2014 Caf\u00c9 " * 1_500_000, key)
    assert "and 89 more" in decision.reason
    assert len(format_canonical(decision.reason)) < 2000


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"must_include": "a"}, "must_include: "),
        ({"must_include": ["a", 1]}, "must_include.1: "),
        ({"must_include": ["\ud800"]}, "must_include.0: a lone surrogate"),
        ({"must_not_include": [" "]}, "must_not_include.0: an empty phrase"),
        ({"must_includes": ["a"]}, "must_includes: this grader has no such field"),
    ],
)
def test_a_faulty_field_is_refused_by_name(fields, fault):
    with pytest.raises(FaultyInput) as refused:
        make_phrases(fields)
    assert refused.value.faults[0].startswith(fault)


def test_the_configuration_makes_the_same_grader_again():
    grader = make_phrases({"must_include": ["a"]})
    assert make_phrases(grader.configuration()) == grader


@given(st.text())
def test_folding_twice_is_folding_once(text):
    assert fold_phrase(fold_phrase(text)) == fold_phrase(text)


@given(
    words=st.lists(
        st.sampled_from(["don't", "Re-entry", '"yes"', "Stra\u00dfe", "12"]), min_size=1
    ),
    dash=st.sampled_from(DASHES),
    single=st.sampled_from(SINGLE_QUOTES),
    double=st.sampled_from(DOUBLE_QUOTES),
    space=st.sampled_from([" ", "\n", "\u00a0", " \t ", "\u2009", f" {INVISIBLE}"]),
)
def test_every_spelling_folds_to_one(words, dash, single, double, space):
    plain = " ".join(words)
    table = str.maketrans({"-": dash, "'": single, '"': double, " ": space})
    spelled = unicodedata.normalize("NFD", plain.swapcase().translate(table))
    assert fold_phrase(spelled) == fold_phrase(plain)
