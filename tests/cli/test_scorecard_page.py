"""The scorecard as a page: complete, self-contained, and deaf to what strangers wrote."""

import io
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from cli.render import Sheet, render_sheet
from tests.cli.program import ROOT, call
from tests.trials.scorecards import FAIL, PASS, UNPROVEN, Where, make_criteria, new_desk
from trials.scorecard import list_shortfalls

EVIL = "<script>alert('x')</script> & | \x1b[2J"
VOID = {"meta", "br"}
FETCHING = {"script", "link", "img", "iframe", "object", "embed", "base", "form", "video", "audio"}


class Page(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, source):
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text += data


def render(desk, form="html", **options):
    report = desk.report()
    shortfalls = list_shortfalls(desk.ledger, desk.keeper, report)
    out = io.StringIO()
    sheet = Sheet(report=report, shortfalls=shortfalls, origin="o", root="r", **options)
    render_sheet(form, sheet, out)
    return out.getvalue()


@pytest.fixture
def desk():
    """A grading with everything that a page may show, told by somebody evil."""
    with new_desk() as desk:
        desk.start(configuration_name=EVIL, model=EVIL, provider=EVIL)
        places: list[Where] = [(EVIL,), (EVIL, EVIL), ("y",)]
        for slot, place in enumerate(places):
            desk.open(slot, *place)
            desk.complete(slot, resolved_model=EVIL, usage=((EVIL, 4_321),))
        criteria = make_criteria((EVIL, "b"), (EVIL, "y"), is_judged=True, description=EVIL)
        desk.grade(criteria, planned=6)
        desk.answer(0, desk.ask(0), resolved_model=EVIL, usage=((EVIL, 9),))
        failed = desk.give(0, EVIL, FAIL, EVIL)
        desk.diagnose(0, EVIL, failed, EVIL)
        for slot, check, verdict in [(0, "b", PASS), (1, EVIL, UNPROVEN), (1, "b", PASS)]:
            desk.give(slot, check, verdict, EVIL)
        for check in (EVIL, "b"):
            desk.give(2, check, PASS)
        desk.close()
        yield desk


def test_nothing_that_a_stranger_wrote_is_markup(desk):
    source = render(desk)
    page = Page(source)
    assert page.open == []
    assert "script" not in page.tags
    assert "\x1b" not in source
    assert page.text.count("<script>alert('x')</script> & | \\x1b[2J") > 15


def test_the_page_fetches_nothing_and_runs_nothing(desk):
    source = render(desk)
    page = Page(source)
    assert not FETCHING & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "src"]
    assert not re.search(r"url\(|@import|https?:", source)


def test_strangers_break_no_line_of_the_other_forms_either(desk):
    for form in ("text", "md"):
        out = render(desk, form, is_failed=True, has_cases=True)
        assert "\x1b" not in out
    rows = [line for line in render(desk, "md", is_failed=True).splitlines() if line[:1] == "|"]
    assert all("<script" not in row for row in rows)
    assert all(len(re.findall(r"(?<!\\)\|", row)) in (5, 6, 7, 8, 9, 13) for row in rows)


def test_the_page_is_a_document_with_a_title_that_names_suite_and_configuration(home):
    call("run", "suite", "-c", "bad")
    source = call("scorecard", "--format", "html").out
    assert source.startswith("<!doctype html>\n")
    assert "<title>sums, bad: gate failed</title>" in source


def test_the_page_says_what_the_text_says(graded):
    text = " ".join(Page(call("scorecard", "--format", "html").out).text.split())
    for said in (
        "Gate failed",
        "total passed 1/3 = 33.3 %, at least 60 % is required",
        "3 planned, 3 completed, 0 failed, 0 missing",
        "The line 'A:' states the total.",
        "1/3 = 33.3 % [6.1, 79.2] 60 % misses",
        "The answer states 22; accepted is 4.",
        graded["grading"],
        graded["revisions"]["criteria"],
        *(key["address"] for key in graded["revisions"]["keys"]),
    ):
        assert said in text


@pytest.mark.usefixtures("graded")
def test_a_bar_shows_rate_interval_and_minimum_to_who_sees_it_and_to_who_does_not():
    source = call("scorecard", "--format", "html").out
    assert 'aria-label="1/3 = 33.3 %, 95 % interval [6.1, 79.2], minimum 60 %"' in source
    assert '<i class="fill" style="width:33.33%">' in source
    assert '<i class="whisker" style="left:6.15%;right:20.77%">' in source
    assert '<i class="minimum" style="left:60.00%">' in source


def test_a_page_is_the_same_whenever_it_is_made_again(graded):
    page = call("scorecard", "--format", "html").out
    call("run", "suite", "-c", "good")
    position = str(graded["as_of"])
    again = ("scorecard", graded["grading"], "--as-of", position, "--format", "html")
    assert call(*again).out == page


def test_a_page_shows_the_first_failed_verdicts_and_all_where_they_are_asked_for():
    with new_desk() as desk:
        desk.start(60)
        desk.grade(make_criteria(("a",), ("x",)), planned=60)
        for slot in range(60):
            desk.open(slot, repetition=slot + 1)
            desk.give(slot, "a", FAIL, f"reason {slot}.")
        some, every = render(desk), render(desk, is_failed=True)
    assert "60 verdicts" in some
    assert [some.count("reason 49."), some.count("reason 50.")] == [1, 0]
    assert every.count("reason 59.") == 1


def test_no_form_but_the_page_loads_a_template_engine():
    program = "import sys, cli.run, cli.scorecard; print('jinja2' in sys.modules)"
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout == b"False\n"
