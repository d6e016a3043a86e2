"""``verdict scorecard``: which one, in which form, as of when."""

import json
from datetime import UTC, datetime

import pytest

from tests.cli.program import CASES, CHECK, call, write_lines, write_suite


@pytest.fixture
def two(graded):
    """Two gradings: the first misses its minimum, the second meets it."""
    return graded, call("run", "suite", "-c", "good", "--json").json()


def test_without_an_address_it_is_the_newest_grading(two):
    assert call("scorecard", "--json").json() == two[1]


def test_a_run_stands_for_its_newest_grading(two):
    assert call("scorecard", two[0]["run"], "--json").json()["grading"] == two[0]["grading"]


def test_the_two_spellings_of_json_are_one(two):
    assert call("scorecard", "--format", "json").out == call("scorecard", "--json").out
    assert call("scorecard", "--json", two[0]["grading"]).json()["gate"] == "failed"


def test_the_text_says_what_the_result_belongs_to_above_its_rows(graded):
    lines = call("scorecard").out.splitlines()
    names = [line[:14].strip() for line in lines[:10]]
    assert names == [
        *("suite", "configuration", "asked", "answered by", "tools", "graders", "revisions"),
        *("keys", "trials", "run"),
    ]
    assert lines[2:5] == [
        "asked         recorded, model m-1",
        "answered by   not stated",
        "tools         none",
    ]
    suite, criteria = graded["revisions"]["suite"][7:19], graded["revisions"]["criteria"][7:19]
    assert lines[6] == f"revisions     suite {suite}, criteria {criteria}"
    assert lines[10].endswith(f", as of {graded['as_of']} events")


@pytest.mark.usefixtures("graded")
def test_the_text_shows_counts_rate_interval_and_minimum_of_each_check():
    lines = call("scorecard").out.splitlines()
    assert lines[12] == "variant plain, gated"
    head = "check  pass  fail  unproven          rate         95 %  minimum"
    assert lines[13].rstrip() == head
    assert lines[14] == "total     1     2         0  1/3 = 33.3 %  [6.1, 79.2]     60 %  misses"


@pytest.mark.usefixtures("graded")
def test_a_suite_of_few_cases_shows_each_of_them():
    lines = [line.rstrip() for line in call("scorecard").out.splitlines()]
    at = lines.index("by case")
    assert lines[at + 2 : at + 5] == [
        "eggs  plain           1/1",
        "cups  plain           0/1  total 0/1",
        "pens  plain           0/1  total 0/1",
    ]


def test_the_cases_of_a_large_suite_are_shown_when_they_are_asked_for(home):
    cases = [{**CASES[0], "id": f"eggs-{number}", "question": f"{number}?"} for number in range(21)]
    write_lines(home / "suite" / "cases.jsonl", cases)
    assert "by case" not in call("run", "suite", "-c", "good").out
    for form in ("text", "md"):
        assert "eggs-20" not in call("scorecard", "--format", form).out
        assert "eggs-20" in call("scorecard", "--format", form, "--cases").out
    assert len(call("scorecard", "--json").json()["cases"]) == 21


def test_two_checks_have_a_rate_together_and_one_has_not(home):
    assert "(all in one trial)" not in call("run", "suite", "-c", "bad").out
    phrases = {**CHECK, "check_name": "polite", "grader": "phrases", "must_include": ["A:"]}
    for field in ("fact_name", "pattern"):
        phrases.pop(field)
    write_suite(home / "suite", checks=[CHECK, phrases])
    lines = call("run", "suite", "-c", "bad").out.splitlines()
    (line,) = [line for line in lines if line.startswith("(all in one trial)")]
    assert line.split(") ")[1].split() == ["1/3", "=", "33.3", "%", "[6.1,", "79.2]"]


@pytest.mark.usefixtures("graded")
def test_the_markdown_has_every_column():
    out = call("scorecard", "--format", "md").out
    head, rule, row, joint = [line for line in out.splitlines() if line[:1] == "|"][:4]
    assert head.count("|") == rule.count("|") == row.count("|") == joint.count("|") == 13
    assert row == (
        "| total | plain | 1 | 2 | 0 | 0 | 0 | 1/3 = 33.3 % | [6.1, 79.2] | 60 % | yes | misses |"
    )


@pytest.mark.usefixtures("graded")
def test_the_markdown_lists_what_did_not_pass_where_it_is_asked_for():
    assert "What did not pass" not in call("scorecard", "--format", "md").out
    out = call("scorecard", "--format", "md", "--failed").out
    rows = [
        line.split(" | ")
        for line in out.splitlines()
        if line.startswith("| ") and line.split(" | ")[1] == "fail"
    ]
    assert [row[2] for row in rows] == ["cups", "pens"]
    assert all(call("trace", row[0].removeprefix("| ")).code == 0 for row in rows)


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize("form", ["text", "md", "json", "html"])
def test_a_file_holds_what_would_be_printed(home, form):
    printed = call("scorecard", "--format", form).out
    assert call("scorecard", "--format", form, "-o", "card").out == ""
    assert (home / "card").read_text("utf-8") == printed


def test_a_minimum_is_shown_with_all_its_digits(home):
    write_suite(home / "suite", checks=[{**CHECK, "minimum_pass_rate": 0.995}])
    assert " at least 99.5 % is required" in call("run", "suite", "-c", "bad").out


def test_failed_verdicts_are_listed_with_addresses_that_can_be_traced(graded):
    lines = call("scorecard", "--failed").out.splitlines()
    listed = [line for line in lines if "  fail      " in line]
    assert [line.split()[2:] for line in listed] == [
        ["cups", "plain", "1", "total"],
        ["pens", "plain", "1", "total"],
    ]
    assert all(call("trace", line.split()[0]).code == 0 for line in listed)
    failed = call("scorecard", "--failed", "--json").json()
    assert [item["case"] for item in failed.pop("failed")] == ["cups", "pens"]
    assert failed == graded


@pytest.mark.usefixtures("home")
def test_where_every_verdict_passed_the_list_says_so():
    call("run", "suite", "-c", "good")
    assert call("scorecard", "--failed").out.endswith("\nno verdict is fail or unproven\n")


def test_a_position_shows_the_grading_as_it_was_then(two):
    first = two[0]
    now = call("scorecard", first["grading"], "--json", "--as-of", first["as_of"]).json()
    assert now == first
    half = call("scorecard", first["grading"], "--json", "--as-of", first["as_of"] - 3).json()
    assert (half["gate"], half["verdicts"]) == ("incomplete", {"given": 1, "planned": 3})
    text = call("scorecard", first["grading"], "--as-of", first["as_of"] - 3).out
    assert text.endswith("gate incomplete: 1 of 3 verdicts are given\n")


def test_a_time_stands_for_the_events_up_to_it(graded):
    after = datetime.now(UTC).isoformat()
    call("run", "suite", "-c", "good")
    assert call("scorecard", graded["grading"], "--as-of", after, "--json").json() == graded


def test_a_time_without_a_zone_is_utc(graded):
    after = datetime.now(UTC).isoformat().removesuffix("+00:00")
    assert call("scorecard", "--as-of", after, "--json").json() == graded


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("soon", "--as-of: 'soon' is neither a number of events nor a time"),
        ("-1", "--as-of: '-1' is neither a number of events nor a time"),
        ("999", "--as-of: the log has 14 events, not 999"),
    ],
)
def test_what_is_neither_position_nor_time_is_refused(text, line):
    assert call("scorecard", f"--as-of={text}") == (2, "", f"error: {line}\n")


def test_before_it_began_a_grading_has_no_scorecard(graded):
    done = call("scorecard", "--as-of", "2020-01-01")
    assert done == (2, "", "error: nothing was graded in this ledger then\n")
    done = call("scorecard", graded["grading"], "--as-of", "2020-01-01")
    assert done == (2, "", f"error: grading {graded['grading']} had not begun then\n")


def test_as_of_shows_the_grading_that_was_the_newest_then(graded):
    before = call("scorecard", "--json").out
    size = json.loads(before)["as_of"]
    assert call("run", "suite", "-c", "good").code == 0
    assert call("scorecard", "--json").out != before
    assert call("scorecard", "--json", "--as-of", str(size)).out == before


def test_an_address_of_something_else_is_refused(graded):
    verdict = call("scorecard", "--failed", "--json").json()["failed"][0]["verdict_event"]
    line = f"{verdict} is a verdict.given, not a grading"
    assert call("scorecard", verdict) == (2, "", f"error: {line}\n")
    assert graded["gate"] == "failed"
