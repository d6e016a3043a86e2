"""The scorecard as text, where there is more to say than counts."""

import io

import pytest

from cli.render import print_report
from tests.trials.scorecards import FAIL, PASS, Where, make_criteria, new_desk


@pytest.fixture
def desk():
    """Three trials on two variants, the judge asked once, one verdict a fail."""
    with new_desk() as desk:
        desk.start(3)
        places: list[Where] = [("x",), ("x", "v", 2), ("x", "w")]
        for slot, place in enumerate(places):
            desk.open(slot, *place)
            times = {"stated_us": 1_500_000 * (slot + 1), "duration_us": 12}
            desk.complete(slot, resolved_model="m-1-2026", usage=(("out", 1_000 + slot),), **times)
        desk.grade(make_criteria(is_judged=True), planned=6)
        desk.answer(0, desk.ask(0), resolved_model="judge-1")
        for slot in (0, 1, 2):
            failed = desk.give(slot, "a", FAIL if slot < 2 else PASS)
            if slot < 2:
                desk.diagnose(slot, "a", failed, "Travel: line 7 left out")
            desk.give(slot, "b", PASS)
        desk.close()
        yield desk


def print_lines(desk, **options):
    out = io.StringIO()
    print_report(desk.report(), out=out, **options)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_a_model_that_answered_under_another_name_is_told_apart(desk):
    assert print_lines(desk)[3] == (
        "answered by   m-1-2026: another name than was asked for, 3 of 3 answers"
    )


def test_what_calls_cost_and_what_is_noted_has_its_lines_where_it_is_known():
    with new_desk() as desk:
        desk.start(6)
        for slot, case in enumerate("xyxzwq"):
            desk.open(slot, case, repetition=slot + 1)
        desk.complete(0, attempt=3, cost_usd="0.2", stated_cost_usd="0.25", notes=("a", "b"))
        desk.complete(1, cost_usd="0.2213", notes=("c",))
        desk.fail(2, cost_usd="0.00005", notes=("d",))
        desk.complete(3, notes=("e",))
        desk.complete(4, notes=("f",))
        desk.complete(5)
        desk.grade()
        lines = print_lines(desk)
    at = next(index for index, line in enumerate(lines) if line.startswith("attempts"))
    assert lines[at : at + 3] == [
        "attempts      8 for 6 trials",
        (
            "cost          0.4214 USD by the suite's prices (3 of 6 trials); the provider says "
            "0.2500 USD (1 of 6 trials); without 2 failed attempts"
        ),
        "notes         on 5 trials: x, y, z and 1 more; see verdict trace",
    ]


def test_where_nothing_is_known_of_calls_nothing_is_said(desk):
    names = [line[:14].strip() for line in print_lines(desk)]
    assert not {"attempts", "cost", "notes"} & set(names)


def test_the_cost_of_one_of_several_variants_says_whose_it_is():
    with new_desk() as desk:
        desk.start(2)
        for slot, variant in enumerate("vw"):
            desk.open(slot, "x", variant)
            desk.complete(slot, stated_cost_usd="1.5")
        desk.grade()
        for slot in (0, 1):
            desk.give(slot, "a", PASS)
        (line,) = [line for line in print_lines(desk) if line.startswith("cost")]
    assert line == "cost          the provider says 1.5000 USD (1 of 1 trial); variant v alone"


@pytest.mark.parametrize("is_refused", [True, False])
def test_a_gate_that_refuses_other_models_says_who_answered(is_refused):
    with new_desk() as desk:
        desk.start(3)
        for slot, name in enumerate(["m-1", "gpt-x", None]):
            desk.open(slot, repetition=slot + 1)
            desk.complete(slot, resolved_model=name)
        desk.grade(make_criteria(["a"], refuses_other_models=is_refused), planned=3)
        for slot in range(3):
            desk.give(slot, "a", PASS)
        desk.close()
        last = print_lines(desk)[-1]
    why = "failed: answered by another model: gpt-x 1 of 3 trials" if is_refused else "passed"
    assert last == f"gate {why}"


def test_a_graders_own_provider_model_and_effort_are_shown(desk):
    assert print_lines(desk)[5] == (
        "graders       judge: acme, model judge-1, effort low; 1 answer"
    )


def test_each_variant_has_its_rows_and_says_whether_it_decides(desk):
    titles = [line for line in print_lines(desk) if line.startswith("variant ") and "," in line]
    assert titles == ["variant v, gated", "variant w, not gated"]


def test_a_cause_that_several_trials_share_is_said_once_with_its_trials(desk):
    lines = print_lines(desk)
    at = lines.index("what may have led to it: candidates that code found")
    assert lines[at + 1] == "2 trials  Travel: line 7 left out"
    assert lines[at + 2].strip() == "v, x 1, 2: a"


def test_times_say_whose_they_are_and_which_is_left_out(desk):
    lines = print_lines(desk)
    at = next(index for index, line in enumerate(lines) if line.startswith("time, "))
    assert lines[at] == (
        "time, as the sessions state it, without the warm-up: the first trial, x v 1, 1.5 s"
    )
    assert lines[at + 2].split() == ["v", "1", *["3.0", "s"] * 5]


def test_how_long_a_recording_takes_to_read_is_no_time():
    with new_desk() as desk:
        desk.start(2, provider="recorded")
        for slot in (0, 1):
            desk.open(slot, repetition=slot + 1)
            desk.complete(slot)
        desk.grade()
        assert not [line for line in print_lines(desk) if line.startswith("time")]


def test_usage_is_shown_by_trial_and_in_all(desk):
    lines = print_lines(desk)
    at = lines.index("used, as the provider counts it")
    assert [line.split() for line in lines[at + 2 : at + 4]] == [
        ["out", "v", "1,000.5", "2,001"],
        ["out", "w", "1,002", "1,002"],
    ]


def test_a_regrade_says_which_suite_was_answered():
    with new_desk() as desk:
        desk.start()
        desk.grade(suite=desk.register(b'"second"'))
        (line,) = [line for line in print_lines(desk) if line.startswith("revisions")]
    assert "; the answers were given to suite " in line
