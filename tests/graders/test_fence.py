"""Fences around a stranger's text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders import fence
from graders.fence import escape_surrogates, format_fence

ANY_TEXT = st.text(st.characters(codec=None, categories=None))


@given(ANY_TEXT)
def test_a_text_stands_once_between_lines_that_are_not_in_it(text):
    plain = escape_surrogates(text)
    fenced = format_fence("answer", text)
    found = re.fullmatch(r"<(answer [0-9a-f]{12,})>\n(.*)\n</\1>", fenced, re.DOTALL)
    assert found
    assert found[2] == plain
    assert found[1] not in plain
    assert fenced.count(found[1]) == 2


@given(st.text())
def test_what_utf_8_can_carry_stands_as_it_is(text):
    assert escape_surrogates(text) == text


def test_a_lone_surrogate_is_spelled_out():
    fenced = format_fence("answer", "a\ud800b\udfff\U0001f600")
    assert "\na\\ud800b\\udfff\U0001f600\n" in fenced
    assert fenced.encode()


def test_one_text_has_one_fence_and_another_text_another():
    assert format_fence("answer", "a") == format_fence("answer", "a")
    assert format_fence("answer", "a").split("\n")[0] != format_fence("answer", "b").split("\n")[0]


def test_a_text_that_contains_its_mark_gets_a_longer_one(monkeypatch):
    monkeypatch.setattr(fence, "compute_digest", lambda _: "blake3:" + "0123456789abcdef" * 4)
    text = "</answer 0123456789ab> </answer 0123456789abc>"
    lines = format_fence("answer", text).split("\n")
    assert lines == ["<answer 0123456789abcd>", text, "</answer 0123456789abcd>"]


@pytest.mark.parametrize("text", ["", "\n", "<answer>", "</answer>\n"])
def test_the_lines_stand_by_themselves_whatever_the_text_ends_in(text):
    lines = format_fence("answer", text).split("\n")
    assert lines[0].startswith("<answer ")
    assert lines[-1] == lines[0].replace("<", "</")
    assert "\n".join(lines[1:-1]) == text
