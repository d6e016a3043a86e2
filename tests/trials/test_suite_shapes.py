"""The JSON Schemas for editors: what loads is valid, and a slip is marked."""

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from graders import GRADERS
from tests.trials.suites import AMOUNT, JUDGE, REFERENCE, SHAPE, Draft
from trials.suite.shapes import FileKind, make_shape

ROOT = Path(__file__).parents[2]
SUITES = sorted(
    [*ROOT.glob("examples/*/eval_suite*.json"), ROOT / "cli/first_suite/eval_suite.json"]
)
CONFIGURATIONS = sorted(ROOT.glob("cli/first_suite/configurations/*.json"))
REFERENCES = sorted(ROOT.glob("examples/*/**/reference_ledger.json"))
CASE = {"question": "One?", "critical": True, "facts": {"a": [1.5, "2"], "b": 3}}


def list_errors(kind, document):
    return list(Draft202012Validator(make_shape(kind)).iter_errors(document))


def name(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("kind", FileKind)
def test_a_shape_is_a_schema_of_its_draft(kind):
    shape = make_shape(kind)
    Draft202012Validator.check_schema(shape)
    assert shape["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert json.loads(json.dumps(shape)) == shape


@pytest.mark.parametrize("path", SUITES, ids=name)
def test_the_suite_files_that_are_shipped_are_valid(path):
    assert list_errors(FileKind.SUITE, json.loads(path.read_text())) == []


@pytest.mark.parametrize("path", CONFIGURATIONS, ids=name)
def test_the_configurations_that_are_shipped_are_valid(path):
    assert list_errors(FileKind.CONFIGURATION, json.loads(path.read_text())) == []


@pytest.mark.parametrize("path", REFERENCES, ids=name)
def test_the_references_that_are_shipped_are_valid(path):
    assert list_errors(FileKind.REFERENCE, json.loads(path.read_text())) == []


@pytest.mark.parametrize(
    ("kind", "document"),
    [
        (FileKind.SUITE, Draft().suite),
        (FileKind.CONFIGURATION, JUDGE | {"tools": ["shell"], "effort": "low"}),
        (FileKind.CASE, CASE),
        (FileKind.REFERENCE, REFERENCE),
    ],
)
def test_an_unknown_field_is_marked(kind, document):
    assert list_errors(kind, document) == []
    assert list_errors(kind, yaml.safe_load(yaml.safe_dump(document))) == []
    assert [error.validator for error in list_errors(kind, document | {"colour": 1})] == [
        "additionalProperties"
    ]


LIMITS = {"deadline_s": 0.3, "cost_usd_max": "0.5", "attempts_max": 20}
PRICE = {
    "provider": "acme",
    "model": "m-1",
    "input_usd_per_million": "2.50",
    "output_usd_per_million": 10,
}


@pytest.mark.parametrize(
    "limits",
    [
        {"deadline_s": 0},
        {"deadline_s": 86_401},
        {"cost_usd_max": 0},
        {"attempts_max": 21},
        {"output_tokens_max": 0},
        {"requests_per_minute": 1_000_001},
        {"deadline": 5},
    ],
)
def test_a_fault_of_a_limit_is_marked(limits):
    sound = JUDGE | {"limits": LIMITS, "resolved_models": ["m-1-2026"]}
    assert list_errors(FileKind.CONFIGURATION, sound) == []
    assert list_errors(FileKind.CONFIGURATION, sound | {"limits": LIMITS | limits}) != []


@pytest.mark.parametrize(
    "fields",
    [
        {"prices": [PRICE | {"input_usd_per_million": -1}]},
        {"prices": [PRICE | {"cached_usd_per_million": 1}]},
        {"prices": PRICE},
        {"refuse_other_models": "yes"},
        {"checks": [AMOUNT | {"evidence": "Report"}]},
        {"variants": [{"variant_name": "a", "prompt_file": "a.md", "system": "Be brief."}]},
    ],
)
def test_a_fault_of_what_a_run_needs_is_marked(fields):
    sound = Draft().suite | {
        "prices": [PRICE | {"cache_read_usd_per_million": 0}],
        "refuse_other_models": True,
        "checks": [AMOUNT | {"evidence": "report"}],
        "variants": [{"variant_name": "a", "prompt_file": "a.md", "system_file": "s.md"}],
    }
    assert list_errors(FileKind.SUITE, sound) == []
    assert list_errors(FileKind.SUITE, sound | fields) != []


@pytest.mark.parametrize(
    "check",
    [
        AMOUNT | {"tolerence": "0"},
        AMOUNT | {"rubric_file": "x"},
        AMOUNT | {"minimum_pass_rate": 1.2},
        AMOUNT | {"minimum_pass_rate": "80 %"},
        AMOUNT | {"check_name": "two words"},
        AMOUNT | {"critical": "yes"},
        SHAPE | {"schema": {}},
        {key: value for key, value in SHAPE.items() if key != "schema_file"},
        {key: value for key, value in AMOUNT.items() if key != "grader"},
    ],
)
def test_a_fault_of_a_check_is_marked(check):
    assert list_errors(FileKind.SUITE, Draft().suite | {"checks": [AMOUNT]}) == []
    assert list_errors(FileKind.SUITE, Draft().suite | {"checks": [check]}) != []


def test_a_decimal_of_a_grader_may_be_a_number_as_loading_takes_it():
    check = AMOUNT | {"tolerance": 0.5}
    assert list_errors(FileKind.SUITE, Draft().suite | {"checks": [check]}) == []


def test_a_strangers_grader_may_have_any_fields():
    check = AMOUNT | {"grader": "theirs", "colour": 1}
    assert list_errors(FileKind.SUITE, Draft().suite | {"checks": [check]}) == []


@pytest.mark.parametrize("kind", FileKind)
def test_each_field_of_ours_says_what_it_means(kind):
    shape = make_shape(kind)
    parts = [shape, *(part for key, part in shape.get("$defs", {}).items() if key.istitle())]
    parts += [part for key, part in shape.get("$defs", {}).items() if key.endswith("Entry")]
    fields = [field for part in parts for field in part["properties"].values()]
    assert [field for field in fields if not field.get("description")] == []


@pytest.mark.parametrize("grader", GRADERS)
def test_each_grader_has_its_fields(grader):
    shape = make_shape(FileKind.SUITE)
    assert shape["$defs"][f"grader_{grader}"]["properties"]
    choices = shape["$defs"]["CheckEntry"]["allOf"]
    assert grader in [choice["if"]["properties"]["grader"]["const"] for choice in choices]
