"""``verdict run``: what is printed, what is refused, what is kept."""

import shutil

import pytest

from ledger.stores.locks import hold_lock
from tests.cli.program import CASES, CHECK, ROOT, call, write_lines, write_suite


def size():
    return call("checkpoint", "--json").json()["size"]


@pytest.mark.usefixtures("home")
def test_a_run_that_meets_its_minimums_leaves_with_0():
    done = call("run", "suite", "-c", "good")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("gate passed\n")
    assert "trials        3 planned, 3 completed, 0 failed, 0 missing\n" in done.out


@pytest.mark.usefixtures("home")
def test_a_run_that_misses_one_leaves_with_1_and_says_which_and_what_next():
    done = call("run", "suite", "-c", "bad")
    gate, hint = done.out.splitlines()[-2:]
    assert done.code == 1
    assert gate == "gate failed: total passed 1/3 = 33.3 %, at least 60 % is required"
    assert hint.startswith("what did not pass: verdict scorecard ")
    assert call(*hint.split("verdict ")[1].split()).code == 0


@pytest.mark.usefixtures("home")
def test_an_answer_that_is_not_there_counts_against_the_rate():
    done = call("run", "suite", "-c", "absent", "--json")
    (row,) = done.json()["rows"]
    assert done.json()["trials"] == {"planned": 3, "completed": 2, "failed": 1, "missing": 0}
    assert (row["passed"], row["counted"], row["causes"]) == (2, 3, {"trial_failed": 1})


@pytest.mark.usefixtures("graded")
def test_a_run_is_signed_at_its_end():
    assert "1 checkpoint," in call("verify").out


def test_every_fault_of_a_suite_is_said_and_nothing_is_written(home):
    check = {**CHECK, "minimum_pass_rate": 2, "grader": "amonut"}
    write_suite(home / "suite", checks=[check], suit_name="x", cases="nowhere.jsonl")
    before = size()
    done = call("run", "suite", "-c", "good")
    lines = done.err.splitlines()
    assert done.code == 2
    assert len(lines) == 4
    assert all(line.startswith("error: eval_suite.json: ") for line in lines)
    assert size() == before


@pytest.mark.usefixtures("home")
def test_an_unknown_configuration_is_told_with_those_that_there_are():
    line = "--configuration: no file 'nope'; the suite has absent, bad, good"
    assert call("run", "suite", "-c", "nope") == (2, "", f"error: {line}\n")


@pytest.mark.usefixtures("home")
def test_a_configuration_may_be_named_by_its_file():
    assert call("run", "suite/eval_suite.json", "-c", "suite/configurations/good.json").code == 0


@pytest.mark.usefixtures("home")
def test_no_suite_at_all_is_one_line():
    line = "nowhere: is neither a folder nor a .json, .yaml or .yml file"
    assert call("run", "nowhere", "-c", "good") == (2, "", f"error: {line}\n")


def test_faulty_answers_are_refused_by_line_before_anything_is_written(home):
    records = [{"case": "eggs", "answer": "A: 5"}, {"case": "eggs", "answer": "A: 6"}, {}]
    write_lines(home / "suite" / "answers" / "good.jsonl", records)
    before = size()
    done = call("run", "suite", "-c", "good")
    assert done.code == 2
    assert [line.split(": ")[1] for line in done.err.splitlines()] == [
        "../answers/good.jsonl line 2",
        "../answers/good.jsonl line 3",
    ]
    assert size() == before


@pytest.mark.usefixtures("home")
def test_there_is_nothing_to_resume_where_every_run_is_graded():
    call("run", "suite", "-c", "good")
    line = "--resume: no unfinished run of this suite and configuration"
    done = call("run", "suite", "-c", "good", "--resume", "last")
    assert done == (2, "", f"error: {line}\n")


@pytest.mark.usefixtures("home")
def test_a_finished_run_that_is_resumed_by_name_is_made_no_second_time():
    first = call("run", "suite", "-c", "good", "--json").json()
    again = call("run", "suite", "-c", "good", "--json", "--resume", first["run"]).json()
    assert again["trials"] == first["trials"]
    assert again["run"] == first["run"]


def test_a_run_is_not_resumed_with_another_suite(home, graded):
    write_suite(home / "suite", description="changed")
    done = call("run", "suite", "-c", "bad", "--resume", graded["run"][:20])
    line = "sums: the suite has changed since the run began; start a new run"
    assert done == (2, "", f"error: {line}\n")


def test_a_run_that_another_process_works_on_is_left_to_it(home, graded):
    short = graded["run"].removeprefix("blake3:")[:12]
    with hold_lock(home / ".verdict", f"run-{short}"):
        done = call("run", "suite", "-c", "bad", "--resume", short)
    line = f"run-{short}: another process is at it; wait for it or end it"
    assert done == (3, "", f"error: {line}\n")


def test_a_run_that_is_stopped_says_how_to_go_on_and_does(home, monkeypatch):
    def interrupt(*_args, **_kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("cli.run.run_window", interrupt)
        done = call("run", "suite", "-c", "good")
    assert done.code == 3
    stopped, hint = done.err.splitlines()
    assert stopped == "error: stopped"
    assert call("run", "suite", "-c", "good", *hint.split(" with ")[1].split()).code == 0
    assert len(list((home / "suite").iterdir())) == 5


def test_a_long_name_of_a_check_is_not_broken_in_a_pipe(home):
    names = [f"{letter * 99}" for letter in "ab"]
    checks = [{**CHECK, "check_name": name} for name in names]
    write_suite(home / "suite", checks=checks)
    done = call("run", "suite", "-c", "good")
    rows = [line for line in done.out.splitlines() if line.startswith(tuple(names))]
    assert [row.split() for row in rows] == [
        [name, "3", "0", "0", "3/3", "=", "100.0", "%", "[43.9,", "100.0]", "60", "%", "meets"]
        for name in names
    ]


def test_a_critical_case_that_fails_is_named_by_the_gate(home):
    write_lines(home / "suite" / "cases.jsonl", [{**case, "critical": True} for case in CASES])
    done = call("run", "suite", "-c", "bad")
    assert done.code == 1
    assert "; critical cases did not pass: cups: total, pens: total\n" in done.out


def test_a_fault_in_the_answers_of_a_grader_is_said_before_the_first_trial(home):
    example = home / "expense"
    shutil.copytree(ROOT / "examples" / "expense_analysis", example)
    replies = example / "grading" / "replies" / "judge.jsonl"
    replies.write_bytes(replies.read_bytes() + b'{"request": "blake3:1", "answer": ""}\n')
    done = call("run", "expense", "-c", "sonnet")
    assert done.code == 2
    assert "judge.jsonl line 255: " in done.err
    assert size() == 0, "nothing is recorded"
