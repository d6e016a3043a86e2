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
    assert print_lines(desk)[3] == "answered by   m-1-2026: another name than was asked for"


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
