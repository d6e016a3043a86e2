"""References: read, held against the facts, and replaced by another revision of the keys."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from graders.reference import Reference, ReferenceEntry, ReferenceTotal
from ledger.errors import FaultyInput
from tests.trials.suites import REFERENCE, Draft, record
from trials.suite import format_manifest, load_suite
from trials.suite.schema import AlternativeEntry, ExtractionEntry, LineEntry, TotalEntry

PAGE = (Path(__file__).parents[2] / "docs" / "suites.md").read_text("utf-8")
FACTS = "cases/june/expected_facts.json"
LEDGER = "cases/june/reference_ledger.json"


def load_key(draft, folder, case="june"):
    suite = load_suite(draft.write(folder))
    key = next(item.key for item in suite.cases if item.id == case)
    assert key is not None
    return key


def make_reference(*entries, facts):
    """Return a draft whose reference has entries of one month, and one total of Food."""
    draft = Draft()
    document = {"totals": REFERENCE["totals"], "entries": []}
    for line, (amount, category, *policies) in enumerate(entries, start=1):
        alternatives = [{"policy": name, "category": other} for name, other in policies]
        document["entries"].append(
            {
                "line": line,
                "text": "x",
                "amount": amount,
                "period": "2026-06",
                "category": category,
                "alternatives": alternatives,
            }
        )
    draft.files[LEDGER] = json.dumps(document)
    draft.files[FACTS] = json.dumps({"total": facts})
    return draft


def test_a_reference_comes_sorted_by_line_with_its_digits_as_written(tmp_path):
    draft = Draft()
    draft.reference()
    text = str(draft.files[LEDGER]).replace("0.5,", "0.50,")
    draft.files[LEDGER] = text
    reference = load_key(draft, tmp_path).reference
    assert isinstance(reference, Reference)
    coffee = ReferenceEntry(
        line=1,
        text="6/2 coffee 12.50",
        amount=Decimal("12.50"),
        period="2026-06",
        category="Food",
        merchant="Bean",
    )
    assert reference.entries[0] == coffee
    assert [str(entry.amount) for entry in reference.entries] == ["12.50", "0.50", "12.50"]
    assert [entry.is_counted for entry in reference.entries] == [True, True, False]
    assert reference.totals == (
        ReferenceTotal(fact_name="total", category="Food", period="2026-06"),
    )


def test_a_reference_is_a_file_of_the_suite(tmp_path):
    draft = Draft()
    draft.reference()
    assert LEDGER in [file.path for file in load_suite(draft.write(tmp_path)).files]


def test_another_reference_is_another_key_and_another_suite(tmp_path):
    draft = Draft()
    draft.reference()
    first = load_suite(draft.write(tmp_path / "one"))
    draft.reference(lambda it: it["entries"][1].update(merchant="Bar"))
    other = load_suite(draft.write(tmp_path / "two"))
    assert format_manifest(first) != format_manifest(other)
    keys = [suite.cases[1].key for suite in (first, other)]
    assert keys[0] != keys[1]


@pytest.mark.parametrize(
    ("entries", "facts"),
    [
        ([("5", "Food"), ("-2", "Food")], ["3"]),
        ([("5", "Food"), ("1", "Fun")], ["5.00"]),
        ([("5", "Food"), ("1", "Food", ("p", "Fun"))], ["6", "5"]),
        ([("5", "Food"), ("1", "Fun", ("p", "Food")), ("2", "Fun", ("p", "Food"))], ["5", "8"]),
        ([("1", "Fun", ("p", "Food")), ("2", "Fun", ("q", "Food"))], ["0", "1", "2", "3"]),
        ([("1", "Fun", ("p", "Food")), ("-1", "Fun", ("p", "Food")), ("1", "Food")], ["1"]),
        ([("1" * 40, "Food"), ("0." + "1" * 38, "Food")], [f"{'1' * 40}.{'1' * 38}"]),
    ],
)
def test_the_accepted_values_are_the_sums_over_every_choice_of_policies(tmp_path, entries, facts):
    draft = make_reference(*entries, facts=facts)
    assert load_key(draft, tmp_path).facts == {"total": tuple(facts)}


@pytest.mark.parametrize("facts", [["6"], ["5"], ["5", "6", "7"], ["5", "6.01"]])
def test_one_value_too_few_or_too_many_is_a_contradiction(tmp_path, facts):
    draft = make_reference(("5", "Food"), ("1", "Food", ("p", "Fun")), facts=facts)
    with pytest.raises(FaultyInput) as refused:
        load_key(draft, tmp_path)
    assert refused.value.faults == (
        (
            f"{LEDGER}: totals[0]: the entries give 6 or 5, but {FACTS} accepts "
            f"{' or '.join(facts)} for 'total'; correct one of them"
        ),
    )


def test_facts_that_are_no_totals_are_left_alone(tmp_path):
    draft = make_reference(("5", "Food"), facts="5")
    draft.files[FACTS] = '{"total": 5, "status": "over"}'
    assert load_key(draft, tmp_path).facts["status"] == ("over",)


def test_a_fault_of_a_total_names_eight_values_at_most(tmp_path):
    entries = [(str(2**n), "Fun", (f"p{n}", "Food")) for n in range(6)]
    with pytest.raises(FaultyInput, match=r"give 0 or 1 or 2 or 4 or .* or 56 more, but "):
        load_key(make_reference(*entries, facts="0"), tmp_path)


def test_facts_in_a_case_file_are_named_as_the_place_of_a_contradiction(tmp_path):
    draft = make_reference(("5", "Food"), facts="5")
    draft.files.pop(FACTS)
    draft.files["cases/june/case.json"] = '{"question": "June?", "facts": {"total": 6}}'
    with pytest.raises(FaultyInput, match=r"but cases/june/case\.json accepts 6 for 'total'"):
        load_key(draft, tmp_path)


def revise(draft, case, **files):
    draft.suite["keys"] = "keys"
    for name, document in files.items():
        draft.files[f"keys/{case}/{name}.json"] = json.dumps(document)


def test_a_revision_takes_the_place_of_a_key_and_of_its_file(tmp_path):
    draft = Draft()
    revise(draft, "june", expected_facts={"total": "7"})
    suite = load_suite(draft.write(tmp_path))
    key = suite.cases[1].key
    assert key is not None
    assert key.facts == {"total": ("7",)}
    paths = [file.path for file in suite.files]
    assert "keys/june/expected_facts.json" in paths
    assert FACTS not in paths
    assert "cases/june/key.md" in paths


def test_a_revision_takes_the_place_of_all_facts_wherever_they_were(tmp_path):
    draft = Draft()
    draft.files["cases/july/case.json"] = (
        '{"question": "July?", "facts": {"total": 1, "more": 2}, "must_include": ["x"]}'
    )
    revise(draft, "july", expected_facts={"total": "7"})
    key = load_key(draft, tmp_path, "july")
    assert (key.facts, key.must_include) == ({"total": ("7",)}, ("x",))


def test_a_record_gets_a_key_by_revision(tmp_path):
    draft = Draft()
    draft.records(record(facts={"total": 1}), record(id="b", question="Two?"))
    revise(draft, "a", expected_facts={"total": "12.50"})
    key = load_key(draft, tmp_path, "a")
    assert key.facts == {"total": ("12.50",)}


def test_a_revision_may_give_facts_and_reference_to_a_case_without_a_key(tmp_path):
    draft = Draft()
    draft.records(record(), record(id="b", question="Two?"))
    revise(draft, "b", expected_facts={"total": ["12.50", 13]}, reference_ledger=REFERENCE)
    key = load_key(draft, tmp_path, "b")
    assert key.reference is not None
    assert len(key.reference.entries) == 3


def test_what_a_revision_replaces_is_not_even_read(tmp_path):
    draft = Draft()
    draft.reference()
    draft.files[FACTS] = "not JSON"
    draft.files[LEDGER] = "nor this"
    revise(draft, "june", expected_facts={"total": "12.50"}, reference_ledger=REFERENCE)
    draft.files["keys/june/reference_ledger.json"] = json.dumps(
        {"totals": REFERENCE["totals"], "entries": REFERENCE["entries"][:2]}
    )
    assert load_key(draft, tmp_path).facts == {"total": ("12.50",)}


def test_two_suite_files_differ_in_their_keys_alone(tmp_path):
    draft = Draft()
    folder = draft.write(tmp_path)
    revise(draft, "june", expected_facts={"total": "7"})
    draft.files["second.json"] = json.dumps(draft.suite)
    draft.suite.pop("keys")
    draft.write(tmp_path)
    first, second = load_suite(folder), load_suite(folder / "second.json")
    assert [case.inputs for case in first.cases] == [case.inputs for case in second.cases]
    same = [case.key == second.cases[index].key for index, case in enumerate(first.cases)]
    assert same == [True, False]


@pytest.mark.parametrize("model", [TotalEntry, LineEntry, AlternativeEntry, ExtractionEntry])
def test_the_page_on_suites_names_each_field(model):
    assert [field for field in model.model_fields if f"`{field}`" not in PAGE] == []
