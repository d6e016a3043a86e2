"""Sessions as lines of recorded answers (``providers/recorded.py``)."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from examples.expense_analysis.script.answers import write_answer
from examples.expense_analysis.script.findings import Finding, make_findings
from examples.expense_analysis.script.scenarios import Place, Scenario, list_places
from examples.expense_analysis.script.session import Session
from examples.expense_analysis.script.spending import place_entries
from examples.expense_analysis.script.styles import STYLES, Host, throw_dice
from examples.expense_analysis.script.tool_calls import list_calls
from graders.reference import ReferenceEntry
from ledger.tools import ToolCall

CASE = "june_august_2026"
MICROSECONDS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A session with what it left."""

    session: Session
    findings: tuple[Finding, ...]
    answer: str
    calls: tuple[ToolCall, ...]


def write_sessions(entries: tuple[ReferenceEntry, ...]) -> list[Written]:
    """Return every session, in the order of ``list_places``."""
    return [_write(_make_session(*planned, entries)) for planned in list_places()]


def _write(session: Session) -> Written:
    findings = make_findings(session)
    return Written(
        session=session,
        findings=findings,
        answer=write_answer(session, findings),
        calls=tuple(list_calls(session)),
    )


def _make_session(place: Place, scenario: Scenario, entries: tuple[ReferenceEntry, ...]) -> Session:
    return Session(
        place=place,
        scenario=scenario,
        style=STYLES[place.configuration],
        spending=place_entries(entries, scenario.treatment),
        dice=throw_dice(place),
    )


def format_sessions(written: Iterable[Written], configuration: str) -> str:
    """Return the text of ``sessions/<configuration>.jsonl``."""
    return "".join(
        format_line(_make_line(one))
        for one in written
        if one.session.place.configuration == configuration
    )


def format_line(record: dict[str, object]) -> str:
    """Return a line of JSON; what people read in it is spelled as it is."""
    return json.dumps(record, ensure_ascii=False) + "\n"


def _make_line(one: Written) -> dict[str, object]:
    session = one.session
    place, style = session.place, session.style
    calls = [
        {"kind": call.kind, "name": call.name, "input": call.input, "outcome": call.outcome}
        for call in one.calls
    ]
    return {
        "case": CASE,
        "variant": place.variant,
        "repetition": place.repetition,
        "answer": one.answer,
        "resolved_model": style.model,
        "request_id": f"scripted-{place.configuration}-{place.variant}-{place.repetition}",
        "stop_reason": "end_turn" if style.host is Host.CLAUDE_CODE else "completed",
        "usage": _count_usage(one),
        "tool_calls": calls,
        "duration_us": _measure_duration(session),
        "metadata": {"scripted": True, "host": style.host, "effort": "medium"},
    }


def _count_usage(one: Written) -> dict[str, int]:
    """Return counts of tokens of the size that such a session has; nobody counted any."""
    dice, turns = one.session.dice, len(one.calls)
    output = len(one.answer) // 3 + 260 * turns + dice.count("output", 200, 1_900)
    cached = 7_400 * turns + dice.count("cached", 1_000, 6_000)
    if one.session.style.host is Host.CLAUDE_CODE:
        return {
            "input_tokens": dice.count("input", 18, 60),
            "output_tokens": output,
            "cache_creation_input_tokens": dice.count("created", 9_000, 17_000),
            "cache_read_input_tokens": cached,
        }
    return {
        "input_tokens": cached + dice.count("input", 8_000, 15_000),
        "cached_input_tokens": cached,
        "output_tokens": output,
        "reasoning_output_tokens": dice.count("reasoning", 400, 1_600),
    }


def _measure_duration(session: Session) -> int:
    """Return how long the session is said to have taken; the first of five is the slowest."""
    span = session.style.seconds * MICROSECONDS
    wobble = session.dice.count("duration", -span // 8, span // 8)
    return span + wobble + (span // 3 if session.place.repetition == 1 else 0)
