"""The diagnosis of wrong totals."""

import sys
from dataclasses import replace
from decimal import Decimal, localcontext
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.diagnosis import (
    EXPLANATIONS_MAX,
    Diagnosis,
    diagnose_total,
    format_cause,
    format_diagnosis,
    trace_amount,
)
from graders.mistakes import MistakeKind
from graders.reference import (
    ENTRIES_MAX,
    Reference,
    ReferenceEntry,
    ReferenceTotal,
    list_policies,
    sum_total,
)
from tests.graders.test_diagnosis_bars import LEDGER, list_mistakes, read_reference

FIRST_KEY = LEDGER.parents[2] / "first_key" / LEDGER.parent.name / LEDGER.name
UBER = "August 16 Uber in Transport"
BOOKS = "Barnes & Noble in Shopping"
STEAM = "Steam in Shopping"
MONTH = "2026-08"


def make_entry(line, amount, category="Travel", **fields):
    return ReferenceEntry(
        line=line,
        text=f"Entry {line}",
        amount=Decimal(amount),
        period=fields.pop("period", MONTH),
        category=category,
        **fields,
    )


def make_reference(*entries):
    return Reference(entries=entries, totals=())


def diagnose(reported, *entries) -> Diagnosis:
    return diagnose_total(make_reference(*entries), "Travel", MONTH, Decimal(reported))


def list_found(diagnosis):
    return [
        [(mistake.kind.name, mistake.lines, mistake.instead) for mistake in each.mistakes]
        for each in diagnosis.explanations
    ]


def test_an_entry_that_is_missing_was_left_out():
    found = diagnose("90", make_entry(1, "90"), make_entry(2, "68"))
    assert list_found(found) == [[("LEFT_OUT", (2,), ())]]
    assert found.explanations[0].difference == found.explanations[0].mistakes[0].effect == -68


def test_an_entry_of_another_category_was_counted_in():
    entries = make_entry(1, "90"), make_entry(2, "47.58", "Uncategorized")
    found = diagnose("137.58", *entries)
    assert list_found(found) == [[("COUNTED_IN", (2,), ())]]
    assert found.explanations[0].mistakes[0].category == "Uncategorized"


def test_a_repeated_entry_was_counted():
    found = diagnose("180", make_entry(1, "90"), make_entry(2, "90", duplicate_of=1))
    assert list_found(found) == [[("DUPLICATE_COUNTED", (2,), ())]]


def test_a_refund_was_counted_as_a_payment():
    found = diagnose("131.27", make_entry(1, "90"), make_entry(2, "-41.27"))
    assert list_found(found) == [[("REFUND_SIGN", (2,), ())]]
    assert found.explanations[0].mistakes[0].effect == Decimal("82.54")


def test_a_refund_that_is_missing_was_left_out():
    found = diagnose("90", make_entry(1, "90"), make_entry(2, "-41.27"))
    assert list_found(found) == [[("LEFT_OUT", (2,), ())]]


def test_a_refund_is_not_left_out_and_counted_as_a_payment_at_once():
    found = diagnose("213.81", make_entry(1, "90"), make_entry(2, "-41.27"))
    assert found.explanations == ()


@pytest.mark.parametrize(
    "entry",
    [
        make_entry(2, "7", "Dining", period="2026-07"),
        make_entry(2, "7", duplicate_of=3),
        make_entry(2, "7", duplicate_of=9),
        make_entry(2, "0"),
    ],
    ids=["other period", "repeats an entry elsewhere", "repeats nothing", "zero"],
)
def test_what_the_rules_leave_out_explains_nothing(entry):
    elsewhere = make_entry(3, "1000", "Dining")
    assert diagnose("97", make_entry(1, "90"), entry, elsewhere).explanations == ()


def test_a_repetition_goes_where_a_policy_puts_what_it_repeats():
    moved = make_entry(1, "24.10", "Transport", alternatives=(("Uber", "Travel"),))
    found = diagnose("48.20", moved, make_entry(2, "24.10", "Transport", duplicate_of=1))
    assert list_found(found) == [[("DUPLICATE_COUNTED", (2,), ())]]
    assert found.explanations[0].policies == ("Uber",)


def test_two_entries_are_mistaken_where_one_is_not_enough():
    entries = make_entry(1, "90"), make_entry(2, "68"), make_entry(3, "5", "Dining")
    assert list_found(diagnose("95", *entries)) == [
        [("LEFT_OUT", (2,), ()), ("COUNTED_IN", (3,), ())]
    ]


def test_an_accepted_policy_comes_before_any_mistake():
    moved = make_entry(2, "24.10", alternatives=((UBER, "Transport"),))
    found = diagnose("114.10", make_entry(1, "90"), moved, make_entry(3, "24.1"))
    assert [each.mistakes for each in found.explanations] == [()]
    assert found.explanations[0].policies == (UBER,)


def test_one_mistake_under_a_policy_comes_before_two_without_it():
    moved = make_entry(2, "24.10", alternatives=((UBER, "Transport"),))
    found = diagnose("90", make_entry(1, "90"), moved, make_entry(3, "68"))
    assert list_found(found) == [[("LEFT_OUT", (3,), ())]]
    assert found.explanations[0].policies == (UBER,)


def test_of_equally_many_mistakes_the_closest_reference_comes_first():
    moved = make_entry(2, "24.10", alternatives=((UBER, "Transport"),))
    entries = make_entry(1, "90"), moved, make_entry(3, "10"), make_entry(4, "34.10")
    found = diagnose("124.10", *entries)
    assert [each.policies for each in found.explanations] == [(UBER,), ()]
    assert list_found(found) == [[("LEFT_OUT", (3,), ())], [("LEFT_OUT", (4,), ())]]


def test_interchangeable_entries_are_one_mistake():
    entries = [make_entry(line, "2.75") for line in (1, 2, 3)]
    assert list_found(diagnose("5.50", *entries)) == [[("LEFT_OUT", (1,), (2, 3))]]
    assert list_found(diagnose("2.75", *entries)) == [
        [("LEFT_OUT", (1,), (3,)), ("LEFT_OUT", (2,), (3,))]
    ]


def test_equal_amounts_mistaken_in_two_ways_are_two_explanations():
    entries = make_entry(1, "7"), make_entry(2, "7", duplicate_of=1), make_entry(3, "7", "Dining")
    assert list_found(diagnose("14", *entries)) == [
        [("COUNTED_IN", (3,), ())],
        [("DUPLICATE_COUNTED", (2,), ())],
    ]


def test_of_interchangeable_pairs_the_one_of_one_merchant_is_named():
    entries = (
        make_entry(1, "5", "Dining", merchant="Diner"),
        make_entry(2, "5", "Health", merchant="CVS"),
        make_entry(3, "7", "Health", merchant="CVS"),
    )
    assert list_found(diagnose("12", *entries)) == [
        [("COUNTED_IN", (2,), (1,)), ("COUNTED_IN", (3,), ())]
    ]


def test_of_other_pairs_the_one_of_one_category_comes_first():
    entries = (
        make_entry(1, "4", "Dining"),
        make_entry(2, "8", "Groceries"),
        make_entry(3, "5", "Health"),
        make_entry(4, "7", "Health"),
    )
    lines = [[lines for _, lines, _ in each] for each in list_found(diagnose("12", *entries))]
    assert lines == [[(3,), (4,)], [(1,), (2,)]]


def test_no_more_explanations_come_out_than_somebody_reads():
    amounts = [amount for step in range(20) for amount in (step + 1, 1000 - step)]
    entries = [make_entry(line, amount, "Dining") for line, amount in enumerate(amounts, 1)]
    found = diagnose("1001", *entries)
    assert len(found.explanations) == EXPLANATIONS_MAX
    assert "At least 7 other explanations fit." in format_diagnosis(found)


def test_a_whole_merchant_is_left_out_or_counted_in_together():
    pharmacy = [make_entry(line, 10**line, "Health", merchant="CVS") for line in range(3)]
    counted_in = diagnose("201", make_entry(9, "90"), *pharmacy)
    assert list_found(counted_in) == [[("COUNTED_IN", (0, 1, 2), ())]]
    assert counted_in.explanations[0].mistakes[0].text == "the 3 entries of CVS"
    inside = [replace(entry, category="Travel") for entry in pharmacy]
    left_out = diagnose("90", make_entry(9, "90"), *inside)
    assert list_found(left_out) == [[("LEFT_OUT", (0, 1, 2), ())]]


def test_a_whole_category_is_counted_in_together():
    rides = [make_entry(line, 10**line, "Transport", merchant=f"M{line}") for line in range(3)]
    found = diagnose("201", make_entry(9, "90"), *rides)
    assert list_found(found) == [[("COUNTED_IN", (0, 1, 2), ())]]
    assert "all 3 entries of Transport" in format_diagnosis(found)


def test_two_merchants_of_one_category_are_counted_in_together():
    health = [
        make_entry(line, 10**line, "Health", merchant=merchant)
        for line, merchant in enumerate(["CVS", "CVS", "Walgreens", "Dentist"])
    ]
    found = diagnose("201", make_entry(9, "90"), *health)
    assert list_found(found) == [[("COUNTED_IN", (0, 1), ()), ("COUNTED_IN", (2,), ())]]


def test_two_merchants_of_different_categories_are_no_simple_explanation():
    entries = [
        make_entry(line, 10**line, category, merchant=category)
        for line, category in enumerate(["Health", "Health", "Dining", "Dining", "Dining"])
    ]
    assert diagnose("11201", make_entry(9, "90"), *entries).explanations == ()


def test_three_unrelated_entries_are_no_simple_explanation():
    entries = [make_entry(line, 10**line, "Dining", merchant=f"M{line}") for line in range(4)]
    found = diagnose("201", make_entry(9, "90"), *entries)
    assert found.explanations == ()
    assert format_diagnosis(found) == (
        "Travel 2026-08: the answer states 201, the reference is 90, a difference of +111. "
        "No simple explanation was found."
    )
    assert format_cause(found.nearest, "Travel", MONTH) == "Travel 2026-08: no simple explanation"


def test_an_explanation_is_exact_where_a_check_tolerates_a_cent():
    assert diagnose("90.01", make_entry(1, "90"), make_entry(2, "68")).explanations == ()


def test_amounts_beyond_the_thread_s_precision_stay_exact():
    large = Decimal("1" * 60)
    with localcontext(prec=5):
        found = diagnose(large, make_entry(1, large), make_entry(2, "0.01"))
    assert list_found(found) == [[("LEFT_OUT", (2,), ())]]
    assert found.explanations[0].difference == Decimal("-0.01")


def test_a_total_without_entries_is_zero():
    assert diagnose("0").explanations[0].reference == 0
    assert diagnose("1").explanations == ()


def test_parking_left_out_of_travel_is_found_under_the_policy_of_the_answer():
    found = diagnose_total(read_reference(LEDGER), "Travel", MONTH, Decimal("1563.82"))
    assert format_diagnosis(found) == (
        "Travel 2026-08: the answer states 1,563.82, the reference is 1,631.82 (policy 'August 16 "
        "Uber in Transport'), a difference of -68.00. Candidate cause: line 169 'Airport Parking "
        "- $68.00 (August 14)' left out (-68.00)."
    )
    assert format_cause(found.explanations[0], "Travel", MONTH) == (
        "Travel 2026-08: line 169 'Airport Parking - $68.00 (August 14)' left out"
    )


def test_a_flight_taken_for_a_repetition_is_found_left_out():
    found = diagnose_total(read_reference(LEDGER), "Travel", MONTH, Decimal("1219.22"))
    assert [each.policies for each in found.explanations] == [(UBER,)]
    assert list_found(found) == [[("LEFT_OUT", (167,), ())]]
    assert found.explanations[0].difference == Decimal("-412.60")


def test_a_purchase_the_first_key_did_not_allow_in_shopping_is_found_counted_in():
    found = diagnose_total(read_reference(FIRST_KEY), "Shopping", "2026-06", Decimal("1068.35"))
    assert format_diagnosis(found) == (
        "Shopping 2026-06: the answer states 1,068.35, the reference is 1,020.77 (policy 'Barnes "
        "& Noble in Shopping'), a difference of +47.58. Candidate cause: line 16 'June 4: Steam, "
        "47.58', which the reference puts in Entertainment, counted in (+47.58)."
    )


def test_the_revised_key_accepts_what_the_first_one_did_not():
    found = diagnose_total(read_reference(LEDGER), "Shopping", "2026-06", Decimal("1068.35"))
    assert format_diagnosis(found) == (
        "Shopping 2026-06: the answer states 1,068.35, which is the reference (policies 'Barnes & "
        "Noble in Shopping' and 'Steam in Shopping')."
    )
    assert format_cause(found.explanations[0], "Shopping", "2026-06") == (
        f"Shopping 2026-06: accepted (policies '{BOOKS}' and '{STEAM}')"
    )


def test_a_text_names_the_other_lines_and_counts_the_other_explanations():
    entries = [make_entry(line, "7") for line in range(1, 6)]
    found = diagnose("28", *entries, make_entry(9, "-7", "Dining"))
    assert format_diagnosis(found) == (
        "Travel 2026-08: the answer states 28, the reference is 35, a difference of -7. Candidate "
        "cause: line 1 'Entry 1' left out, or one of lines 2, 3, 4 and 1 more instead (-7). "
        "1 other explanation fits."
    )


@pytest.mark.parametrize(
    ("amount", "totals"),
    [
        ("1020.77", (("Shopping", "2026-06"),)),
        ("1631.82", (("Travel", MONTH),)),
        ("1020.78", ()),
    ],
)
def test_an_amount_is_traced_to_the_totals_that_some_policies_make_it(amount, totals):
    assert trace_amount(read_reference(LEDGER), Decimal(amount)) == totals


def test_an_amount_can_be_that_of_several_totals():
    entries = (
        make_entry(1, "7.50"),
        make_entry(2, "7.5", "Dining", period="2026-07", alternatives=(("Lunch", "Groceries"),)),
        make_entry(3, "7.5", "Health", duplicate_of=1),
    )
    assert trace_amount(make_reference(*entries), Decimal("7.50")) == (
        ("Dining", "2026-07"),
        ("Groceries", "2026-07"),
        ("Travel", MONTH),
    )


def test_a_total_of_the_key_without_entries_is_traced_as_zero():
    total = ReferenceTotal(fact_name="t", category="Travel", period="2026-06")
    reference = Reference(entries=(make_entry(1, "7"),), totals=(total,))
    assert trace_amount(reference, Decimal(0)) == (("Travel", "2026-06"),)


def make_large_reference(size):
    """Return entries that are half in the total, of ever different amounts and few merchants."""
    return make_reference(
        *(
            make_entry(
                line,
                line * line % 1_000_003,
                "Travel" if line % 2 else "Dining",
                merchant=f"Merchant {line % 100}",
                alternatives=((f"Policy {line}", "Travel"),) if line in (2, 4) else (),
            )
            for line in range(1, size + 1)
        )
    )


def count_steps(call):
    """Return how many lines ``call`` runs: a measure of its work that no clock disturbs."""
    steps = 0

    def trace(_frame, event, _argument):
        nonlocal steps
        steps += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return steps


def test_the_work_grows_with_the_entries_and_not_with_their_pairs():
    def count_for(size):
        reference = make_large_reference(size)
        # Beyond all entries together: nothing fits, so each search runs to its end.
        return count_steps(lambda: diagnose_total(reference, "Travel", MONTH, Decimal(10**12)))

    assert count_for(ENTRIES_MAX) < 12 * count_for(ENTRIES_MAX // 10)


def test_many_equal_entries_are_no_more_work():
    def count_for(size):
        reference = make_reference(*(make_entry(line, "7", merchant="M") for line in range(size)))
        return count_steps(
            lambda: diagnose_total(reference, "Travel", MONTH, Decimal(7 * (size - 2)))
        )

    assert count_for(ENTRIES_MAX) < 12 * count_for(ENTRIES_MAX // 10)


categories = st.sampled_from(["Travel", "Dining", "Health"])
amounts = st.integers(-50, 200).map(lambda cents: Decimal(cents) / 100)


@st.composite
def make_references(draw):
    entries: list[ReferenceEntry] = []
    for line in range(1, draw(st.integers(1, 12)) + 1):
        counted = [entry.line for entry in entries if entry.is_counted]
        other = draw(st.none() | st.tuples(st.sampled_from(["A", "B", "C"]), categories))
        entries.append(
            make_entry(
                line,
                draw(amounts),
                draw(categories),
                merchant=draw(st.sampled_from([None, "X", "Y"])),
                alternatives=(other,) if other else (),
                duplicate_of=draw(st.sampled_from([None, *counted])),
            )
        )
    return make_reference(*entries)


@given(make_references(), st.integers(-200, 1000).map(lambda cents: Decimal(cents) / 100))
def test_every_explanation_adds_up_exactly(reference, reported):
    found = diagnose_total(reference, "Travel", MONTH, reported)
    for each in (*found.explanations, found.nearest):
        policies = frozenset(each.policies)
        assert each.reference == sum_total(reference, "Travel", MONTH, policies)
        assert each.difference == reported - each.reference
    for each in found.explanations:
        assert sum(mistake.effect for mistake in each.mistakes) == each.difference
        lines = [line for mistake in each.mistakes for line in mistake.lines]
        assert len(set(lines)) == len(lines)
    assert len({count_lines(each) for each in found.explanations}) <= 1
    assert format_diagnosis(found)


def count_lines(explanation):
    return sum(len(mistake.lines) for mistake in explanation.mistakes)


@given(make_references(), st.integers(-200, 1000).map(lambda cents: Decimal(cents) / 100))
def test_what_all_pairs_tried_one_by_one_explain_is_explained_by_as_few(reference, reported):
    found = diagnose_total(reference, "Travel", MONTH, reported)
    fewest = min((count_lines(each) for each in found.explanations), default=3)
    assert min(fewest, 3) == count_fewest(reference, reported)


def count_fewest(reference, reported):
    """Return how few mistakes of single entries explain ``reported``, and 3 for more than two."""
    total = ReferenceTotal(fact_name="t", category="Travel", period=MONTH)
    fewest = 3
    for policies in list_policies(reference, "Travel", MONTH):
        difference = reported - sum_total(reference, "Travel", MONTH, policies)
        mistakes = list(list_mistakes(reference, total, policies))
        if not difference:
            return 0
        if any(each.effect == difference for each in mistakes):
            fewest = 1
        if fewest > 2 and any(
            one.effect + other.effect == difference and one.line != other.line
            for one, other in combinations(mistakes, 2)
        ):
            fewest = 2
    return fewest


def test_the_kinds_of_mistakes_keep_their_names():
    assert [kind.value for kind in MistakeKind] == [
        "left_out",
        "counted_in",
        "duplicate_counted",
        "refund_sign",
    ]
