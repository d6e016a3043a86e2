"""``verdict suite``: a suite checked, begun, and described to an editor."""

import json

import click
import pytest
from jsonschema import Draft202012Validator

from cli import suite as module
from tests.cli.program import CHECK, ROOT, call, write_suite

FIRST = ROOT / "cli" / "first_suite"
NAMES = [
    "README.md",
    "answers/example.jsonl",
    "cases.jsonl",
    "configurations/example.json",
    "eval_suite.json",
    "prompts/plain.md",
]


def list_files(folder):
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def write_configuration(folder, name, **fields):
    (folder / "configurations" / name).write_text(json.dumps(fields))


@pytest.fixture
def suite(here):
    return write_suite(here / "suite")


def test_a_check_says_what_a_suite_is_and_records_nothing(here, suite):
    done = call("suite", "check", "suite")
    assert (done.code, done.err) == (0, "")
    lines = [line.rstrip() for line in done.out.splitlines()]
    assert lines[0] == "suite         sums"
    assert lines[1].startswith("address       blake3:")
    assert lines[2:] == [
        "variants      plain (gated)",
        "cases         3",
        "keys          3 facts",
        "trials        3 for each configuration: 1 variant × 3 cases × 1 repetition",
        "",
        "check  grader  minimum  asks",
        "total  amount     60 %  -",
        "",
        "configuration  provider  model  effort",
        "absent         recorded  m-1    -",
        "bad            recorded  m-1    -",
        "good           recorded  m-1    -",
    ]
    assert [path.name for path in here.iterdir()] == ["suite"]


def test_a_check_takes_the_suite_file_too(suite):
    assert (
        call("suite", "check", suite / "eval_suite.json").out == call("suite", "check", suite).out
    )


def test_a_check_for_programs_tells_the_address_that_a_run_records(suite):
    told = call("suite", "check", suite, "--json").json()
    assert told == {
        "address": told["address"],
        "cases": 3,
        "checks": [
            {
                "grader": "amount",
                "is_critical": False,
                "minimum_pass_rate": "0.6",
                "name": "total",
                "roles": [],
            }
        ],
        "configurations": [
            {"effort": None, "model": "m-1", "name": name, "provider": "recorded"}
            for name in ("absent", "bad", "good")
        ],
        "critical_cases": 0,
        "facts": 3,
        "files": 3,
        "gated_variant": "plain",
        "graders": {},
        "name": "sums",
        "repetitions": 1,
        "trials": 3,
        "variants": ["plain"],
    }
    call("init")
    run = call("run", suite, "-c", "good", "--json").json()["run"]
    event = call("show", call("show", run).json()["body"]["suite"]).json()
    assert told["address"] in json.dumps(event)


def test_a_check_says_what_graders_ask_and_what_answers_them(suite):
    judge = {"check_name": "kind", "grader": "judge", "rubric_file": "kind.md", "critical": True}
    judge |= {"minimum_pass_rate": "0.925", "description": "Is kind."}
    variant = {"variant_name": "terse", "prompt_file": "prompt.md"}
    write_suite(
        suite,
        checks=[CHECK, judge],
        variants=[{"variant_name": "plain", "prompt_file": "prompt.md"}, variant],
        gated_variant="terse",
        repetitions=5,
        grader_configurations={"judge": "configurations/good.json"},
    )
    (suite / "kind.md").write_text("PASS if it is kind.")
    lines = [line.rstrip() for line in call("suite", "check", suite).out.splitlines()]
    assert lines[2] == "variants      plain, terse (gated)"
    assert lines[5].endswith("30 for each configuration: 2 variants × 3 cases × 5 repetitions")
    assert lines[7:13] == [
        "check  grader  minimum  asks",
        "total  amount     60 %  -",
        "kind   judge    92.5 %  judge  critical",
        "",
        "role   configuration  provider  model  effort",
        "judge  good           recorded  m-1    -",
    ]
    (suite / "answers" / "good.jsonl").write_text("{}")
    assert call("suite", "check", suite).err.startswith(
        "error: grader_configurations.judge: ../answers/good.jsonl line 1: "
    )


def test_every_fault_of_suite_and_configurations_is_a_line(suite):
    write_suite(suite, repetitions=0, checks=[CHECK | {"pattern": "("}])
    write_configuration(suite, "a.json", provider="recorded")
    write_configuration(suite, "b.json", provider="recrded", model="m")
    (suite / "configurations" / "notes.txt").write_text("for people")
    (suite / "answers" / "bad.jsonl").write_text('{"case": "eggs"}\n')
    done = call("suite", "check", suite)
    assert (done.code, done.out) == (2, "")
    assert [line.partition(";")[0] for line in done.err.splitlines()] == [
        "error: eval_suite.json: repetitions: 0 is not between 1 and 10000",
        done.err.splitlines()[1],
        "error: configurations/a.json: model: is missing",
        (
            "error: configurations/a.json: settings.answers_file: the provider 'recorded' needs "
            "the path of a file of answers"
        ),
        "error: configurations/b.json: provider: 'recrded' is unknown",
        "error: configurations/bad.json: ../answers/bad.jsonl line 1: answer: Field required",
    ]
    assert "checks[0].pattern: not a regular expression" in done.err.splitlines()[1]
    assert call("suite", "check", suite, "--json") == done


def test_a_suite_that_is_not_there_is_refused(here):
    done = call("suite", "check", "none")
    line = "none: is neither a folder nor a .json, .yaml or .yml file"
    assert done == (2, "", f"error: {line}\n")


def test_a_first_suite_is_laid_out_and_runs_as_it_is(here):
    done = call("suite", "new", "first")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "a first suite in first/",
        *(f"  {name}" for name in NAMES),
        "next:",
        "  verdict suite check first",
        "  verdict init",
        "  verdict run first -c example",
    ]
    commands = [line.split()[1:] for line in done.out.splitlines()[-3:]]
    assert [call(*command).code for command in commands] == [0, 0, 0]
    assert [path.name for path in here.iterdir()] != []


def test_a_first_suite_shows_a_verdict_that_failed_and_a_gate_that_passed(home):
    call("suite", "new", "first")
    report = call("run", "first", "-c", "example", "--json").json()
    assert report["gate"] == "passed"
    assert [(row["passed"], row["counted"]) for row in report["rows"]] == [(5, 6), (6, 6)]


def test_a_first_suite_is_what_is_shipped_with_rights_of_new_files(here):
    call("suite", "new", "deep/down/first")
    folder = here / "deep" / "down" / "first"
    assert list_files(folder) == list_files(FIRST) == NAMES
    for name in NAMES:
        assert (folder / name).read_bytes() == (FIRST / name).read_bytes()
    (here / "plain").mkdir()
    assert folder.stat().st_mode == (here / "plain").stat().st_mode
    assert [path.name for path in folder.parent.iterdir()] == ["first"]


@pytest.mark.usefixtures("home")
def test_where_there_is_a_ledger_no_init_is_asked_for():
    assert "verdict init" not in call("suite", "new", "one").out
    named = call("--ledger", "my ledger", "suite", "new", "my suite").out.splitlines()
    assert named[-3:] == [
        "  verdict suite check 'my suite'",
        "  verdict --ledger 'my ledger' init",
        "  verdict --ledger 'my ledger' run 'my suite' -c example",
    ]


def test_an_empty_folder_is_filled_even_the_one_that_one_stands_in(here):
    assert call("suite", "new", ".").code == 0
    assert list_files(here) == NAMES
    assert sorted(path.name for path in here.iterdir()) == sorted(
        {name.split("/")[0] for name in NAMES}
    )


def test_a_folder_that_is_not_empty_is_left_alone(here):
    (here / "full").mkdir()
    (here / "full" / "note").write_text("mine")
    done = call("suite", "new", "full")
    line = "full: is not empty; name a folder that is new or empty"
    assert done == (2, "", f"error: {line}\n")
    assert list_files(here) == ["full/note"]


@pytest.mark.parametrize("target", ["file", "link"])
def test_a_file_or_a_link_to_nothing_is_left_alone(here, target):
    (here / "file").write_text("mine")
    (here / "link").symlink_to("nowhere")
    done = call("suite", "new", target)
    line = f"{target}: is a file; name a folder that is new or empty"
    assert done == (2, "", f"error: {line}\n")


@pytest.mark.parametrize("is_there", [True, False])
def test_what_cannot_be_finished_leaves_nothing_behind(here, monkeypatch, is_there):
    def fail(*_):
        raise OSError(28, "No space left on device", "first")

    if is_there:
        (here / "first").mkdir()
    monkeypatch.setattr(module, "_copy", fail)
    done = call("suite", "new", "first")
    assert done == (2, "", "error: first: No space left on device\n")
    assert list(here.rglob("*")) == ([here / "first"] if is_there else [])


@pytest.mark.parametrize("kind", ["suite", "configuration", "case", "reference"])
def test_a_schema_is_printed_for_each_file(kind):
    printed = call("suite", "schema", "--of", kind).json()
    Draft202012Validator.check_schema(printed)
    assert printed["$schema"].endswith("2020-12/schema")
    if kind == "suite":
        assert call("suite", "schema").json() == printed


def test_the_schema_marks_a_slip_in_the_first_suite():
    printed = call("suite", "schema").json()
    document = json.loads((FIRST / "eval_suite.json").read_text())
    validator = Draft202012Validator(printed)
    assert list(validator.iter_errors(document)) == []
    document["checks"][0]["patern"] = document["checks"][0].pop("pattern")
    assert list(validator.iter_errors(document)) != []


def test_the_group_lists_its_commands_and_names_an_unknown_one():
    shown = call("suite", "--help").out
    assert all(f"\n  {name} " in shown for name in ("check", "new", "schema"))
    assert "..." not in shown.partition("Commands:")[2]
    assert (
        call("suite", "frob").err == "error: No such command 'frob': see 'verdict suite --help'\n"
    )


@pytest.mark.parametrize("name", ["check", "new", "schema"])
def test_each_command_has_help_and_a_place_on_the_page(name):
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    assert f"\n## verdict suite {name}\n" in page
    assert call("suite", name, "--help").code == 0
    params = module.command.commands[name].params
    assert all(param.help for param in params if isinstance(param, click.Option))
