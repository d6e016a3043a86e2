import json
import shutil
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from ledger.digest import compute_digest
from tests.trials.suites import FILES, Draft
from trials.criteria import format_criteria, parse_criteria
from trials.suite import Price, format_key, format_manifest, load_suite, suite_artifacts
from trials.suite.manifest import format_decimal


def address(folder):
    return compute_digest(format_manifest(load_suite(folder)))


def list_addresses(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return {found for item in value for found in list_addresses(item)}
    return {value} if isinstance(value, str) and value.startswith("blake3:") else set()


def test_the_address_does_not_tell_where_the_folder_lies(tmp_path):
    first = address(Draft().write(tmp_path / "one"))
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "one").rename(tmp_path / "deep" / "er" / "two")
    assert address(tmp_path / "deep" / "er" / "two") == first


def test_the_address_does_not_tell_in_which_order_files_were_made(tmp_path):
    draft = Draft()
    first = address(draft.write(tmp_path / "one"))
    draft.files = dict(reversed(draft.files.items()))
    assert address(draft.write(tmp_path / "two")) == first


def test_the_working_folder_changes_nothing(tmp_path, monkeypatch):
    first = address(Draft().write(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert address(Path()) == first


@pytest.mark.parametrize("path", ["eval_suite.json", *FILES])
def test_a_changed_byte_of_any_file_is_another_suite(tmp_path, path):
    first = address(Draft().write(tmp_path))
    with (tmp_path / path).open("ab") as stream:
        stream.write(b"\n")
    assert address(tmp_path) != first


def test_a_renamed_input_is_another_suite(tmp_path):
    first = address(Draft().write(tmp_path))
    (tmp_path / "cases/june/inputs/log.txt").rename(tmp_path / "cases/june/inputs/log2.txt")
    assert address(tmp_path) != first


def test_a_file_that_the_suite_does_not_name_changes_nothing(tmp_path):
    first = address(Draft().write(tmp_path))
    (tmp_path / "answers.jsonl").write_text("{}")
    assert address(tmp_path) == first


def test_the_manifest_holds_neither_answers_nor_questions_nor_paths_of_the_machine(tmp_path):
    manifest = format_manifest(load_suite(Draft().write(tmp_path)))
    for secret in (b"12.50", b"June?", b"coffee", str(tmp_path).encode()):
        assert secret not in manifest


def test_the_artifacts_are_what_the_manifest_names_each_once(tmp_path):
    suite = load_suite(Draft().write(tmp_path))
    held = [compute_digest(data) for data, _ in suite_artifacts(suite)]
    manifest = json.loads(format_manifest(suite))
    assert len(held) == len(set(held))
    assert set(held) == list_addresses(manifest)


def test_a_system_text_is_an_artifact_of_its_variant(tmp_path):
    draft = Draft()
    draft.variant(system_file="prompts/system.md")
    draft.files["prompts/system.md"] = "Be brief.\n"
    suite = load_suite(draft.write(tmp_path))
    (variant,) = json.loads(format_manifest(suite))["variants"]
    assert variant["system"] == compute_digest(b"Be brief.\n")
    without_files = replace(suite, files=())
    assert b"Be brief.\n" in [data for data, _ in suite_artifacts(without_files)]


def test_one_price_has_one_spelling(tmp_path):
    draft = Draft()
    row = {"provider": "acme", "model": "m-1"}
    draft.suite["prices"] = [row | {"input_usd_per_million": "2.50", "output_usd_per_million": 10}]
    (price,) = json.loads(format_manifest(load_suite(draft.write(tmp_path))))["prices"]
    assert price == row | {
        "cache_read": "2.5",
        "cache_write": "2.5",
        "input": "2.5",
        "output": "10",
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"refuses_other_models": True},
        {"prices": (Price("acme", "m-1", *[Decimal(1)] * 4),)},
    ],
)
def test_gate_policy_and_prices_are_part_of_the_suite(tmp_path, changes):
    suite = load_suite(Draft().write(tmp_path))
    assert format_manifest(replace(suite, **changes)) != format_manifest(suite)


def test_what_a_check_looks_at_is_part_of_suite_and_criteria(tmp_path):
    suite = load_suite(Draft().write(tmp_path))
    first, second = suite.checks
    other = replace(suite, checks=(replace(first, evidence="report"), second))
    assert format_manifest(other) != format_manifest(suite)
    recorded = parse_criteria(format_criteria(other)).checks
    assert [check.evidence for check in recorded] == ["report", "answer"]


@pytest.mark.parametrize("refuses", [True, False])
def test_the_criteria_carry_the_refusal_to_the_gate(tmp_path, refuses):
    suite = replace(load_suite(Draft().write(tmp_path)), refuses_other_models=refuses)
    assert parse_criteria(format_criteria(suite)).refuses_other_models is refuses


def test_an_artifact_has_the_media_type_that_its_name_says(tmp_path):
    suite = load_suite(Draft().write(tmp_path))
    types = {compute_digest(data): media_type for data, media_type in suite_artifacts(suite)}
    files = {file.path: types[compute_digest(file.data)] for file in suite.files}
    assert files["prompts/plain.md"] == "text/markdown; charset=utf-8"
    assert files["cases/june/inputs/notes/b.bin"] == "application/octet-stream"
    key = suite.cases[1].key
    assert key is not None
    assert types[compute_digest(format_key(key))] == "application/json"


def test_files_stand_with_size_and_sha256_sorted_by_path(tmp_path):
    draft = Draft()
    draft.files["cases/june/inputs/log.txt"] = "hello"
    files = json.loads(format_manifest(load_suite(draft.write(tmp_path))))["files"]
    assert [file[0] for file in files] == sorted(["eval_suite.json", *FILES])
    assert files[3] == [
        "cases/june/inputs/log.txt",
        "blake3:ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f",
        5,
        "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    ]


def test_a_copy_of_the_folder_is_the_same_suite(tmp_path):
    Draft().write(tmp_path / "one")
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    assert load_suite(tmp_path / "one") == load_suite(tmp_path / "two")


@pytest.mark.parametrize(
    ("rate", "text"),
    [("0.50", "0.5"), ("1", "1"), ("1.00", "1"), ("0", "0"), ("0.0", "0"), ("0.0000001",) * 2],
)
def test_a_rate_has_one_spelling(rate, text):
    assert format_decimal(Decimal(rate)) == text


def test_another_version_of_the_program_makes_no_other_suite(tmp_path, monkeypatch):
    suite = load_suite(Draft().write(tmp_path))
    before = format_manifest(suite)
    monkeypatch.setattr(type(suite.checks[0].grader), "version", 99)
    assert format_manifest(suite) == before
