import json
import shutil
from decimal import Decimal
from pathlib import Path

import pytest

from ledger.digest import compute_digest
from tests.trials.suites import FILES, Draft
from trials.suite import format_key, format_manifest, load_suite, suite_artifacts
from trials.suite.manifest import format_rate


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
    assert format_rate(Decimal(rate)) == text


def test_another_version_of_the_program_makes_no_other_suite(tmp_path, monkeypatch):
    suite = load_suite(Draft().write(tmp_path))
    before = format_manifest(suite)
    monkeypatch.setattr(type(suite.checks[0].grader), "version", 99)
    assert format_manifest(suite) == before
