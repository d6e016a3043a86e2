"""The grader ``tool_use``."""

import pytest

from graders.extraction import WINDOW
from graders.grader import Evidence
from graders.tool_use import make_tool_use
from ledger.canonical import format_canonical
from ledger.errors import FaultyInput
from ledger.outcomes import Cause, Verdict
from ledger.tools import ToolCall, ToolKind, ToolOutcome

FAILED, SUCCEEDED, UNFINISHED = (
    ToolOutcome.FAILED,
    ToolOutcome.SUCCEEDED,
    ToolOutcome.UNFINISHED,
)


def call(given="python total.py", outcome=SUCCEEDED, kind=ToolKind.SHELL, name="Bash"):
    return ToolCall(kind=kind, name=name, input=given, outcome=outcome)


def decide(*calls, pattern=r"\bpython", record=True, redacted=frozenset[str]()):
    grader = make_tool_use({"tool_kind": "shell", "tool_input_pattern": pattern})
    evidence = Evidence(
        case="c",
        variant="v",
        answer="I ran `python total.py`.",
        key=None,
        tool_calls=calls if record else None,
        redacted=redacted,
    )
    return grader.decide(evidence, {})


@pytest.mark.parametrize(
    "calls",
    [
        [call()],
        [call("cd x && python3 - <<EOF\n1\nEOF")],
        [call(outcome=FAILED), call(outcome=UNFINISHED), call()],
        [call("ls"), call(kind=ToolKind.READ), call()],
    ],
)
def test_one_matching_call_that_succeeded_passes(calls):
    assert decide(*calls).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        ([], "The session called no tool."),
        ([call("ls")], r"No shell call matches '\\bpython': of 1 tool calls 1 were shell."),
        ([call("cpython")], r"No shell call matches '\\bpython'"),
        ([call(kind=ToolKind.WRITE)], "of 1 tool calls 0 were shell."),
        ([call("ls", name="python")], "No shell call matches"),
        ([call(outcome=FAILED)], r"1 matching shell call ('\\bpython'), 1 failed; for example"),
        (
            [call(outcome=UNFINISHED), call(outcome=FAILED), call("ls")],
            r"2 matching shell calls ('\\bpython'), 1 failed, 1 unfinished; for example 'python",
        ),
    ],
)
def test_without_a_matching_call_that_succeeded_the_check_fails(calls, reason):
    decision = decide(*calls)
    assert decision.verdict is Verdict.FAIL
    assert reason in decision.reason


def test_the_reason_of_a_pass_shows_a_call_that_succeeded():
    assert decide(call("python a.py", FAILED), call("python b.py")).reason == (
        r"2 matching shell calls ('\\bpython'), 1 succeeded, 1 failed; for example 'python b.py'."
    )


def test_a_session_without_a_record_of_calls_leaves_the_check_unproven():
    decision = decide(record=False)
    assert (decision.verdict, decision.cause) == (Verdict.UNPROVEN, Cause.EVIDENCE_MISSING)


def test_a_redacted_record_is_told_apart_from_a_missing_one():
    decision = decide(record=False, redacted=frozenset({"tool_calls"}))
    assert (decision.verdict, decision.cause) == (Verdict.UNPROVEN, Cause.REDACTED)


@pytest.mark.parametrize("pattern", ["python", "(p)(y)", "(?i)PYTHON", "^python", "total", ""])
def test_a_pattern_is_any_regular_expression(pattern):
    assert decide(call(), pattern=pattern).verdict is Verdict.PASS


def test_of_an_input_the_window_is_searched():
    assert decide(call(" " * (WINDOW - 6) + "python")).verdict is Verdict.PASS
    assert decide(call(" " * WINDOW + "python")).verdict is Verdict.FAIL


def test_a_reason_is_canonical_whatever_was_called():
    decision = decide(call("python \ud800\x00" + "x" * 1_000_000))
    assert len(format_canonical(decision.reason)) < 1_000


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"tool_input_pattern": "x"}, "tool_kind: it is missing"),
        ({"tool_kind": "shell"}, "tool_input_pattern: it is missing"),
        (
            {"tool_kind": "bash", "tool_input_pattern": "x"},
            "tool_kind: 'bash' is no kind of tool; there are shell, read, write, edit, search, ",
        ),
        ({"tool_kind": 1, "tool_input_pattern": "x"}, "tool_kind: 1 is no kind of tool"),
        (
            {"tool_kind": "shell", "tool_input_pattern": "("},
            "tool_input_pattern: not a regular expression: ",
        ),
        ({"tool_kind": "shell", "tool_input_pattern": "\ud800"}, "tool_input_pattern: "),
    ],
)
def test_a_faulty_field_is_refused_by_name(fields, fault):
    with pytest.raises(FaultyInput) as refused:
        make_tool_use(fields)
    assert [line.startswith(fault) for line in refused.value.faults] == [True]


def test_the_configuration_makes_the_same_grader_again():
    grader = make_tool_use({"tool_kind": "shell", "tool_input_pattern": "(a)"})
    assert make_tool_use(grader.configuration()) == grader
