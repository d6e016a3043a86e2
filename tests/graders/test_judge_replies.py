"""What is made of each reply of a judge, and the table of docs/graders.md that says so.

To print the table anew: ``python -m tests.graders.test_judge_replies``.
"""

import json
import re
import sys
from pathlib import Path

import pytest

from graders.grader import Evidence
from graders.judge import make_judge
from ledger.canonical import format_canonical
from ledger.outcomes import Cause, Verdict

REPLIES = json.loads(Path(__file__).with_name("judge_replies.json").read_bytes())
PAGE = Path(__file__).parents[2] / "docs/graders.md"
HEAD, TAIL = 54, 36
VERDICTS = {
    "pass": (Verdict.PASS, None),
    "fail": (Verdict.FAIL, None),
    "unreadable": (Verdict.UNPROVEN, Cause.GRADER_UNREADABLE),
}


def show(reply: str) -> str:
    """Return a reply as a cell shows it: escaped, cut in the middle, as code."""
    text = json.dumps(reply)[1:-1].replace('\\"', '"')
    text = text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}…{text[-TAIL:]}"
    return f"`` {text} ``".replace("|", "\\|") if text.strip() else "(empty)"


def list_rows() -> list[str]:
    return [
        f"| {each['name']} | {show(each['reply'])} | {each['outcome']} | {each['why']} |"
        for each in REPLIES
    ]


@pytest.mark.parametrize("case", REPLIES, ids=lambda case: case["name"])
def test_a_reply_is_read_as_the_table_says(case):
    grader = make_judge({"rubric": "PASS if it is good."})
    evidence = Evidence(case="c", variant="v", answer="An answer.", key=None)
    (request,) = grader.plan(evidence)
    decision = grader.decide(evidence, {request.address(): case["reply"]})
    assert (decision.verdict, decision.cause) == VERDICTS[case["outcome"]]
    assert grader.is_readable(request, case["reply"]) is (case["outcome"] != "unreadable")
    assert len(format_canonical(decision.reason)) < 5_000


def test_the_page_shows_these_replies_and_no_others():
    heading = re.escape("| reply | for example | read as | why |\n| --- | --- | --- | --- |\n")
    table = re.search(rf"{heading}((?:\|.*\n)+)", PAGE.read_text("utf-8"))
    assert table
    assert table[1].splitlines() == list_rows()


def test_every_reply_has_a_name_of_its_own_and_there_are_enough():
    names = [each["name"] for each in REPLIES]
    assert len(set(names)) == len(names) >= 45
    assert {each["outcome"] for each in REPLIES} == set(VERDICTS)


if __name__ == "__main__":
    sys.stdout.write("\n".join(list_rows()) + "\n")
