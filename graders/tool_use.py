"""The grader ``tool_use``: whether a session did something, read from its tool calls.

Fields of the check:

``tool_kind``
    which kind of tool (``ledger/tools.py``), for example ``shell``; required.
``tool_input_pattern``
    regular expression (Python's), searched for in what the tool was given to do: the text of the
    command and nothing that the model said about it; required.

Of an input the first ``WINDOW`` characters are searched, as if it ended there
(``graders/extraction.py`` says why, and what a pattern that backtracks can cost).

The check passes where at least one matching call succeeded. A call that failed or never finished
proves nothing, and what the answer shows or claims is not looked at: code that is shown need not
have run. A session whose provider keeps no record of tool calls leaves the check unproven
(``evidence_missing``); one that called no tool fails it.

What a pass establishes is no more than that such a call is on record: neither that the program is
right, nor that the answer rests on what it printed.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import AfterValidator, BeforeValidator

from graders.code import CodeGrader
from graders.extraction import WINDOW, compile_expression
from graders.fields import Fields, Text, read_fields
from graders.grader import Decision, Evidence, fail
from graders.quotation import format_quotation
from ledger.canonical import JsonObject
from ledger.digest import Digest
from ledger.outcomes import Cause, Verdict
from ledger.tools import ToolCall, ToolKind, ToolOutcome


def _read_kind(value: object) -> ToolKind:
    if not isinstance(value, str) or value not in set(ToolKind):
        raise ValueError(f"{value!r:.80} is no kind of tool; there are {', '.join(ToolKind)}")
    return ToolKind(value)


def _check_pattern(pattern: str) -> str:
    compile_expression(pattern)
    return pattern


class ToolUseFields(Fields):
    """What a check sets for this grader."""

    tool_kind: Annotated[ToolKind, BeforeValidator(_read_kind)]
    tool_input_pattern: Annotated[Text, AfterValidator(_check_pattern)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUseGrader(CodeGrader):
    """Passes where a call of ``kind`` whose input matches ``pattern`` succeeded."""

    name: ClassVar[str] = "tool_use"
    version: ClassVar[int] = 1
    kind: ToolKind
    pattern: re.Pattern[str]

    def configuration(self) -> JsonObject:
        """Return the fields."""
        return {"tool_input_pattern": self.pattern.pattern, "tool_kind": self.kind.value}

    def decide(self, evidence: Evidence, answers: Mapping[Digest, str]) -> Decision:
        """Return pass or fail; unproven where no record of tool calls is there."""
        calls = evidence.tool_calls
        if calls is None:
            return _decline(evidence)
        if not calls:
            return fail("The session called no tool.")
        matching = [call for call in calls if self._matches(call)]
        pattern = format_quotation(self.pattern.pattern)
        if not matching:
            same = sum(call.kind is self.kind for call in calls)
            return fail(
                f"No {self.kind} call matches {pattern}: of {len(calls):,} tool calls {same:,} "
                f"were {self.kind}."
            )
        outcomes = Counter(call.outcome for call in matching)
        found = f"{len(matching):,} matching {self.kind} call{'s' if len(matching) > 1 else ''}"
        counts = ", ".join(
            f"{outcomes[outcome]:,} {outcome}" for outcome in ToolOutcome if outcomes[outcome]
        )
        succeeded = [call for call in matching if call.outcome is ToolOutcome.SUCCEEDED]
        shown = format_quotation((succeeded or matching)[0].input)
        reason = f"{found} ({pattern}), {counts}; for example {shown}."
        return Decision(verdict=Verdict.PASS, reason=reason) if succeeded else fail(reason)

    def _matches(self, call: ToolCall) -> bool:
        return call.kind is self.kind and bool(self.pattern.search(call.input, 0, WINDOW))


def _decline(evidence: Evidence) -> Decision:
    if "tool_calls" in evidence.redacted:
        reason = "The session's tool calls were redacted."
        return Decision(verdict=Verdict.UNPROVEN, cause=Cause.REDACTED, reason=reason)
    reason = "The provider keeps no record of the session's tool calls."
    return Decision(verdict=Verdict.UNPROVEN, cause=Cause.EVIDENCE_MISSING, reason=reason)


def make_tool_use(fields: Mapping[str, object]) -> ToolUseGrader:
    """Return the grader that the check's fields state.

    Raises:
        FaultyInput: a field is missing, unknown or has another form.
    """
    read = read_fields(ToolUseFields, fields)
    return ToolUseGrader(kind=read.tool_kind, pattern=re.compile(read.tool_input_pattern))
