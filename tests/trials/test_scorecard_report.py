"""What a report says of a grading that was recorded by hand."""

from decimal import Decimal

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


def test_a_name_among_the_resolved_models_is_not_another_model():
    with new_desk() as desk:
        desk.start(configuration=desk.put(b'{"resolved_models":["m-1-2026"]}'))
        for slot, name in enumerate(["m-1", "m-1-2026", "m-2", None]):
            desk.open(slot)
            desk.complete(slot, resolved_model=name)
        desk.grade(make_criteria(refuses_other_models=True))
        report = desk.report()
    assert report.identity.others == report.other_models == (Answering("m-2", 1),)
    assert report.identity.names == {"m-1", "m-1-2026"}


@pytest.mark.parametrize(("variant", "gate"), [("v", "failed"), ("u", "passed")])
def test_another_model_fails_a_gate_that_refuses_it_on_the_gated_variant_alone(desk, variant, gate):
    for slot, name in enumerate("vu"):
        desk.open(slot, "x", name)
        desk.complete(slot, resolved_model="m-2" if name == variant else "m-1")
    desk.grade(make_criteria(["a"], refuses_other_models=True), planned=2)
    desk.give(0, "a", PASS)
    desk.give(1, "a", PASS)
    desk.close()
    report = desk.report()
    assert (report.gate, report.identity.others) == (gate, (Answering("m-2", 1),))


def test_a_graders_model_may_answer_under_its_resolved_models_too(desk):
    answer_all(desk, ["x"])
    desk.grade(make_criteria(is_judged=True))
    for name in ("judge-1", "judge-1-2026", "judge-2"):
        desk.answer(0, desk.ask(0), resolved_model=name)
    (use,) = desk.report().identity.graders
    assert use.others == (Answering("judge-2", 1),)


def test_a_redacted_configuration_lends_its_model_no_other_name(desk):
    stated = desk.put(b'{"resolved_models":["m-2"]}')
    desk.start(configuration=stated)
    desk.open(0)
    desk.complete(0, resolved_model="m-2")
    desk.grade()
    assert desk.report().identity.others == ()
    desk.ledger.redact(stated.address, reason="asked for")
    assert desk.report().identity.others == (Answering("m-2", 1),)


def test_what_a_failed_call_cost_counts_and_an_open_trial_does_not(desk):
    for slot in range(3):
        desk.open(slot)
    desk.complete(0, cost_usd="0.1", stated_cost_usd="0.3")
    desk.fail(1, cost_usd="0.02", attempt=4)
    desk.grade()
    cost = desk.report().cost
    assert (cost.trials, cost.priced, cost.stated) == (2, (Decimal("0.12"), 2), (Decimal("0.3"), 1))
    assert cost.failed_attempts == 3
    assert desk.report().attempts == (5, 2)


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
