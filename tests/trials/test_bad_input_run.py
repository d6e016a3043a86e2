"""Bad input to a run: refused before anything is written, or recorded as what it is."""

import json
import sqlite3

import pytest

from cli.setting import open_ledger
from ledger.artifact import decode_text
from ledger.events import TrialCompleted, TrialFailed, VerdictGiven
from ledger.outcomes import Cause, Verdict
from tests.trials.runs import (
    CHECKS,
    call_verdict,
    init_ledger,
    make_case,
    run_suite,
    write_suite,
)


@pytest.fixture
def ledger(tmp_path):
    return init_ledger(tmp_path / "ledger")


def everything(ledger):
    """Return all that lies in the ledger: rows, and the files beside them."""
    with sqlite3.connect(ledger / "ledger.db") as connection:
        rows = list(connection.iterdump())
    names = (path for path in ledger.rglob("*") if path.is_file() and "-" not in path.name)
    return rows, sorted(path for path in names if path.parent.name != "locks")


def bodies(ledger, kind):
    """Return the events of one kind."""
    with open_ledger(ledger) as opened:
        found = [entry.event.body for entry in opened.ledger.read()]
    return [body for body in found if isinstance(body, kind)]


def read(ledger, ref):
    with open_ledger(ledger) as opened:
        return opened.ledger.get(ref.address)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b'{"case":"c0","answer":"a","answer":"b"}', "the key 'answer' stands twice"),
        (b'{"case":"c0","answer":"a","metadata":{"x":1,"x":2}}', "the key 'x' stands twice"),
        (b'{"case":"c0","answer":"a","\\ud800":1,"\\ud800":2}', "the key '\\ud800' stands twice"),
        (b'{"case":"c0","answer":5}', "answer: "),
        (b'{"case":"c0","answer":null}', "answer: "),
        (b'{"case":"c0"}', "answer: "),
        (b'{"case":7,"answer":"a"}', "case: "),
        (b'["c0", "a"]', "not a JSON object"),
        (b'{"case":"c0","answer":"a","anwser":1}', "unknown field anwser; there are case, variant"),
        (b'{"case":"c0","answer":"a","\\ud800":1}', "unknown field '\\ud800'"),
        (b'{"case":"c0","answer":"a","\\u001b[31m\\n":1}', "unknown field '\\x1b[31m\\n'"),
        (b'{"case":"c0","answer":"a","repetition":0}', "repetition: "),
        (b'{"case":"c0","answer":"a","repetition":1.0}', "repetition: "),
        (b'{"case":"c0","answer":"a","repetition":true}', "repetition: "),
        (b'{"case":"c0","answer":"a","repetition":9007199254740992}', "repetition: "),
        (b'{"case":"c0","answer":"a\x00b"}', "not JSON: "),
        (b'{"case":"c0","answer":"\xff"}', "not UTF-8 at byte "),
        (b'{"case":"c0","answer":"a', "not JSON: "),
        (b'\xef\xbb\xbf{"case":"c0","answer":"a"}', "not JSON: "),
        (b'{"case":"c0","answer":"a","metadata":' + b"[" * 99_999, "nested too deeply"),
        (b'{"case":"c0","answer":"a","metadata":{"n":' + b"9" * 5_000 + b"}}", "limit"),
    ],
)
def test_an_answer_that_is_none_is_refused_with_its_line_and_nothing_is_written(
    ledger, tmp_path, line, fault
):
    before = everything(ledger)
    suite = write_suite(tmp_path / "suite", 1, answers=b'{"case":"x","answer":""}\n' + line)
    called = run_suite(ledger, suite)
    assert called.code == 2
    assert called.err.startswith(f"error: ../answers.jsonl line 2: {fault}") or fault in called.err
    assert len(called.err.splitlines()) == 1
    assert everything(ledger) == before


def test_two_answers_for_one_trial_are_refused(ledger, tmp_path):
    lines = b'{"case":"c0","answer":"a"}\n\n{"case":"c0","answer":"b"}\n'
    called = run_suite(ledger, write_suite(tmp_path / "suite", 1, answers=lines))
    assert called.code == 2
    assert "line 3: a second answer for case c0, repetition 1; the first is in line 1" in called.err


def test_many_faulty_lines_are_counted_and_not_all_told(ledger, tmp_path):
    called = run_suite(ledger, write_suite(tmp_path / "suite", 1, answers=b"{}\n" * 1_000))
    assert called.code == 2
    assert len(called.err.splitlines()) == 21
    assert "and 980 more faulty lines" in called.err


@pytest.mark.parametrize("change", [{}, {"id": "c1"}, {"must_include": ["other"]}])
def test_two_identical_cases_are_refused_and_nothing_is_written(ledger, tmp_path, change):
    before = everything(ledger)
    records = [make_case(0), make_case(0) | change]
    called = run_suite(ledger, write_suite(tmp_path / "suite", records=records))
    assert called.code == 2
    assert "cases.jsonl line 2" in called.err
    assert everything(ledger) == before


def test_every_fault_of_a_suite_is_told_before_anything_is_written(ledger, tmp_path):
    before = everything(ledger)
    checks = [CHECKS[0] | {"grader": "vibes"}, CHECKS[1] | {"minimum_pass_rate": 2}]
    called = run_suite(ledger, write_suite(tmp_path / "suite", checks=checks))
    assert called.code == 2
    assert len(called.err.splitlines()) == 2
    assert everything(ledger) == before


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "\0TOTAL 0\0",
        "a \ud800 TOTAL 0",
        "\udfff\ud800",
        "TOTAL 0\r\n\u2028\x1b[31m",
        "x" * 10_000_000 + "\nTOTAL 0",
        "\U0001f600" * 2_000_000,
    ],
    ids=["empty", "nul", "surrogate", "surrogates", "controls", "10 MB", "8 MB of astral"],
)
def test_any_text_is_an_answer_and_is_kept_with_the_line_that_it_came_in(ledger, tmp_path, answer):
    line = json.dumps({"case": "c0", "metadata": {"\ud800": ["\ud800"]}, "answer": answer}).encode()
    suite = write_suite(tmp_path / "suite", 1, answers=b"\n" + line + b"  \r\n")
    assert run_suite(ledger, suite).code in (0, 1)
    (completed,) = bodies(ledger, TrialCompleted)
    assert read(ledger, completed.response) == line + b"  \r"
    assert decode_text(read(ledger, completed.answer)) == answer
    verdicts = bodies(ledger, VerdictGiven)
    assert {verdict.verdict for verdict in verdicts} <= {Verdict.PASS, Verdict.FAIL}
    assert call_verdict("--ledger", ledger, "verify").code == 0
    assert call_verdict("--ledger", ledger, "replay", verdicts[0].grading).code == 0


@pytest.mark.parametrize("sha256", [f'"{"0" * 64}"', '"z"', "7"])
def test_an_answer_that_looks_like_a_listing_of_artifacts_is_an_answer(ledger, tmp_path, sha256):
    answer = f'[["blake3:{"0" * 64}","text/plain",{sha256},1]]'
    suite = write_suite(tmp_path / "suite", 1, answers=[{"case": "c0", "answer": answer}])
    run_suite(ledger, suite)
    assert call_verdict("--ledger", ledger, "verify").code == 0


def test_bytes_that_json_could_write_otherwise_are_kept_as_they_came(ledger, tmp_path):
    line = (
        b'{ "answer":"\\u0054OTAL\\t0", "metadata":{"n":1e2,"m":NaN,"k":-0.0},\t"case":"c\\u0030"}'
    )
    run_suite(ledger, write_suite(tmp_path / "suite", 1, answers=line))
    (completed,) = bodies(ledger, TrialCompleted)
    assert read(ledger, completed.response) == line
    assert read(ledger, completed.answer) == b"TOTAL\t0"


def test_a_missing_answer_is_a_failed_trial_and_stays_in_the_denominator(ledger, tmp_path):
    answers = [{"case": f"c{number}", "answer": f"TOTAL {number}"} for number in range(3)]
    called = run_suite(ledger, write_suite(tmp_path / "suite", 4, answers=answers), "--json")
    (failed,) = bodies(ledger, TrialFailed)
    assert (failed.cause, failed.response) == ("no_answer", None)
    unproven = [v for v in bodies(ledger, VerdictGiven) if v.verdict is Verdict.UNPROVEN]
    assert [(verdict.trial, verdict.cause) for verdict in unproven] == [
        (failed.trial, Cause.TRIAL_FAILED)
    ] * len(CHECKS)
    assert [(row["passed"], row["counted"]) for row in called.json["rows"]] == [(3, 4), (3, 4)]


def test_no_answers_at_all_fail_every_trial_and_the_gate(ledger, tmp_path):
    called = run_suite(ledger, write_suite(tmp_path / "suite", 5, answers=b""))
    assert called.code == 1
    assert len(bodies(ledger, TrialFailed)) == 5
    assert bodies(ledger, TrialCompleted) == []
