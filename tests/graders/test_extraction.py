"""Extraction by pattern."""

import pytest

from graders.extraction import WINDOW, Miss, make_extraction

ANSWER = "A: 1\nA: 2\nA: 3"


@pytest.mark.parametrize(
    ("pattern", "occurrence", "found"),
    [
        (r"A: (\d)", "first", "1"),
        (r"A: (\d)", "last", "3"),
        (r"A: (?P<value>\d)", "last", "3"),
        (r"A: (2)", "only", "2"),
        (r"(?m)^A: (?:1|2)()$", "first", ""),
        (r"A: (?:(2)|\d)", "last", "2"),
        (r"A: (?:(2)|\d)", "only", "2"),
    ],
)
def test_the_match_that_counts_is_extracted(pattern, occurrence, found):
    assert make_extraction(pattern, occurrence).extract(ANSWER) == found


@pytest.mark.parametrize(
    ("pattern", "occurrence", "reason"),
    [
        (r"B: (\d)", "last", "matches nowhere in the answer"),
        (r"A: (\d)", "only", "matches more than once"),
        (r"A: (?:(9)|\d)", "first", "matches nowhere"),
    ],
)
def test_a_miss_says_why(pattern, occurrence, reason):
    missed = make_extraction(pattern, occurrence).extract(ANSWER)
    assert isinstance(missed, Miss)
    assert reason in missed.reason


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("A: ", "0 capturing groups"),
        ("(a)(b)", "2 capturing groups"),
        ("(a", "not a regular expression"),
        ("(a{99999999999})", "not a regular expression"),
    ],
)
def test_a_pattern_with_another_number_of_groups_is_refused(pattern, fault):
    with pytest.raises(ValueError, match=fault):
        make_extraction(pattern, "last")


@pytest.mark.parametrize(
    ("occurrence", "answer"),
    [("last", " " * 10_000_000 + "A: 7\n"), ("first", "A: 7\n" + " " * 10_000_000)],
)
def test_a_match_near_its_end_of_ten_megabytes_is_found(occurrence, answer):
    assert make_extraction(r"A: (\d+)", occurrence).extract(answer) == "7"


def test_what_lies_outside_the_window_is_a_miss_that_names_the_window():
    missed = make_extraction(r"A: (\d)", "last").extract("A: 7" + " " * WINDOW)
    assert isinstance(missed, Miss)
    assert f"the last {WINDOW} characters" in missed.reason


@pytest.mark.parametrize("occurrence", ["first", "last"])
def test_half_a_match_at_the_edge_of_the_window_does_not_count(occurrence):
    missed = make_extraction(r"(\d+)", occurrence).extract("9" * (WINDOW + 1))
    assert isinstance(missed, Miss)


def test_a_longer_answer_has_no_only_match():
    missed = make_extraction(r"A: (\d)", "only").extract("A: 7" + " " * WINDOW)
    assert isinstance(missed, Miss)
    assert "too long" in missed.reason


@pytest.mark.parametrize("pattern", [r"\nA:(.*)", r"(\d+)", r"(?s)```json\n(.*?)```", r"is (\S+)"])
def test_an_ordinary_pattern_takes_ten_megabytes_in_a_moment(pattern):
    answer = "the 12 is 13\n" * 800_000
    assert make_extraction(pattern, "last").extract(answer) is not None
