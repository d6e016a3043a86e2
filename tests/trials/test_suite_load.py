import json
from decimal import Decimal

import pytest
import yaml

from graders.grader import Evidence, Key
from ledger.errors import FaultyInput
from ledger.outcomes import Verdict
from tests.trials.suites import RECORDS, Draft
from trials.suite import Case, Price, Variant, compose_prompt, load_suite


def test_case_folders_come_in_the_order_of_their_names(tmp_path):
    suite = load_suite(Draft().write(tmp_path))
    assert [case.id for case in suite.cases] == ["july", "june"]


def test_a_case_folder_gives_inputs_and_key_apart(tmp_path):
    june = load_suite(Draft().write(tmp_path)).cases[1]
    assert june == Case(
        id="june",
        category="sums",
        critical=True,
        question="June?",
        inputs=(("log.txt", b"1.00 coffee\n"), ("notes/b.bin", b"\x00\xff")),
        key=Key(facts={"total": ("12.50", "13")}),
    )


def test_a_number_of_a_key_keeps_the_digits_it_was_written_with(tmp_path):
    july = load_suite(Draft().write(tmp_path)).cases[0]
    assert july.key == Key(facts={"total": ("1.10", "2")})


def test_a_minimum_pass_rate_is_read_from_its_text(tmp_path):
    draft = Draft()
    draft.check(1, minimum_pass_rate="0.9500000000000000000000000001")
    text = json.dumps(draft.suite).replace("0.8,", "0.1000000000000000000000000001,")
    draft.files["eval_suite.json"] = text
    rates = [check.minimum_pass_rate for check in load_suite(draft.write(tmp_path)).checks]
    assert rates == [
        Decimal("0.1000000000000000000000000001"),
        Decimal("0.9500000000000000000000000001"),
    ]


def test_a_check_gets_its_grader_with_the_schema_that_its_file_holds(tmp_path):
    check = load_suite(Draft().write(tmp_path)).checks[1]
    evidence = Evidence(case="june", variant="plain", answer="[]", key=None)
    assert check.grader.decide(evidence, {}).verdict is Verdict.FAIL
    assert check.grader_fields == {"schema_file": "grading/schema.json"}
    assert check.critical


def test_a_tolerance_with_a_fraction_reaches_the_grader_as_its_text(tmp_path):
    draft = Draft()
    text = json.dumps(draft.suite).replace('"pattern"', '"tolerance": 0.10, "pattern"')
    draft.files["eval_suite.json"] = text
    check = load_suite(draft.write(tmp_path)).checks[0]
    assert check.grader_fields["tolerance"] == "0.10"
    assert check.grader.configuration()["tolerance"] == "0.10"


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_records_come_in_the_order_of_their_file(tmp_path, ending):
    draft = Draft()
    draft.suite["cases"] = f"cases.{ending}"
    lines = "\r\n\n".join(json.dumps(item) for item in RECORDS)
    draft.files[f"cases.{ending}"] = json.dumps(RECORDS) if ending == "json" else lines
    cases = load_suite(draft.write(tmp_path)).cases
    assert [(case.id, case.key) for case in cases] == [
        ("a", Key(must_include=("one",))),
        ("b", None),
    ]


def test_yaml_says_what_json_says(tmp_path):
    written = load_suite(Draft().write(tmp_path / "json"))
    draft = Draft()
    Draft().write(tmp_path / "yaml")
    (tmp_path / "yaml" / "eval_suite.json").unlink()
    (tmp_path / "yaml" / "eval_suite.yaml").write_text(yaml.safe_dump(draft.suite))
    loaded = load_suite(tmp_path / "yaml")
    assert (loaded.checks, loaded.cases) == (written.checks, written.cases)


def test_a_suite_file_may_be_named_itself(tmp_path):
    folder = Draft().write(tmp_path)
    assert load_suite(folder / "eval_suite.json") == load_suite(folder)


def test_the_only_variant_is_the_gated_one(tmp_path):
    assert load_suite(Draft().write(tmp_path)).gated_variant == "plain"


def test_files_for_people_belong_to_the_suite_and_not_to_a_trial(tmp_path):
    suite = load_suite(Draft().write(tmp_path))
    assert "cases/june/key.md" in [file.path for file in suite.files]
    assert all("key.md" not in name for case in suite.cases for name, _ in case.inputs)


def test_what_begins_with_a_dot_beside_the_cases_is_left_alone(tmp_path):
    draft = Draft()
    draft.files["cases/.DS_Store"] = b"\x00"
    assert len(load_suite(draft.write(tmp_path)).cases) == 2


def test_a_path_may_go_up_and_down_within_the_folder(tmp_path):
    draft = Draft()
    draft.variant(prompt_file="cases/../prompts/./plain.md")
    suite = load_suite(draft.write(tmp_path))
    assert "prompts/plain.md" in [file.path for file in suite.files]


def test_a_question_is_put_in_once_exactly_as_written():
    variant = Variant(name="plain", prompt="A {{question}} B\r\n", description="")
    case = Case(
        id="a", category=None, critical=False, question="{{question}} \\1 ", inputs=(), key=None
    )
    assert compose_prompt(variant, case) == "A {{question}} \\1  B\r\n"


def test_a_suite_without_questions_has_a_prompt_without_placeholder(tmp_path):
    draft = Draft()
    draft.files["prompts/plain.md"] = "Sum up the log.\n"
    draft.files["cases/june/case.json"] = "{}"
    del draft.files["cases/july/case.json"]
    suite = load_suite(draft.write(tmp_path))
    assert compose_prompt(suite.variants[0], suite.cases[0]) == "Sum up the log.\n"


def test_every_fault_is_said_at_once(tmp_path):
    draft = Draft()
    draft.suite |= {"repetitions": 0, "sutie": 1}
    draft.check(0, minimum_pass_rate=1.2, fact_name=7)
    draft.check(1, grader="shcema")
    draft.files["prompts/plain.md"] = " \n"
    draft.files["cases/june/inputs/expected_facts.json"] = "{}"
    draft.files["cases/july/case.json"] = '{"question": 3}'
    with pytest.raises(FaultyInput) as refused:
        load_suite(draft.write(tmp_path))
    assert len(refused.value.faults) == 8


def test_a_system_text_is_kept_as_it_is_written(tmp_path):
    draft = Draft()
    draft.variant(system_file="prompts/system.md")
    draft.files["prompts/system.md"] = " Be brief.\r\n{ {not one} }\n\n"
    (variant,) = load_suite(draft.write(tmp_path)).variants
    assert variant.system == " Be brief.\r\n{ {not one} }\n\n"


def test_a_variant_without_a_system_file_has_no_system_text(tmp_path):
    (variant,) = load_suite(Draft().write(tmp_path)).variants
    assert variant.system is None


def test_a_price_keeps_its_digits_and_cached_input_costs_what_input_does(tmp_path):
    draft = Draft()
    row: dict[str, object] = {"provider": "acme", "model": "m 1"}
    row |= {"input_usd_per_million": "0.10", "output_usd_per_million": 5}
    draft.suite["prices"] = [
        row,
        row | {"model": "m-2", "cache_read_usd_per_million": 0, "cache_write_usd_per_million": 1},
    ]
    ten, five = Decimal("0.10"), Decimal(5)
    assert load_suite(draft.write(tmp_path)).prices == (
        Price("acme", "m 1", ten, five, ten, ten),
        Price("acme", "m-2", ten, five, Decimal(0), Decimal(1)),
    )


def test_what_a_suite_does_not_say_is_the_answer_no_price_and_no_refusal(tmp_path):
    suite = load_suite(Draft().write(tmp_path))
    assert [check.evidence for check in suite.checks] == ["answer", "answer"]
    assert (suite.prices, suite.refuses_other_models) == ((), False)


def test_a_check_may_look_at_another_part_and_a_suite_refuse_other_models(tmp_path):
    draft = Draft()
    draft.check(0, evidence="report.v2_final-1")
    draft.suite["refuse_other_models"] = True
    suite = load_suite(draft.write(tmp_path))
    assert [check.evidence for check in suite.checks] == ["report.v2_final-1", "answer"]
    assert suite.refuses_other_models
