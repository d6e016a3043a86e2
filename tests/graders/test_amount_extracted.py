"""The grader ``amount`` where a model reads the amount out of the answer."""

from decimal import Decimal, localcontext

import pytest

from graders.amount import make_amount
from graders.extraction import WINDOW
from graders.reference import Reference, ReferenceEntry, ReferenceTotal
from ledger.canonical import format_canonical
from ledger.errors import FaultyInput
from ledger.outcomes import Cause, Verdict
from tests.graders.extractions import EXTRACTION, decide_by, make_evidence, make_reply

DINING = "dining_august_total"
GRADER = make_amount({"fact_name": DINING, **EXTRACTION})


def decide(answer, extracted, *accepted, grader=GRADER):
    evidence = make_evidence(answer, None, dining_august_total=accepted or ("398.69",))
    return decide_by(grader, evidence, make_reply(dining_august_total=extracted))


def test_two_cents_off_fail_with_both_amounts_in_the_reason():
    decision = decide("| Dining | $398.71 |", "398.71")
    assert decision.verdict is Verdict.FAIL
    assert decision.reason == (
        "The answer states 398.71; accepted is 398.69. The difference, 0.02, is above the "
        "tolerance of 0.01."
    )


def test_one_cent_off_passes():
    assert decide("Dining was 398.70.", "398.70").verdict is Verdict.PASS


def test_an_extractor_that_repairs_the_answer_gives_no_pass():
    decision = decide("| Dining | $398.71 |", "398.69")
    assert (decision.verdict, decision.cause) == (Verdict.UNPROVEN, Cause.GRADER_UNREADABLE)
    assert decision.reason == (
        "The extractor's reply cannot be used: it reports 398.69, which stands nowhere in the "
        "answer."
    )


def test_an_extractor_that_invents_a_wrong_amount_gives_no_fail_either():
    assert decide("Dining was 398.69.", "412.60").verdict is Verdict.UNPROVEN


def test_a_repaired_amount_is_not_asked_for_again():
    evidence = make_evidence("Dining was 398.71.")
    (request,) = GRADER.plan(evidence)
    assert GRADER.is_readable(request, make_reply(dining_august_total="398.69"))


@pytest.mark.parametrize(
    ("answer", "extracted"),
    [
        ("Travel was 1655.92.", "1655.92"),
        ("Travel was $1,655.92.", "1655.92"),
        ("Travel was 1 655,92 EUR.", "1655.92"),
        ("Travel was 1\u00a0655,92.", "1655.92"),
        ("Travel was 1.655,92.", "1655.92"),
        ("Travel was 1'655.92.", "1655.92"),
        ("Travel was **1,655.92**, up.", "$1,655.92"),
        ("Travel was $1{,}655.92$.", "1655.92"),
        ("| Travel | 0.00 | 1,655.920 |", "1655.92"),
        ("Travel (-1,655.92)", "-1655.92"),
        ("In 2026 1655.92 were spent.", "1655.92"),
        ("Travel was 1655.92", 1655.92),
        ("Travel was 1,656", 1656),
    ],
)
def test_an_amount_may_be_spelt_in_the_answer_as_people_do(answer, extracted):
    accepted = str(extracted).replace("$", "").replace(",", "")
    assert decide(answer, extracted, accepted).verdict is Verdict.PASS


@pytest.mark.parametrize(
    "answer",
    [
        "Travel was about 1.7k.",
        "Travel was one thousand six hundred fifty-five dollars and 92 cents.",
        "Hotels 1,200.00 and flights 455.92.",
        "Travel was 11,655.92.",
        "Travel was 1,655.921.",
        "",
        "\ud800",
    ],
)
def test_an_amount_that_is_derived_or_in_words_is_not_stated(answer):
    assert decide(answer, "1655.92", "1655.92").verdict is Verdict.UNPROVEN


@pytest.mark.parametrize("extracted", [None, "not stated", "", "about 400", "1e3", True])
def test_what_is_no_amount_fails_as_an_answer_that_states_none(extracted):
    decision = decide("I cannot say.", extracted)
    assert decision.verdict is Verdict.FAIL
    assert decision.reason.startswith("The answer states no amount: ")


def test_a_fact_that_the_schema_allows_to_be_absent_is_not_stated():
    fields = {**EXTRACTION, "extraction_schema": {"properties": {DINING: {}}}}
    grader = make_amount({"fact_name": DINING, **fields})
    evidence = make_evidence("Nothing.", None, dining_august_total=("398.69",))
    assert decide_by(grader, evidence, "{}").verdict is Verdict.FAIL


@pytest.mark.parametrize("reply", ["", "398.69", "{}", make_reply() + make_reply()])
def test_an_unreadable_reply_leaves_the_check_unproven(reply):
    evidence = make_evidence("Dining was 398.69.", None, dining_august_total=("398.69",))
    decision = decide_by(GRADER, evidence, reply)
    (request,) = GRADER.plan(evidence)
    assert (decision.verdict, decision.cause) == (Verdict.UNPROVEN, Cause.GRADER_UNREADABLE)
    assert decision.reason.startswith("The extractor's reply cannot be used: ")
    assert not GRADER.is_readable(request, reply)


def test_a_missing_reply_leaves_the_check_unproven():
    evidence = make_evidence("Dining was 398.69.", None, dining_august_total=("398.69",))
    assert GRADER.decide(evidence, {}).cause is Cause.GRADER_FAILED


def test_without_the_fact_in_the_key_the_check_is_unproven():
    decision = decide_by(GRADER, make_evidence("398.69"), make_reply(dining_august_total="398.69"))
    assert decision.cause is Cause.REFERENCE_MISSING


def test_a_hundred_digits_are_held_against_the_answer_exactly():
    stated = "9" * 60
    with localcontext(prec=3):
        assert decide(f"It is {stated}.", stated, stated).verdict is Verdict.PASS
        assert decide(f"It is {stated}.", f"{stated[:-1]}8", stated).verdict is Verdict.UNPROVEN


def test_an_endless_answer_is_looked_through_in_a_moment():
    answer = "123 " * WINDOW + "9" * WINDOW + " 398.69"
    decision = decide(answer, "398.69")
    assert decision.verdict is Verdict.PASS
    assert len(format_canonical(decision.reason)) < 1_000


def make_reference() -> Reference:
    amounts = [("Hotel", "330.69"), ("Airport Parking", "68.00")]
    entries = [
        ReferenceEntry(
            line=line, text=text, amount=Decimal(amount), period="2026-08", category="Travel"
        )
        for line, (text, amount) in enumerate(amounts, 168)
    ]
    total = ReferenceTotal(fact_name=DINING, category="Travel", period="2026-08")
    return Reference(entries=tuple(entries), totals=(total,))


def diagnose(answer, extracted, reference, grader=GRADER):
    evidence = make_evidence(answer, reference, dining_august_total=("398.69",))
    (request,) = grader.plan(evidence) or [None]
    reply = make_reply(dining_august_total=extracted)
    answers = {request.address(): reply} if request else {}
    return grader.diagnose(evidence, answers)


def test_a_wrong_total_is_diagnosed_from_the_entries_of_the_key():
    (diagnosis,) = diagnose("Travel was 330.69.", "330.69", make_reference())
    assert diagnosis.subject == "Travel 2026-08"
    assert diagnosis.causes == ("Travel 2026-08: line 169 'Airport Parking' left out",)
    assert "330.69" in diagnosis.statement
    assert "-68.00" in diagnosis.statement


def test_a_total_that_nothing_explains_has_no_causes():
    (diagnosis,) = diagnose("Travel was 7.", "7", make_reference())
    assert diagnosis.causes == ()
    assert "No simple explanation" in diagnosis.statement


def test_an_amount_found_by_a_pattern_is_diagnosed_as_well():
    grader = make_amount({"fact_name": DINING, "pattern": "was (.*)"})
    (diagnosis,) = diagnose("Travel was 330.69.", None, make_reference(), grader)
    assert diagnosis.causes == ("Travel 2026-08: line 169 'Airport Parking' left out",)


@pytest.mark.parametrize(
    ("extracted", "reference"),
    [
        (None, make_reference()),
        ("330.69", None),
        ("330.69", Reference(entries=make_reference().entries, totals=())),
    ],
    ids=["no amount", "no reference", "no total of the fact"],
)
def test_without_an_amount_or_a_total_of_entries_nothing_is_diagnosed(extracted, reference):
    assert diagnose("Travel was 330.69.", extracted, reference) == ()


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({}, "pattern: it is missing; state one, or give the suite a fact_extraction"),
        ({"occurrence": "last", **EXTRACTION}, "occurrence: it chooses among the matches"),
        ({"pattern": "(.*)", **EXTRACTION}, "pattern: it extracts already"),
        ({**EXTRACTION, "fact_name": "dining"}, "fact_name: 'dining' is no property"),
        ({**EXTRACTION, "extraction_schema": {"type": 1}}, "extraction_schema: "),
        ({"unit": "cent"}, "unit: this grader has no such field; it takes fact_name, occurrence, "),
    ],
)
def test_a_faulty_field_is_refused_by_name(fields, fault):
    with pytest.raises(FaultyInput) as refused:
        make_amount({"fact_name": DINING} | fields)
    assert [line.startswith(fault) for line in refused.value.faults] == [True]


def test_the_way_of_extraction_is_part_of_the_identity():
    assert GRADER.roles == ("extractor",)
    assert sorted(GRADER.configuration()) == [
        "extraction_instructions",
        "extraction_schema",
        "fact_name",
        "tolerance",
    ]
    assert format_canonical(GRADER.configuration())
