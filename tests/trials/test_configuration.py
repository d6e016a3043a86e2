import json

import pytest

from ledger.digest import compute_digest
from ledger.errors import FaultyInput
from trials.suite import format_configuration, load_configuration

RECORDED = {
    "provider": "recorded",
    "model": "gpt-3-6b",
    "settings": {"answers_file": "../answers/a.jsonl"},
}
LINES = {
    "no model": ({"provider": "openai"}, "c.json: model: is missing; add it"),
    "an unknown field": (
        RECORDED | {"modle": 1},
        ("c.json: modle: unknown field; did you mean 'model'?"),
    ),
    "settings in a list": (
        RECORDED | {"settings": []},
        ("c.json: settings: a list is not an object"),
    ),
    "no answers": (
        RECORDED | {"settings": {}},
        (
            "c.json: settings.answers_file: the provider "
            "'recorded' needs the path of a file of answers"
        ),
    ),
    "answers that are missing": (
        RECORDED | {"settings": {"answers_file": "a.jsonl"}},
        "c.json: settings.answers_file: a.jsonl is missing; add it or correct the path",
    ),
    "answers further up": (
        RECORDED | {"settings": {"answers_file": "../../a.jsonl"}},
        (
            "c.json: settings.answers_file: ../a.jsonl leads out of the folder; move the file into "
            "it"
        ),
    ),
    "answers anywhere": (
        RECORDED | {"settings": {"answers_file": "/a.jsonl"}},
        (
            "c.json: settings.answers_file: /a.jsonl is not a relative path with '/' between its "
            "parts"
        ),
    ),
    "a key that is not ASCII": (
        {"provider": "x", "model": "m", "settings": {"é": 1}},
        "c.json: settings: key 'é' is not an ASCII string: use a list of pairs",
    ),
    "an effort in numbers": (
        RECORDED | {"effort": 3},
        "c.json: effort: 3 is not a string; put it in quotes",
    ),
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "configurations").mkdir()
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers/a.jsonl").write_text('{"answer": "x"}\n')
    return tmp_path / "configurations"


def write(folder, **fields):
    path = folder / "c.json"
    path.write_text(json.dumps(RECORDED | fields))
    return path


@pytest.mark.parametrize(("fields", "line"), LINES.values(), ids=LINES)
def test_a_fault_of_a_configuration_is_said_with_its_field(folder, fields, line):
    path = folder / "c.json"
    path.write_text(json.dumps(fields))
    with pytest.raises(FaultyInput) as refused:
        load_configuration(path)
    assert line in refused.value.faults


def test_a_configuration_is_named_by_its_file_unless_it_says_otherwise(folder):
    assert load_configuration(write(folder)).name == "c"
    assert load_configuration(write(folder, configuration_name=None)).name == "c"
    assert load_configuration(write(folder, configuration_name="d")).name == "d"


def test_a_file_whose_name_is_no_name_needs_a_name_inside(folder):
    path = write(folder).rename(folder / "my notes.json")
    with pytest.raises(FaultyInput, match="configuration_name: 'my notes' is not a name"):
        load_configuration(path)


def test_a_number_with_a_fraction_in_the_settings_is_its_text(folder):
    path = folder / "c.yaml"
    path.write_text("provider: openai\nmodel: m\nsettings: {temperature: 0.70, seed: 7}\n")
    assert load_configuration(path).settings == {"temperature": "0.70", "seed": 7}


def test_the_files_are_the_configuration_and_its_answers(folder):
    files = load_configuration(write(folder)).files
    assert [(file.path, len(file.data)) for file in files] == [
        ("../answers/a.jsonl", 16),
        ("c.json", len((folder / "c.json").read_bytes())),
    ]


def test_answers_beside_the_configuration_are_found(folder):
    (folder / "b.jsonl").write_text("{}")
    path = write(folder, settings={"answers_file": "./b.jsonl"})
    assert [file.path for file in load_configuration(path).files] == ["b.jsonl", "c.json"]


def test_answers_that_are_a_link_are_refused(folder):
    (folder / "b.jsonl").symlink_to("../answers/a.jsonl")
    with pytest.raises(FaultyInput, match=r"b\.jsonl is a symbolic link"):
        load_configuration(write(folder, settings={"answers_file": "b.jsonl"}))


def test_other_answers_are_another_configuration(folder):
    path = write(folder)
    first = compute_digest(format_configuration(load_configuration(path)))
    (folder.parent / "answers/a.jsonl").write_text('{"answer": "y"}\n')
    assert compute_digest(format_configuration(load_configuration(path))) != first


def test_where_the_folders_lie_and_what_they_are_called_changes_nothing(folder):
    first = format_configuration(load_configuration(write(folder)))
    moved = folder.rename(folder.parent / "elsewhere")
    assert format_configuration(load_configuration(moved / "c.json")) == first
