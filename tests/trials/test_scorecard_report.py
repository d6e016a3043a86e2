"""What a report says of a grading that was recorded by hand."""

import pytest

from ledger.digest import compute_digest
from tests.trials.scorecards import (
    FAIL,
    GRADER,
    KEY,
    NOT_APPLICABLE,
    PASS,
    RUBRIC,
    UNPROVEN,
    UNRESOLVED,
    make_criteria,
    new_desk,
)
from trials.scorecard import Answering, Ratio, list_shortfalls


@pytest.fixture
def desk():
    with new_desk() as desk:
        desk.start()
        yield desk


def answer_all(desk, places):
    """Let a trial of each place come to an answer."""
    for slot, place in enumerate(places):
        desk.open(slot, *place)
        desk.complete(slot)


@pytest.mark.parametrize(
    ("first", "second", "passed", "counted"),
    [
        (PASS, PASS, 1, 1),
        (PASS, FAIL, 0, 1),
        (PASS, UNPROVEN, 0, 1),
        (PASS, NOT_APPLICABLE, 1, 1),
        (UNRESOLVED, PASS, 1, 1),
        (FAIL, NOT_APPLICABLE, 0, 1),
        (UNRESOLVED, NOT_APPLICABLE, 0, 0),
        (PASS, None, 0, 0),
        (FAIL, None, 0, 0),
    ],
)
def test_a_trial_meets_the_whole_if_every_check_that_applied_passed(
    desk, first, second, passed, counted
):
    answer_all(desk, ["x"])
    desk.grade()
    desk.give(0, "a", first)
    if second:
        desk.give(0, "b", second)
    assert desk.report().joints == (("v", Ratio(passed, counted)),)


def test_the_joint_rate_may_be_below_the_rate_of_every_check(desk):
    answer_all(desk, [("x",), ("x", "v", 2)])
    desk.grade()
    for slot, check, verdict in [(0, "a", PASS), (0, "b", FAIL), (1, "a", FAIL), (1, "b", PASS)]:
        desk.give(slot, check, verdict)
    report = desk.report()
    assert [row.ratio for row in report.rows] == [Ratio(1, 2), Ratio(1, 2)]
    assert report.joints == (("v", Ratio(0, 2)),)


def test_a_case_has_its_own_counts_in_the_order_of_the_suite(desk):
    answer_all(desk, [("y",), ("x",), ("x", "u")])
    desk.grade()
    for slot, verdict in enumerate([PASS, FAIL, PASS]):
        desk.give(slot, "b", verdict)
        desk.give(slot, "a", PASS)
    rows = desk.report().cases
    assert [(row.variant, row.case, row.joint) for row in rows] == [
        ("v", "x", Ratio(0, 1)),
        ("v", "y", Ratio(1, 1)),
        ("u", "x", Ratio(1, 1)),
    ]
    assert [(counts.check, counts.verdicts) for counts in rows[0].checks] == [
        ("a", ((PASS, 1),)),
        ("b", ((FAIL, 1),)),
    ]


def test_one_cause_in_several_trials_is_one_suspicion(desk):
    answer_all(desk, [("x",), ("x", "v", 2), ("y",)])
    desk.grade()
    given = [desk.give(slot, check, FAIL) for slot in (0, 1, 2) for check in ("a", "b")]
    for slot, check, cause in [(0, "b", "left out"), (0, "a", "left out"), (1, "a", "left out")]:
        desk.diagnose(slot, check, given[slot * 2 + (check == "b")], cause, "another")
    desk.diagnose(2, "a", given[4])
    first, second = desk.report().suspicions
    assert (first.subject, first.cause, first.checks) == ("Travel", "left out", ("a", "b"))
    assert first.trials == (("x", "v", 1), ("x", "v", 2))
    assert set(first.verdicts) == {given[0], given[1], given[2]}
    assert (second.cause, second.trials) == (None, (("y", "v", 1),))


def test_shortfalls_of_the_gated_variant_come_first(desk):
    answer_all(desk, [("x", "u"), ("x",), ("y",)])
    desk.grade()
    for slot in (0, 1, 2):
        desk.give(slot, "a", FAIL, f"reason {slot}")
        desk.give(slot, "b", PASS)
    shortfalls = list(list_shortfalls(desk.ledger, desk.keeper, desk.report()))
    assert [short.reason for short in shortfalls] == ["reason 1", "reason 2", "reason 0"]


def test_models_are_counted_by_the_name_that_they_gave_themselves(desk):
    for slot, name in enumerate(["m-1", "m-2", "m-1", None]):
        desk.open(slot)
        desk.complete(slot, resolved_model=name)
    desk.grade()
    assert desk.report().identity.models == (
        Answering("m-1", 2),
        Answering("m-2", 1),
        Answering(None, 1),
    )


def test_a_graders_calls_are_those_of_its_own_grading(desk):
    answer_all(desk, ["x"])
    desk.grade(make_criteria(is_judged=True))
    desk.answer(0, desk.ask(0), resolved_model="judge-1", usage=(("in", 9),))
    desk.close()
    desk.grade(make_criteria(is_judged=True, minimum="0.6"))
    desk.answer(0, desk.ask(0), resolved_model="judge-2", usage=(("in", 5), ("out", 1)))
    desk.answer(0, desk.ask(0), resolved_model="judge-2", usage=(("in", 6),))
    desk.break_off(desk.ask(0))
    (use,) = desk.report().identity.graders
    assert use.grader == ("judge", GRADER, "acme", "judge-1", "low")
    assert (use.answers, use.failed) == (2, 1)
    assert use.models == (Answering("judge-2", 2),)
    assert use.usage == (("in", 11), ("out", 1))


def test_revisions_name_the_suite_that_decided_and_the_one_that_was_answered(desk):
    answer_all(desk, ["x"])
    later = desk.register(b'"second"')
    desk.grade(make_criteria(is_judged=True), suite=later)
    revisions = desk.report().identity.revisions
    assert revisions.suite == compute_digest(b'"second"')
    assert revisions.answered_suite == compute_digest(b'"first"')
    assert revisions.criteria == compute_digest(make_criteria(is_judged=True))
    assert revisions.keys == (("x", KEY), ("y", KEY))
    assert revisions.files == (("rubric.md", RUBRIC),)


def test_what_a_recording_comes_from_is_read_from_its_configuration():
    with new_desk() as desk:
        desk.start(configuration=desk.put(b'{"recorded_from":"acme (scripted)"}'))
        desk.grade()
        assert desk.report().identity.recorded_from == "acme (scripted)"


def test_a_case_that_a_later_suite_dropped_keeps_its_verdicts(desk):
    answer_all(desk, [("gone",), ("x",)])
    desk.grade()
    desk.give(0, "a", PASS)
    desk.give(1, "a", PASS)
    assert [row.case for row in desk.report().cases] == ["x", "gone"]
