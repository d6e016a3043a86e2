"""The grader ``fact_value``."""

import pytest

from graders.fact_value import make_fact_value
from ledger.errors import FaultyInput
from ledger.outcomes import Cause, Verdict
from tests.graders.extractions import EXTRACTION, decide_by, make_evidence, make_reply

REFUND = make_fact_value({"fact_name": "refund", **EXTRACTION})
DINING = make_fact_value({"fact_name": "dining_august_total", **EXTRACTION})


@pytest.mark.parametrize(
    ("value", "accepted", "verdict"),
    [
        ("over", ["over"], Verdict.PASS),
        (" over\n", ["over "], Verdict.PASS),
        ("under", ["over"], Verdict.FAIL),
        ("Over", ["over"], Verdict.FAIL),
        ("over", ["near", "over"], Verdict.PASS),
        ("8", ["8"], Verdict.PASS),
        (8, ["8"], Verdict.PASS),
        (8.0, ["8"], Verdict.PASS),
        (9, ["8"], Verdict.FAIL),
        (True, ["true"], Verdict.PASS),
        (True, ["1"], Verdict.FAIL),
        (1, ["true"], Verdict.FAIL),
        (False, ["false"], Verdict.PASS),
        ("", ["over"], Verdict.FAIL),
        (None, ["over"], Verdict.FAIL),
    ],
)
def test_a_fact_passes_as_an_accepted_text(value, accepted, verdict):
    evidence = make_evidence("Dining is over.", None, dining_august_total=tuple(accepted))
    decision = decide_by(DINING, evidence, make_reply(dining_august_total=value))
    assert decision.verdict is verdict


def test_the_reason_shows_what_was_extracted():
    evidence = make_evidence("I added it.", None, refund=("subtracted",))
    assert decide_by(REFUND, evidence, make_reply(refund="added")).reason == (
        "The extractor read 'refund' as 'added'; accepted is 'subtracted'."
    )


def test_what_stands_for_not_stated_fails_like_any_other_word():
    evidence = make_evidence("Nothing.", None, refund=("subtracted",))
    assert decide_by(REFUND, evidence, make_reply(refund="not_mentioned")).verdict is Verdict.FAIL


def test_a_fact_that_is_not_stated_fails():
    evidence = make_evidence("Nothing.", None, refund=("subtracted",))
    decision = decide_by(REFUND, evidence, make_reply())
    assert decision.verdict is Verdict.FAIL
    assert decision.reason == "The answer does not state 'refund', says the extractor."


def test_without_the_fact_in_the_key_the_check_is_unproven():
    decision = decide_by(REFUND, make_evidence("I added it."), make_reply(refund="added"))
    assert (decision.verdict, decision.cause) == (Verdict.UNPROVEN, Cause.REFERENCE_MISSING)


@pytest.mark.parametrize("reply", ["subtracted", make_reply(refund="forgotten"), ""])
def test_an_unreadable_reply_leaves_the_check_unproven(reply):
    evidence = make_evidence("I subtracted it.", None, refund=("subtracted",))
    decision = decide_by(REFUND, evidence, reply)
    (request,) = REFUND.plan(evidence)
    assert (decision.verdict, decision.cause) == (Verdict.UNPROVEN, Cause.GRADER_UNREADABLE)
    assert decision.reason.startswith("The extractor's reply cannot be used: ")
    assert not REFUND.is_readable(request, reply)


def test_a_missing_reply_leaves_the_check_unproven():
    evidence = make_evidence("I subtracted it.", None, refund=("subtracted",))
    assert REFUND.decide(evidence, {}).cause is Cause.GRADER_FAILED


def test_words_are_not_diagnosed():
    assert REFUND.diagnose(make_evidence("I added it."), {}) == ()


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"fact_name": "refund"}, "grader: a model has to read the fact: "),
        (EXTRACTION, "fact_name: it is missing"),
        ({"fact_name": "refnd", **EXTRACTION}, "fact_name: 'refnd' is no property"),
        (
            {"fact_name": "refund", "tolerance": "1", **EXTRACTION},
            "tolerance: this grader has no such field; it takes fact_name",
        ),
    ],
)
def test_a_faulty_field_is_refused_by_name(fields, fault):
    with pytest.raises(FaultyInput) as refused:
        make_fact_value(fields)
    assert [line.startswith(fault) for line in refused.value.faults] == [True]
