"""What graders ask: the roles of checks, and the configurations that answer them."""

import json

import pytest
import yaml

from graders import GRADERS, Member
from tests.trials.judges import JUDGE, Judge
from tests.trials.suites import JUDGED, Draft
from trials.suite import format_configuration, format_manifest, load_configuration, load_suite

EXTRACTION = {"instructions_file": "grading/i.md", "schema_file": "grading/schema.json"}


def make_extractor(fields):
    """Return a grader that holds what it was given, as text."""
    return Judge(question=json.dumps(fields, default=str, sort_keys=True))


@pytest.fixture(autouse=True)
def asking(monkeypatch):
    """Graders that ask: one a judge, one that is given the extraction too."""
    extracting = Member(factory=make_extractor, modules=JUDGE.modules, is_extracting=True)
    monkeypatch.setitem(GRADERS, "one_word", JUDGE)
    monkeypatch.setitem(GRADERS, "copier", extracting)


@pytest.fixture
def draft():
    draft = Draft()
    draft.judged()
    return draft


def add_extraction(draft, **fields):
    draft.suite["fact_extraction"] = EXTRACTION
    draft.suite["checks"].append(JUDGED | {"check_name": "copy", "grader": "copier"} | fields)
    draft.files["grading/i.md"] = "Copy what it says.\n"


def test_a_role_is_answered_by_its_configuration_the_same_as_loaded_by_itself(tmp_path, draft):
    suite = load_suite(draft.write(tmp_path))
    judge = load_configuration(tmp_path / "grading/judge.json")
    assert suite.graders == (("judge", judge),)
    assert judge.name == "judge"
    assert [file.path for file in judge.files] == ["judge.json", "replies.jsonl"]


def test_answers_beside_the_folder_of_a_grader_are_found_by_the_same_path(tmp_path):
    draft = Draft()
    draft.judged(settings={"answers_file": "../replies/./a.jsonl"})
    draft.files["replies/a.jsonl"] = '{"answer": "x"}\n'
    ((_, judge),) = load_suite(draft.write(tmp_path)).graders
    assert [file.path for file in judge.files] == ["../replies/a.jsonl", "judge.json"]
    assert format_configuration(judge) == format_configuration(
        load_configuration(tmp_path / "grading/judge.json")
    )


def test_the_files_of_a_grader_belong_to_the_suite(tmp_path, draft):
    paths = [file.path for file in load_suite(draft.write(tmp_path)).files]
    assert {"grading/judge.json", "grading/replies.jsonl"} <= set(paths)


def test_another_answer_of_a_grader_is_another_suite(tmp_path, draft):
    first = format_manifest(load_suite(draft.write(tmp_path)))
    (tmp_path / "grading/replies.jsonl").write_text("{}\n")
    assert format_manifest(load_suite(tmp_path)) != first


def test_two_roles_may_share_a_configuration_and_come_sorted(tmp_path, draft, monkeypatch):
    class Extractor(Judge):
        roles = ("extractor",)

    member = Member(factory=lambda _: Extractor(), modules=JUDGE.modules)
    monkeypatch.setitem(GRADERS, "extracts", member)
    draft.suite["checks"].append(JUDGED | {"check_name": "other", "grader": "extracts"})
    draft.suite["grader_configurations"]["extractor"] = "grading/judge.json"
    suite = load_suite(draft.write(tmp_path))
    assert [role for role, _ in suite.graders] == ["extractor", "judge"]
    assert len({format_configuration(item) for _, item in suite.graders}) == 1


def test_a_check_without_a_pattern_is_given_the_extraction(tmp_path, draft):
    add_extraction(draft)
    check = load_suite(draft.write(tmp_path)).checks[3]
    assert json.loads(str(check.grader.configuration()["question"])) == {
        "extraction_instructions": "Copy what it says.\n",
        "extraction_schema": {"maximum": "0.1", "type": "object"},
    }
    assert check.files == (
        ("extraction_instructions", "grading/i.md"),
        ("extraction_schema", "grading/schema.json"),
    )
    assert check.grader_fields == {}


def test_a_check_with_a_pattern_is_given_none(tmp_path, draft):
    add_extraction(draft, pattern="x (.*)")
    assert load_suite(draft.write(tmp_path)).checks[3].files == ()


def test_the_files_of_the_extraction_belong_to_the_suite_though_no_check_takes_them(tmp_path):
    draft = Draft()
    draft.suite["fact_extraction"] = EXTRACTION
    draft.files["grading/i.md"] = "Copy."
    paths = [file.path for file in load_suite(draft.write(tmp_path)).files]
    assert "grading/i.md" in paths


def test_yaml_says_all_of_it(tmp_path, draft):
    add_extraction(draft)
    draft.suite["variants"].append({"variant_name": "other", "prompt_file": "prompts/plain.md"})
    draft.suite |= {"gated_variant": "other", "keys": "keys"}
    draft.files["keys/june/expected_facts.json"] = '{"total": 7}'
    written = load_suite(draft.write(tmp_path / "json"))
    draft.write(tmp_path / "yaml")
    (tmp_path / "yaml/eval_suite.json").unlink()
    (tmp_path / "yaml/grading/judge.json").unlink()
    judge = json.loads(draft.files["grading/judge.json"])
    (tmp_path / "yaml/grading/judge.yml").write_text(yaml.safe_dump(judge))
    draft.suite["grader_configurations"] = {"judge": "grading/judge.yml"}
    (tmp_path / "yaml/eval_suite.yml").write_text(yaml.safe_dump(draft.suite))
    loaded = load_suite(tmp_path / "yaml")
    assert (loaded.checks, loaded.cases) == (written.checks, written.cases)
    assert (loaded.variants, loaded.gated_variant) == (written.variants, "other")
    assert loaded.graders[0][1].settings == written.graders[0][1].settings
