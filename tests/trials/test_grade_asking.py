"""Graders that ask a model: what is asked, how often, and what is recorded of it."""

from dataclasses import dataclass

import pytest

from graders import GraderRequest
from graders.registry import GRADERS
from ledger.artifact import decode_text
from ledger.events import (
    AttemptFailed,
    GraderAnswered,
    GraderAsked,
    GraderFailed,
    GradingStarted,
    RunStopped,
    TrialFailed,
    VerdictGiven,
)
from ledger.outcomes import Cause, Verdict
from providers import GraderPlace, SessionFailure
from tests.trials.judges import JUDGE, Model, judge_check, make_course
from tests.trials.providers import fail
from tests.trials.runs import CHECKS, call_verdict, new_ledger
from trials.grade import grade_run
from trials.replay import replay_grading
from trials.window import Window


@pytest.fixture
def opened(tmp_path, monkeypatch):
    monkeypatch.setitem(GRADERS, "one_word", JUDGE)
    with new_ledger(tmp_path / "ledger") as opened:
        yield opened


@pytest.fixture
def course(opened, tmp_path):
    """One trial to be judged by one check."""
    return make_course(opened, tmp_path / "suite", [judge_check()])


def replayed(course, card):
    return list(replay_grading(course.opened.ledger, course.opened.keeper, card.grading))


@pytest.mark.parametrize(("word", "verdict"), [("PASS", Verdict.PASS), ("FAIL", Verdict.FAIL)])
def test_a_readable_answer_is_asked_for_once(course, word, verdict):
    model = Model([word, "PASS"])
    course.grade(model)
    assert course.conversation() == ["asked 1", "answered"]
    assert course.verdicts() == [("judged", verdict, None)]


def test_question_and_answer_are_recorded_to_the_byte(course):
    model = Model([" PASS\r\n"])
    course.grade(model)
    (asked,), (answered,) = course.bodies(GraderAsked), course.bodies(GraderAnswered)
    get = course.opened.ledger.get
    request = GraderRequest(role="judge", prompt=model.asked[0].prompt)
    assert get(asked.request.address) == request.data()
    assert model.asked[0].place == GraderPlace(request.address(), 1)
    assert (asked.provider, asked.model, asked.effort) == ("script", "script-1", "low")
    assert get(answered.answer.address) == b" PASS\r\n"
    assert get(answered.response.address) == b"< PASS\r\n>"
    assert answered.response.media == "text/x-frame"
    (verdict,) = course.bodies(VerdictGiven)
    found = course.opened.ledger.find(verdict.answers[0]).event.body
    assert found == answered


@pytest.mark.parametrize("word", ["", "\0", "P\ud800SS", "x" * 100_000])
def test_an_unreadable_answer_is_asked_for_twice_and_no_third_time(course, word):
    card = course.grade(Model([word]))
    assert course.conversation() == ["asked 1", "answered", "asked 2", "answered"]
    assert course.verdicts() == [("judged", Verdict.UNPROVEN, Cause.GRADER_UNREADABLE)]
    for answered in course.bodies(GraderAnswered):
        assert decode_text(course.opened.ledger.get(answered.answer.address)) == word
    assert all(one.is_same for one in replayed(course, card))


def test_the_second_answer_decides_where_the_first_was_unreadable(course):
    course.grade(Model(["well,", "FAIL", "PASS"]))
    assert course.conversation() == ["asked 1", "answered", "asked 2", "answered"]
    assert course.verdicts() == [("judged", Verdict.FAIL, None)]


def test_a_call_that_fails_for_the_moment_is_recorded_and_made_again(course):
    course.grade(Model([fail(response=b"{503}"), "PASS"]))
    assert course.conversation() == ["asked 1", "answered"]
    (asked,), (failed,) = course.bodies(GraderAsked), course.bodies(AttemptFailed)
    assert (failed.cause, failed.attempt, failed.run) == ("overloaded", 1, course.run.address)
    assert course.opened.ledger.find(failed.subject).event.body == asked
    assert course.opened.ledger.get(failed.response.address) == b"{503}"
    assert course.verdicts() == [("judged", Verdict.PASS, None)]


def test_a_call_that_fails_for_good_is_recorded_and_not_made_again(course):
    failure = SessionFailure(cause="bad_request", detail="No.", response=b"{400}")
    course.grade(Model([failure, "PASS"]))
    assert course.conversation() == ["asked 1", "failed"]
    (failed,) = course.bodies(GraderFailed)
    assert course.opened.ledger.get(failed.response.address) == b"{400}"
    assert course.verdicts() == [("judged", Verdict.UNPROVEN, Cause.GRADER_FAILED)]


def test_a_grading_that_its_budget_stops_goes_on_with_what_is_missing(opened, tmp_path):
    course = make_course(opened, tmp_path / "suite", [judge_check()], cases=6)
    model = Model(["PASS"])
    refusing = Model(["PASS", fail("unauthorized", is_transient=False, stops_run=True)])
    card = course.grade(refusing, window=Window(), concurrency=1)
    assert not card.is_complete
    assert [body.cause for body in course.bodies(RunStopped)] == ["unauthorized"]
    assert course.grade(model).is_complete
    assert len(course.bodies(GraderAsked)) == 6
    assert len(model.asked) == 5


@pytest.mark.parametrize(
    "words",
    [
        [SessionFailure(cause="overloaded", detail="Come back.")],
        [RuntimeError("no \ud800 network\nat all")],
        ["well,", RuntimeError("gone")],
    ],
)
def test_a_call_that_fails_leaves_an_unproven_verdict(course, words):
    card = course.grade(Model(words))
    assert course.verdicts() == [("judged", Verdict.UNPROVEN, Cause.GRADER_FAILED)]
    assert card.is_complete
    assert all(one.is_same for one in replayed(course, card))


def test_no_model_for_the_grader_is_unproven_and_says_so(opened, tmp_path):
    course = make_course(opened, tmp_path / "suite", [judge_check(), CHECKS[0]])
    run = course.run
    grade_run(opened.ledger, opened.keeper, run.address, run.suite_event, run.suite)
    assert course.verdicts() == [
        ("judged", Verdict.UNPROVEN, Cause.GRADER_FAILED),
        ("says", Verdict.PASS, None),
    ]
    assert "no model answers as judge" in course.bodies(VerdictGiven)[0].reason


def test_checks_that_plan_the_same_request_share_one_call(opened, tmp_path):
    checks = [judge_check("one"), judge_check("two"), judge_check("other", question="short")]
    course = make_course(opened, tmp_path / "suite", checks, cases=3)
    model = Model(["PASS"])
    course.grade(model)
    assert len(model.asked) == len(course.bodies(GraderAnswered)) == 6
    shared = [body for body in course.bodies(VerdictGiven) if body.check in ("one", "two")]
    assert len({body.answers for body in shared}) == 3


def test_an_unreadable_shared_answer_is_asked_for_twice_in_all(opened, tmp_path):
    course = make_course(opened, tmp_path / "suite", [judge_check("one"), judge_check("two")])
    course.grade(Model(["well,"]))
    assert course.conversation() == ["asked 1", "answered", "asked 2", "answered"]


@pytest.mark.parametrize(
    "trouble", ["plan", "is_readable", "decide", "nothing", "long", "surrogate"]
)
def test_a_grader_that_goes_wrong_is_unproven_and_loses_no_other_verdict(opened, tmp_path, trouble):
    checks = [judge_check(trouble=trouble), CHECKS[0], judge_check("sound")]
    course = make_course(opened, tmp_path / "suite", checks, cases=4)
    card = course.grade(Model(["PASS"]))
    assert card.is_complete
    by_check: dict[str, set[tuple[Verdict, Cause | None]]] = {}
    for check, verdict, cause in course.verdicts():
        by_check.setdefault(check, set()).add((verdict, cause))
    # Whether an answer can be read is asked for the engine's sake alone; ``decide`` decides.
    is_harmless = trouble == "is_readable"
    failed = (Verdict.PASS, None) if is_harmless else (Verdict.UNPROVEN, Cause.GRADER_FAILED)
    assert by_check == {
        "judged": {failed},
        "says": {(Verdict.PASS, None)},
        "sound": {(Verdict.PASS, None)},
    }
    assert all(one.is_same for one in replayed(course, card))


def test_an_answer_that_no_request_can_carry_is_unproven(opened, tmp_path):
    answers = [{"case": "c0", "answer": "\ud800"}]
    course = make_course(opened, tmp_path / "suite", [judge_check(), CHECKS[0]], answers=answers)
    model = Model(["PASS"])
    card = course.grade(model)
    assert model.asked == []
    assert course.verdicts() == [
        ("judged", Verdict.UNPROVEN, Cause.GRADER_FAILED),
        ("says", Verdict.FAIL, None),
    ]
    assert all(one.is_same for one in replayed(course, card))


def test_a_failed_trial_is_not_asked_about(opened, tmp_path):
    course = make_course(opened, tmp_path / "suite", [judge_check()], answers=b"")
    model = Model(["PASS"])
    course.grade(model)
    assert model.asked == []
    assert course.verdicts() == [("judged", Verdict.UNPROVEN, Cause.TRIAL_FAILED)]


def test_a_redacted_answer_is_not_asked_about(course):
    (completed,) = [b for b in course.bodies(object) if b.KIND == "trial.completed"]
    course.opened.ledger.redact(completed.answer.address, reason="asked for")
    model = Model(["PASS"])
    course.grade(model)
    assert model.asked == []
    assert course.verdicts() == [("judged", Verdict.UNPROVEN, Cause.REDACTED)]


@dataclass
class Stopping(Model):
    """A model whose program is ended after some questions."""

    after: int = 0

    async def respond(self, request):
        """Answer, or be ended."""
        if len(self.asked) >= self.after:
            raise KeyboardInterrupt
        return await super().respond(request)


def test_a_grading_that_was_cut_off_goes_on_with_the_verdicts_that_are_missing(opened, tmp_path):
    checks = [judge_check("one"), judge_check("two", question="short")]
    course = make_course(opened, tmp_path / "suite", checks, cases=40)
    model = Stopping(["PASS"], after=70)
    with pytest.raises(KeyboardInterrupt):
        course.grade(model)
    before = course.bodies(VerdictGiven)
    assert 0 < len(before) < 80
    answered = len(course.bodies(GraderAnswered))
    assert answered > len(before) / 2, "some answers came whose verdicts did not"
    second = Model(["FAIL"])
    card = course.grade(second)
    assert len(second.asked) <= 80 - answered, "what was answered is not asked again"
    assert len(course.bodies(GraderAnswered)) == 80
    given = course.bodies(VerdictGiven)
    assert given[: len(before)] == before
    assert len({(body.slot, body.check) for body in given}) == len(given) == 80
    assert len(course.bodies(GradingStarted)) == 1
    assert card.is_complete
    assert all(one.is_same for one in replayed(course, card))


def test_a_second_grading_leaves_the_first_scorecard_to_the_byte(course):
    folder = course.opened.folder
    first = course.grade(Model(["PASS"]))
    as_json = ["--ledger", folder, "scorecard", first.grading[7:], "--format", "json"]
    size = str(course.opened.ledger.head().size)
    before = call_verdict(*as_json, "--as-of", size).out
    second = course.grade(Model(["FAIL"]))
    assert second.grading != first.grading
    assert call_verdict(*as_json, "--as-of", size).out == before
    now = call_verdict(*as_json)
    assert now.json["rows"] == call_verdict(*as_json, "--as-of", size).json["rows"]
    assert [row["passed"] for row in now.json["rows"]] == [1]


def test_a_scorecard_as_of_each_moment_is_what_it_was_at_that_moment(course):
    folder, ledger = course.opened.folder, course.opened.ledger
    shown = {}
    for word in ("PASS", "FAIL", "well,"):
        card = course.grade(Model([word]))
        arguments = ["--ledger", folder, "scorecard", card.grading[7:], "--format", "json"]
        shown[card.grading, ledger.head().size] = (arguments, call_verdict(*arguments).json["rows"])
    for (_, size), (arguments, rows) in shown.items():
        assert call_verdict(*arguments, "--as-of", str(size)).json["rows"] == rows


class Broken:
    """A provider that breaks its promise to answer with a value."""

    async def respond(self, request):
        if request.place.case != "c1":
            raise RuntimeError(f"no {request.place.case} \ud800\ntoday")
        return SessionFailure(cause="overloaded", detail="Come back.", response=b"\xff\x00")


def test_a_provider_that_raises_fails_its_trial_and_no_other(opened, tmp_path):
    course = make_course(opened, tmp_path / "suite", [CHECKS[0]], cases=3, provider=Broken())
    failed = {body.slot: body for body in course.bodies(TrialFailed)}
    causes = {slot: body.cause for slot, body in failed.items()}
    assert causes == {0: "provider_failed", 1: "overloaded", 2: "provider_failed"}
    assert failed[0].detail == "RuntimeError: no c0 \\ud800 today"
    assert opened.ledger.get(failed[1].response.address) == b"\xff\x00"
    card = course.grade(Model(["PASS"]))
    assert card.rows[0].counted == 3
