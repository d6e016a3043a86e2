"""Replay: the recorded verdict comes out of recorded bytes, or it is said what differs."""

import sqlite3
from dataclasses import replace

import pytest

from graders import GRADERS, Decision, Member
from graders.phrases import PhrasesGrader
from ledger.errors import UnknownAddress
from ledger.events import VerdictGiven
from ledger.outcomes import Verdict
from tests.trials.judges import JUDGE, Judge, Model, judge_check, make_course, make_judge
from tests.trials.runs import CHECKS, call_verdict, new_ledger
from trials.replay import replay_verdict


class Contrary(PhrasesGrader):
    """Fails whatever there is."""

    def decide(self, evidence, answers):
        return Decision(verdict=Verdict.FAIL, reason="No.")


def make_contrary(fields):
    return Contrary()


def make_other(fields):
    return Judge(question="other")


def make_newer(fields):
    return replace(make_judge(fields), version=2)


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A graded run of six trials, by code and by a judge."""
    monkeypatch.setitem(GRADERS, "one_word", JUDGE)
    with new_ledger(tmp_path / "ledger") as opened:
        course = make_course(opened, tmp_path / "suite", [*CHECKS, judge_check()], cases=6)
        yield course


@pytest.fixture
def grading(course):
    return course.grade(Model(["PASS", "well,", "FAIL"])).grading


def replay(course, address, *options):
    return call_verdict("--ledger", course.opened.folder, "replay", address, *options)


def verdict_of(course, check, slot=0):
    """Return the address of a verdict."""
    return next(
        entry.address
        for entry in course.opened.ledger.read()
        if isinstance(body := entry.event.body, VerdictGiven)
        and (body.check, body.slot) == (check, slot)
    )


def test_every_verdict_comes_out_again_and_no_model_is_asked(course, grading):
    called = replay(course, grading)
    assert called.code == 0
    assert "18 of 18 verdicts came out the same" in called.out
    size = course.opened.ledger.head().size
    assert replay(course, grading, "--json").json == {"differing": [], "notes": [], "same": 18}
    assert course.opened.ledger.head().size == size


@pytest.mark.parametrize("check", ["says", "total", "judged"])
def test_one_verdict_comes_out_again(course, grading, check):
    called = replay(course, verdict_of(course, check))
    assert (called.code, called.out) == (0, "1 of 1 verdicts came out the same\n")


def test_a_grader_that_decides_otherwise_is_found_check_by_check(course, grading, monkeypatch):
    member = Member(factory=make_contrary, modules=GRADERS["phrases"].modules)
    monkeypatch.setitem(GRADERS, "phrases", member)
    called = replay(course, grading, "--json")
    assert called.code == 1
    assert called.json["same"] == 12
    assert {differing["check"] for differing in called.json["differing"]} == {"says"}
    assert called.json["differing"][0]["recorded"]["verdict"] == "pass"
    assert called.json["differing"][0]["now"] == {"reason": "No.", "verdict": "fail"}
    assert "says: pass was recorded, now fail: No." in replay(course, grading).out


def test_a_grader_of_other_code_is_noted_and_its_verdicts_stand(course, grading, monkeypatch):
    sound = GRADERS["phrases"]
    member = Member(factory=sound.factory, modules=sound.modules[:1])
    monkeypatch.setitem(GRADERS, "phrases", member)
    called = replay(course, grading)
    assert called.code == 0
    assert "note: the program's grader phrases: another code than then" in called.out


def test_a_grader_of_another_version_is_noted(course, grading, monkeypatch):
    member = Member(factory=make_newer, modules=JUDGE.modules)
    monkeypatch.setitem(GRADERS, "one_word", member)
    called = replay(course, grading, "--json")
    assert (called.code, called.json["notes"]) == (0, ["one_word: another version than then"])


def test_a_request_without_a_recorded_answer_does_not_come_out_the_same(
    course, grading, monkeypatch
):
    member = Member(factory=make_other, modules=JUDGE.modules)
    monkeypatch.setitem(GRADERS, "one_word", member)
    called = replay(course, grading, "--json")
    assert called.code == 1
    assert [differing["check"] for differing in called.json["differing"]] == ["judged"] * 6
    assert called.json["differing"][0]["now"] == {
        "reason": "No answer to the grader's request is recorded.",
        "verdict": "unproven",
    }


def test_a_grader_that_is_gone_is_said(course, grading, monkeypatch):
    monkeypatch.delitem(GRADERS, "one_word")
    called = replay(course, grading)
    assert called.code == 1
    assert "judged: pass was recorded; its grader cannot be made again" in called.out
    assert "12 of 18 verdicts came out the same" in called.out


def test_a_redacted_answer_of_a_trial_cannot_be_decided_again(course, grading):
    completed = next(b for b in course.bodies(object) if b.KIND == "trial.completed")
    course.opened.ledger.redact(completed.answer.address, reason="asked for")
    called = replay(course, grading, "--json")
    assert called.code == 1
    assert len(called.json["differing"]) == 6  # two trials gave this answer
    assert called.json["differing"][0]["now"]["reason"] == "The answer was redacted."


def test_a_redacted_answer_of_a_judge_cannot_be_decided_again(course, grading):
    answered = next(b for b in course.bodies(object) if b.KIND == "grader.answered")
    course.opened.ledger.redact(answered.answer.address, reason="asked for")
    called = replay(course, grading, "--json")
    assert called.code == 1
    assert {differing["check"] for differing in called.json["differing"]} == {"judged"}
    reasons = {differing["now"]["reason"] for differing in called.json["differing"]}
    assert reasons == {"A grader's answer was redacted."}


def test_damaged_evidence_ends_a_replay_with_a_line_and_no_verdict(course, grading):
    completed = next(b for b in course.bodies(object) if b.KIND == "trial.completed")
    raw = bytes.fromhex(completed.answer.address[7:])
    with sqlite3.connect(course.opened.folder / "ledger.db") as connection:
        connection.execute("DROP TRIGGER artifact_no_update")
        connection.execute("UPDATE artifact SET data = x'00' WHERE address = ?", (raw,))
    called = replay(course, grading)
    assert called.code == 2
    assert called.err.startswith(f"error: artifact {completed.answer.address}: ")
    assert len(called.err.splitlines()) == 1


def test_what_is_no_verdict_cannot_be_replayed(course, grading):
    with pytest.raises(UnknownAddress, match=r"is a run\.started, not a verdict"):
        replay_verdict(course.opened.ledger, course.opened.keeper, course.run.address)
    assert replay(course, course.run.address).code == 2
