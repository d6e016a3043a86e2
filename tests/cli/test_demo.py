"""``verdict demo``: 1,600 real answers, and the label published with each of them."""

import json
import re
import shlex

import pytest

from cli.demos.story import name_program
from cli.main import main
from tests.cli.program import ROOT, call

EXAMPLE = ROOT / "examples" / "gsm8k"
PASSES = {
    "6b_finetuning": 89,
    "6b_verification": 156,
    "175b_finetuning": 146,
    "175b_verification": 224,
}
NO_FINAL_NUMBER = {"6b_finetuning": 1, "175b_finetuning": 4}


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The folder that the demo leaves, and what it printed."""
    folder = tmp_path_factory.mktemp("demo") / ".demo" / "gsm8k"
    done = call("--ledger", folder, "demo")
    assert (done.code, done.err) == (0, "")
    return folder, done.out


@pytest.fixture(scope="module")
def cards(demo):
    """The scorecard of each configuration, with the verdicts that are no pass."""
    folder, out = demo
    lines = [line.split() for line in out.splitlines()]
    gradings = [words[1].rstrip(",") for words in lines if words[:1] == ["grading"]]
    shown = [
        call("--ledger", folder, "scorecard", grading, "--json", "--failed").json()
        for grading in gradings[: len(PASSES)]
    ]
    return {card["configuration"]: card for card in shown}


def read_records(name):
    lines = (EXAMPLE / "answers" / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def read_labels(name):
    return {record["case"]: record["metadata"]["is_correct"] for record in read_records(name)}


@pytest.mark.parametrize(("name", "passes"), PASSES.items())
def test_the_configuration_passes_as_often_as_was_published(cards, demo, name, passes):
    (row,) = cards[name]["rows"]
    assert (row["passed"], row["counted"]) == (passes, 400)
    assert f" {passes}/400 = " in demo[1]


@pytest.mark.parametrize("name", PASSES)
def test_the_verdict_on_every_answer_is_the_label_published_with_it(cards, name):
    labels = read_labels(name)
    failed = {item["case"] for item in cards[name]["failed"]}
    assert len(labels) == 400
    assert {case: case not in failed for case in labels} == labels


@pytest.mark.parametrize("name", PASSES)
def test_an_answer_without_a_final_number_fails_and_is_no_error(cards, demo, name):
    assert {item["verdict"] for item in cards[name]["failed"]} == {"fail"}
    answers = {record["case"]: record["answer"] for record in read_records(name)}
    reasons = [
        call("--ledger", demo[0], "show", item["verdict_event"]).json()["body"]["reason"]
        for item in cards[name]["failed"]
        if re.search(r"\nA:.*[0-9]", answers[item["case"]]) is None
    ]
    assert len(reasons) == NO_FINAL_NUMBER.get(name, 0)
    assert all(reason.startswith("The answer states no amount: ") for reason in reasons)


def test_the_demo_compares_with_the_labels_and_verifies_the_whole(demo):
    assert "\n1,600 of 1,600 verdicts equal the label published with the answer\n" in demo[1]
    assert "\n400 of 400 verdicts came out the same\n" in demo[1]
    assert "\nthe record is whole\n" in demo[1]


def test_the_demo_ends_with_three_commands_that_work(demo):
    lines = demo[1].splitlines()
    title = lines.index("what to try next")
    commands = [shlex.split(line) for line in lines[title + 1 :]]
    assert [command[0] for command in commands] == ["verdict"] * 3
    assert [call(*command[1:]).code for command in commands] == [0, 0, 0]


def make_folder(path, names):
    path.mkdir(parents=True)
    for name in names:
        (path / name).write_text("mine")
    return path


@pytest.mark.parametrize(
    ("place", "names"),
    [
        (".demo/gsm8k", ["thesis.txt"]),
        (".demo/gsm8k", ["ledger.db", "thesis.txt"]),
        ("work", ["ledger.db"]),
        (".demo/gsm8k", []),
    ],
)
def test_the_demo_removes_no_folder_but_its_own(here, place, names):
    folder = make_folder(here / place, names)
    done = call("--ledger", place, "demo")
    assert done.code == 2
    assert done.err.startswith(f"error: {place}: it is there and holds ")
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)


def test_the_demo_follows_no_link_to_a_ledger(here):
    call("--ledger", "kept", "init")
    (here / ".demo").mkdir()
    (here / ".demo" / "gsm8k").symlink_to(here / "kept")
    assert call("demo").code == 2
    assert (here / "kept" / "ledger.db").is_file()


def test_an_unknown_example_is_one_line(here, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["demo", "nope"])
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert list(here.iterdir()) == []


def test_the_commands_to_try_name_the_program_as_it_was_called(tmp_path, monkeypatch):
    program = tmp_path / ".venv" / "bin" / "verdict"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(program)])
    monkeypatch.setenv("PATH", "")
    assert name_program() == ".venv/bin/verdict"
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    assert name_program() == "verdict"
