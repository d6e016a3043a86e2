"""The grader ``amount`` where a pattern finds the amount."""

from decimal import localcontext

import pytest

from graders.amount import make_amount
from graders.grader import Evidence, Key
from ledger.canonical import format_canonical
from ledger.errors import FaultyInput
from ledger.outcomes import Cause, Verdict


def decide(answer, *accepted, **fields):
    grader = make_amount({"fact_name": "total", "pattern": r"A:(.*)", **fields})
    key = Key(facts={"total": accepted} if accepted else {})
    return grader.decide(Evidence(case="c", variant="v", answer=answer, key=key), {})


@pytest.mark.parametrize(
    ("answer", "accepted", "verdict"),
    [
        ("A: 18", ["18"], Verdict.PASS),
        ("A: $1,234.50.", ["1234.5"], Verdict.PASS),
        ("A: 18.01", ["18"], Verdict.PASS),
        ("A: 17.99", ["18"], Verdict.PASS),
        ("A: 18.02", ["18"], Verdict.FAIL),
        ("A: -18", ["18"], Verdict.FAIL),
        ("A: 20", ["18", "20"], Verdict.PASS),
        ("A: 19", ["18", "20"], Verdict.FAIL),
        ("A: 17\nA: 18", ["18"], Verdict.PASS),
    ],
)
def test_an_amount_passes_within_a_cent_of_an_accepted_value(answer, accepted, verdict):
    assert decide(answer, *accepted).verdict is verdict


def test_the_first_amount_counts_where_the_check_says_so():
    assert decide("A: 17\nA: 18", "18", occurrence="first").verdict is Verdict.FAIL


def test_a_tolerance_of_nothing_passes_the_same_amount_alone():
    assert decide("A: 18.0", "18", tolerance="0").verdict is Verdict.PASS
    assert decide("A: 18.01", "18", tolerance="0").verdict is Verdict.FAIL


def test_the_reason_names_what_was_compared():
    reason = decide("A: 19", "18", "21").reason
    assert reason == (
        "The answer states 19; accepted is 18 or 21. The difference, 1, is above the tolerance "
        "of 0.01."
    )


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "matches nowhere"),
        ("A: " + "9" * 10_000_000, "matches nowhere in the last"),
        ("eighteen", "matches nowhere"),
        ("A: eighteen", "' eighteen' is not one"),
        ("A: 1,23", "' 1,23' is not one"),
        ("A: \ud800\x00", "' \\ud800\\x00' is not one"),
        ("A: " + "9" * 100_000, "999'…"),
    ],
)
def test_an_answer_that_states_no_amount_fails(answer, reason):
    decision = decide(answer, "18")
    assert decision.verdict is Verdict.FAIL
    assert "states no amount" in decision.reason
    assert reason in decision.reason
    assert len(format_canonical(decision.reason)) < 1000


@pytest.mark.parametrize(
    "key", [None, Key(), Key(facts={"other": ("1",)}), Key(facts={"total": ()})]
)
def test_without_the_fact_the_check_is_unproven(key):
    grader = make_amount({"fact_name": "total", "pattern": "(.*)"})
    decision = grader.decide(Evidence(case="c", variant="v", answer="18", key=key), {})
    assert (decision.verdict, decision.cause) == (Verdict.UNPROVEN, Cause.REFERENCE_MISSING)


def test_a_key_that_states_a_value_in_words_leaves_the_check_unproven():
    decision = decide("A: 18", "18", "about twenty")
    assert decision.cause is Cause.REFERENCE_MISSING
    assert "'about twenty'" in decision.reason


def test_the_difference_is_exact_whatever_the_thread_has_set():
    with localcontext(prec=3):
        decision = decide("A: 100000000000000000000.02", "100000000000000000000")
    assert decision.verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"pattern": "(.*)"}, "fact_name: it is missing"),
        ({"fact_name": "", "pattern": "(.*)"}, "fact_name: "),
        ({"fact_name": "total"}, "pattern: it is missing"),
        ({"fact_name": "total", "pattern": ".*"}, "pattern: it has 0 capturing groups"),
        ({"fact_name": "total", "pattern": "(.*)", "occurrence": "any"}, "occurrence: "),
        ({"fact_name": "total", "pattern": "(.*)", "tolerance": 0.01}, "tolerance: "),
        ({"fact_name": "total", "pattern": "(.*)", "tolerance": "-1"}, "tolerance: "),
        ({"fact_name": "total", "pattern": "(.*)", "tolerance": "1e9"}, "tolerance: "),
        ({"fact_name": "total", "pattern": "(\ud800)"}, "pattern: "),
        ({"fact_name": "total", "pattern": "(.*)", "unit": "cent"}, "unit: this grader has no"),
    ],
)
def test_a_faulty_field_is_refused_by_name(fields, fault):
    with pytest.raises(FaultyInput) as refused:
        make_amount(fields)
    assert [line.startswith(fault) for line in refused.value.faults] == [True]


def test_all_faults_are_said_at_once():
    with pytest.raises(FaultyInput) as refused:
        make_amount({"tolerance": "x", "unit": "cent"})
    assert len(refused.value.faults) == 3


def test_the_configuration_makes_the_same_grader_again():
    grader = make_amount({"fact_name": "total", "pattern": "(.*)"})
    assert make_amount(grader.configuration()) == grader
    assert grader.configuration()["tolerance"] == "0.01"
