"""Replies of the graders' models as lines of recorded answers (``providers/recorded.py``).

The questions are those that the suite's graders plan, by the first key and by the revised one. A
question that both ask is answered once, for both.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from examples.expense_analysis.script.dice import Dice
from examples.expense_analysis.script.extractions import extract_facts
from examples.expense_analysis.script.judgments import AnswerKey, Entries, judge
from examples.expense_analysis.script.scenarios import ReplyForm
from examples.expense_analysis.script.sessions import MICROSECONDS, Written, format_line
from graders import Evidence
from ledger.digest import Digest
from trials.suite import Case, Suite

EXTRACTOR, JUDGE = ROLES = ("extractor", "judge")
MODEL = "claude-sonnet-5-5"
FINDINGS = "three-supported-findings"
CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """A question about one session, and the keys by which it is asked.

    Attributes:
        check: the check that asks; ``None`` for the extraction, which many checks share.
        length: characters of the prompt.
    """

    request: Digest
    role: str
    written: Written
    check: str | None
    length: int
    keys: tuple[AnswerKey, ...] = ()


def format_replies(
    sessions: list[Written], suites: Mapping[AnswerKey, Suite], entries: Entries
) -> dict[str, str]:
    """Return the text of ``grading/replies/<role>.jsonl`` by role.

    Raises:
        ValueError: two sessions lead to one question, which could have only one answer.
    """
    texts = dict.fromkeys(ROLES, "")
    seen: set[Digest] = set()
    for written in sessions:
        for question in _plan(written, suites):
            if question.request in seen:
                raise ValueError(f"{written.session.place}: the same answer as another session's")
            seen.add(question.request)
            for attempt, answer in enumerate(_answer(question, entries), start=1):
                record = _make_record(question, attempt, answer)
                texts[question.role] += format_line(record)
    return texts


def gather_evidence(written: Written, case: Case) -> Evidence:
    """Return what a grader is shown of a session."""
    return Evidence(
        case=case.id,
        variant=written.session.place.variant,
        answer=written.answer,
        key=case.key,
        tool_calls=written.calls,
    )


def _plan(written: Written, suites: Mapping[AnswerKey, Suite]) -> Iterator[_Question]:
    """Yield each question about a session once, in the order of the checks, the first key first."""
    questions: dict[Digest, _Question] = {}
    for key, suite in suites.items():
        (case,) = suite.cases
        evidence = gather_evidence(written, case)
        for check in suite.checks:
            for request in check.grader.plan(evidence):
                address = request.address()
                question = questions.get(address) or _Question(
                    request=address,
                    role=request.role,
                    written=written,
                    check=check.name if request.role == JUDGE else None,
                    length=len(request.prompt),
                )
                if key not in question.keys:
                    question = replace(question, keys=(*question.keys, key))
                questions[address] = question
    yield from questions.values()


def _answer(question: _Question, entries: Entries) -> list[str]:
    """Return the replies to a question: one, or an unreadable one and then another."""
    session = question.written.session
    if question.check is None:
        return [json.dumps(extract_facts(session))]
    judgment = judge(question.written, question.check, question.keys[0], entries)
    text = json.dumps(judgment.document(), ensure_ascii=False)
    if question.check != FINDINGS or session.scenario.reply is ReplyForm.BARE:
        return [text]
    if session.scenario.reply is ReplyForm.FENCED:
        return [f"```json\n{text}\n```"]
    said = "PASS" if judgment.passed else "FAIL"
    return [f"I compared each finding with the tables. My verdict is {said}:\n\n{text}", text]


def _make_record(question: _Question, attempt: int, answer: str) -> dict[str, object]:
    place = question.written.session.place
    metadata: dict[str, object] = {
        "scripted": True,
        "role": question.role,
        "configuration": place.configuration,
        "variant": place.variant,
        "repetition": place.repetition,
    }
    if question.check is not None:
        metadata["check"] = question.check
    is_shared = len(question.keys) == len(AnswerKey)
    metadata["key"] = "both" if is_shared else question.keys[0]
    dice = Dice(
        seed=f"{place.configuration}/{place.variant}", accent=0, repetition=place.repetition
    )
    name = f"{question.check}/{question.keys[0]}/{attempt}"
    return {
        "request": question.request,
        "attempt": attempt,
        "answer": answer,
        "resolved_model": MODEL,
        "stop_reason": "end_turn",
        "usage": {
            "input_tokens": question.length // CHARACTERS_A_TOKEN,
            "output_tokens": len(answer) // CHARACTERS_A_TOKEN + dice.count(name, 2, 40),
        },
        "duration_us": dice.count(f"{name}/duration", 2 * MICROSECONDS, 7 * MICROSECONDS),
        "metadata": metadata,
    }
