"""What a check looks at: the answer, or another part of the session."""

from dataclasses import dataclass, field

import pytest

from graders.registry import GRADERS
from ledger.digest import compute_digest
from ledger.events import GraderAsked, TrialCompleted, VerdictGiven
from ledger.outcomes import Cause, Verdict
from providers import Part, SessionFailure, SessionResult
from tests.trials.judges import JUDGE, Model, judge_check, make_course
from tests.trials.runs import CHECKS, call_verdict, new_ledger
from trials.replay import replay_grading
from trials.trace import trace_verdict

SAYS, TOTAL = CHECKS
REPORT = SAYS | {"check_name": "report_says", "evidence": "report.md"}


@dataclass
class Reporter:
    """Answers with nothing, and leaves the parts that it is told, or fails."""

    parts: list[tuple[str, bytes]] = field(default_factory=list)
    cause: str | None = None
    notes: tuple[str, ...] = ()

    async def respond(self, request):
        """Answer."""
        if self.cause is not None:
            return SessionFailure(cause=self.cause, detail="No.")
        parts = tuple(Part(name, data, "text/plain") for name, data in self.parts)
        return SessionResult(answer="nothing", response=b"raw", parts=parts, notes=self.notes)


@pytest.fixture
def grade(tmp_path, monkeypatch):
    """Grade one trial of a reporter, and return the course and its grading."""
    monkeypatch.setitem(GRADERS, "one_word", JUDGE)
    with new_ledger(tmp_path / "ledger") as opened:

        def run(reporter, *checks, words=("PASS",)):
            folder = tmp_path / "suite"
            course = make_course(opened, folder, list(checks), provider=reporter)
            return course, course.grade(Model(list(words))).grading

        yield run


def replays(course, grading):
    """Return whether every verdict comes out again."""
    opened = course.opened
    return [one.is_same for one in replay_grading(opened.ledger, opened.keeper, grading)]


def test_a_check_decides_by_the_part_that_it_names_and_another_by_the_answer(grade):
    course, grading = grade(Reporter([("report.md", b"the total")]), SAYS, REPORT)
    assert course.verdicts() == [
        ("says", Verdict.FAIL, None),
        ("report_says", Verdict.PASS, None),
    ]
    assert replays(course, grading) == [True, True]


def test_a_part_that_is_not_there_leaves_its_checks_alone_unproven(grade):
    course, grading = grade(Reporter([("stderr", b"total")]), REPORT, SAYS)
    assert course.verdicts() == [
        ("report_says", Verdict.UNPROVEN, Cause.EVIDENCE_MISSING),
        ("says", Verdict.FAIL, None),
    ]
    assert (
        course.bodies(VerdictGiven)[0].reason
        == "The session left no part report.md; its parts: stderr."
    )
    assert replays(course, grading) == [True, True]


def test_a_part_that_is_no_text_is_no_evidence(grade):
    course, grading = grade(Reporter([("report.md", b"\xff\xfe total")]), REPORT)
    assert course.verdicts() == [("report_says", Verdict.UNPROVEN, Cause.EVIDENCE_MISSING)]
    assert course.bodies(VerdictGiven)[0].reason == "The part report.md is not text."
    assert replays(course, grading) == [True]


def test_a_lone_surrogate_in_a_part_is_text_as_in_an_answer(grade):
    course, _ = grade(
        Reporter([("report.md", "\ud800 total".encode("utf-8", "surrogatepass"))]), REPORT
    )
    assert course.verdicts() == [("report_says", Verdict.PASS, None)]


def test_a_redacted_part_cannot_be_decided_again_and_the_answer_can(grade):
    course, grading = grade(Reporter([("report.md", b"the total")]), SAYS, REPORT)
    course.opened.ledger.redact(compute_digest(b"the total"), reason="asked for")
    called = call_verdict("--ledger", course.opened.folder, "replay", grading, "--json")
    (differing,) = called.json["differing"]
    assert differing["check"] == "report_says"
    assert differing["now"]["reason"] == "The part report.md was redacted."


def test_a_judge_is_asked_about_the_part_and_once_for_all_that_look_at_it(grade):
    judged = [judge_check(name, evidence="report.md") for name in ("one", "two")]
    course, grading = grade(
        Reporter([("report.md", b"Dear all")]), judge_check(), *judged, words=["FAIL", "PASS"]
    )
    prompts = [
        course.opened.ledger.get(body.request.address) for body in course.bodies(GraderAsked)
    ]
    assert [b"Is it good? Dear all" in prompt for prompt in prompts] == [False, True]
    assert [verdict for _, verdict, _ in course.verdicts()] == [
        Verdict.FAIL,
        Verdict.PASS,
        Verdict.PASS,
    ]
    assert replays(course, grading) == [True] * 3


@pytest.mark.parametrize(
    ("cause", "unproven"),
    [("budget", Cause.BUDGET), ("refused", Cause.TRIAL_FAILED)],
)
def test_a_trial_that_ran_out_of_its_budget_says_so_in_every_verdict(grade, cause, unproven):
    course, grading = grade(Reporter(cause=cause), SAYS, REPORT)
    assert [found for _, _, found in course.verdicts()] == [unproven, unproven]
    assert course.bodies(VerdictGiven)[0].reason == f"The trial failed: {cause}."
    assert replays(course, grading) == [True, True]


def test_a_trace_leads_to_the_part_that_was_looked_at_and_to_no_other(grade):
    parts = [("report.md", b"the total"), ("stderr", b"warning")]
    course, _ = grade(Reporter(parts, notes=("It changed an input.",)), SAYS, REPORT)
    opened = course.opened
    (completed,) = course.bodies(TrialCompleted)
    assert len(completed.parts) == 2
    entries = [entry for entry in opened.ledger.read() if entry.event.body.KIND == "verdict.given"]
    plain, report = (
        list(trace_verdict(opened.ledger, opened.keeper, entry.address)) for entry in entries
    )
    assert [step.label for step in plain if step.label.startswith("part")] == []
    (step,) = [step for step in report if step.label.startswith("part")]
    assert (step.label, step.excerpt) == ("part report.md", "the total")
    assert step.address == compute_digest(b"the total")
    (ended,) = [step for step in report if step.label == "trial completed"]
    assert ("note", "It changed an input.") in ended.fields
