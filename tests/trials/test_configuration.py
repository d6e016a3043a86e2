import json
from dataclasses import replace

import pytest

from ledger.digest import compute_digest
from ledger.errors import FaultyInput
from providers import UNLIMITED
from trials.suite import format_configuration, load_configuration

RECORDED = {
    "provider": "recorded",
    "model": "gpt-3-6b",
    "settings": {"answers_file": "../answers/a.jsonl"},
}
TRANSCRIPT = {"case": "a", "file": "../answers/t.jsonl", "format": "stream"}
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
    "limits in a list": (
        RECORDED | {"limits": [5]},
        "c.json: limits: a list is not an object",
    ),
    "an unknown limit": (
        RECORDED | {"limits": {"max_tokens": 5}},
        (
            "c.json: limits.max_tokens: unknown field; known are: attempts_max, cost_usd_max, "
            "deadline_s, output_tokens_max, requests_per_minute"
        ),
    ),
    "a deadline of more than a day": (
        RECORDED | {"limits": {"deadline_s": 86400.5}},
        "c.json: limits.deadline_s: 86400.5 is not above 0 and at most 86400",
    ),
    "a deadline below nothing": (
        RECORDED | {"limits": {"deadline_s": "-0.5"}},
        "c.json: limits.deadline_s: -0.5 is not above 0 and at most 86400",
    ),
    "a deadline in words": (
        RECORDED | {"limits": {"deadline_s": "90s"}},
        "c.json: limits.deadline_s: '90s' is not a decimal; write one such as 90",
    ),
    "no output": (
        RECORDED | {"limits": {"output_tokens_max": 0}},
        "c.json: limits.output_tokens_max: 0 is not 1 or more",
    ),
    "a fraction of a token": (
        RECORDED | {"limits": {"output_tokens_max": 1.5}},
        "c.json: limits.output_tokens_max: 1.5 is not a whole number",
    ),
    "a cost of nothing": (
        RECORDED | {"limits": {"cost_usd_max": "0.00"}},
        "c.json: limits.cost_usd_max: 0.00 is not above 0",
    ),
    "no attempt": (
        RECORDED | {"limits": {"attempts_max": 0}},
        "c.json: limits.attempts_max: 0 is not between 1 and 20",
    ),
    "too many attempts": (
        RECORDED | {"limits": {"attempts_max": 21}},
        "c.json: limits.attempts_max: 21 is not between 1 and 20",
    ),
    "a yes for a rate": (
        RECORDED | {"limits": {"requests_per_minute": True}},
        "c.json: limits.requests_per_minute: true is not a whole number",
    ),
    "too high a rate": (
        RECORDED | {"limits": {"requests_per_minute": 1_000_001}},
        "c.json: limits.requests_per_minute: 1000001 is not between 1 and 1000000",
    ),
    "one resolved model": (
        RECORDED | {"resolved_models": "m-1-2026"},
        "c.json: resolved_models: 'm-1-2026' is not a list",
    ),
    "a resolved model without a name": (
        RECORDED | {"resolved_models": [" "]},
        "c.json: resolved_models[0]: is empty; write it or leave the field out",
    ),
    "no transcript": (
        RECORDED | {"settings": {"transcripts": []}},
        "c.json: settings.transcripts: is empty; list at least one",
    ),
    "transcripts by case": (
        RECORDED | {"settings": {"transcripts": {"a": "t.jsonl"}}},
        "c.json: settings.transcripts: an object is not a list",
    ),
    "a transcript without a file": (
        RECORDED | {"settings": {"transcripts": [{"case": "a", "format": "x"}]}},
        "c.json: settings.transcripts[0].file: is missing; add it",
    ),
    "a transcript with an unknown field": (
        RECORDED | {"settings": {"transcripts": [TRANSCRIPT | {"repetitions": 2}]}},
        "c.json: settings.transcripts[0].repetitions: unknown field; did you mean 'repetition'?",
    ),
    "a transcript that is missing": (
        RECORDED | {"settings": {"transcripts": [TRANSCRIPT | {"file": "t.jsonl"}]}},
        "c.json: settings.transcripts[0].file: t.jsonl is missing; add it or correct the path",
    ),
    "a transcript further up": (
        RECORDED | {"settings": {"transcripts": [TRANSCRIPT | {"file": "../../t.jsonl"}]}},
        (
            "c.json: settings.transcripts[0].file: ../t.jsonl leads out of the folder; move the "
            "file into it"
        ),
    ),
    "transcripts and answers that are no path": (
        RECORDED | {"settings": {"transcripts": [TRANSCRIPT], "answers_file": 1}},
        (
            "c.json: settings.answers_file: the provider "
            "'recorded' needs the path of a file of answers"
        ),
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
    (tmp_path / "answers/t.jsonl").write_text("{}\n")
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


def list_paths(path):
    return [file.path for file in load_configuration(path).files]


def test_transcripts_need_no_answers_and_a_file_of_several_is_held_once(folder):
    other = TRANSCRIPT | {"case": "b", "file": "../answers/../answers/t.jsonl"}
    path = write(folder, settings={"transcripts": [TRANSCRIPT, other]})
    assert list_paths(path) == ["../answers/t.jsonl", "c.json"]


def test_transcripts_may_stand_beside_answers(folder):
    settings = {"answers_file": "../answers/a.jsonl", "transcripts": [TRANSCRIPT]}
    path = write(folder, settings=settings)
    assert list_paths(path) == ["../answers/a.jsonl", "../answers/t.jsonl", "c.json"]


def test_what_another_provider_calls_transcripts_is_its_own(folder):
    path = write(folder, provider="acme", settings={"transcripts": 3})
    assert load_configuration(path).settings == {"transcripts": 3}


def test_limits_left_out_are_those_that_are_written_out(folder):
    defaults = {"deadline_s": 600, "attempts_max": 4, "cost_usd_max": None}
    for limits in ({}, None, defaults):
        loaded = load_configuration(write(folder, limits=limits))
        assert loaded.limits == UNLIMITED
        assert (loaded.attempts_max, loaded.requests_per_minute) == (4, None)


def test_limits_stand_in_the_address_in_one_spelling_each(folder):
    limits = {"deadline_s": "0.30", "cost_usd_max": 0.50, "output_tokens_max": 9}
    path = write(folder, limits=limits | {"attempts_max": 1, "requests_per_minute": 60})
    assert json.loads(format_configuration(load_configuration(path)))["limits"] == {
        "attempts_max": 1,
        "cost_usd_max": "0.5",
        "deadline_s": "0.3",
        "output_tokens_max": 9,
        "requests_per_minute": 60,
    }


@pytest.mark.parametrize(
    "fields",
    [
        {"limits": {"deadline_s": 599}},
        {"limits": {"attempts_max": 3}},
        {"limits": {"requests_per_minute": 1}},
        {"resolved_models": ["m-1-2026"]},
    ],
)
def test_another_limit_or_name_is_another_configuration(folder, fields):
    first = load_configuration(write(folder))
    second = load_configuration(write(folder, **fields))
    assert format_configuration(replace(first, files=())) != format_configuration(
        replace(second, files=())
    )


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
