"""Reading one JSON object out of a reply; tests/graders/test_judge_replies.py has many more."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.grader import GraderRequest
from graders.reply import (
    REPLY_LENGTH_MAX,
    Unanswered,
    Unreadable,
    decline_reply,
    find_reply,
    parse_reply,
)
from ledger.outcomes import Cause, Verdict

EDGES = (
    " \t\n\r\v\f\x85\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\u200b\u200c\u200d\u2060\ufeff"
)


@given(
    st.dictionaries(st.text(), st.integers() | st.text() | st.booleans()),
    st.text(EDGES),
    st.text(EDGES),
    st.sampled_from(["{}", "```\n{}\n```", "```json\n{}\n```"]),
)
def test_an_object_is_read_whatever_invisible_stands_around_it(document, before, behind, frame):
    text = before + frame.replace("{}", json.dumps(document)) + behind
    assert parse_reply(text) == document


@given(st.text(st.characters(exclude_characters=EDGES + "`"), min_size=1))
def test_nothing_visible_may_stand_beside_it(prose):
    for text in (f"{prose}{{}}", f"{{}}{prose}", f"{prose}\n```\n{{}}\n```"):
        if not prose.strip(EDGES):
            continue
        with pytest.raises(Unreadable):
            parse_reply(text)


def test_an_object_that_is_cut_anywhere_is_unreadable():
    whole = json.dumps({"passed": True, "reason": "It names both.", "disputed_amounts": []})
    for size in range(len(whole)):
        with pytest.raises(Unreadable):
            parse_reply(whole[:size])


@pytest.mark.parametrize(
    "text",
    [
        "`" * REPLY_LENGTH_MAX,
        "```\n" + "\n```" * (REPLY_LENGTH_MAX // 5),
        "```json" + " " * (REPLY_LENGTH_MAX - 20),
        "[" * REPLY_LENGTH_MAX,
        " " * REPLY_LENGTH_MAX,
        " " * (REPLY_LENGTH_MAX + 1),
    ],
    ids=["backticks", "fences", "spaces behind a fence", "brackets", "spaces", "too long"],
)
def test_a_hostile_reply_is_refused_in_a_moment(text):
    begun = time.perf_counter()
    with pytest.raises(Unreadable):
        parse_reply(text)
    assert time.perf_counter() - begun < 5


def test_a_reply_that_is_not_there_is_a_failed_grader_and_no_unreadable_one():
    with pytest.raises(Unanswered) as raised:
        find_reply(GraderRequest(role="judge", prompt="?"), {})
    decision = decline_reply("judge", raised.value)
    assert (decision.verdict, decision.cause) == (Verdict.UNPROVEN, Cause.GRADER_FAILED)
    assert decision.reason == "The judge's reply cannot be used: there is none."
