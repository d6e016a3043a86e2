"""Judgments: what the judge says of a session by each rubric, and by which key.

What it says of the findings is counted: an amount is disputed where the reference entries give
another one under the session's own choice of the key's policies. Only the steadiness of the judge
is scripted (``Scenario.is_overlooked``).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from examples.expense_analysis.script.findings import Finding
from examples.expense_analysis.script.session import Session
from examples.expense_analysis.script.sessions import Written
from examples.expense_analysis.script.spending import (
    ALL,
    AUGUST,
    CASH,
    PERIODS,
    STEAM,
    UNCATEGORIZED,
    Treatment,
    place_entries,
)
from examples.expense_analysis.script.styles import name_month
from graders.reference import ReferenceEntry

Entries = tuple[ReferenceEntry, ...]
FINDINGS_WANTED = 3
NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five"}


class AnswerKey(StrEnum):
    """A revision of the answer key."""

    FIRST = "first"
    REVISED = "revised"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """An amount of a finding that the reference contradicts; both as plain numbers."""

    name: str
    reported: str
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """What the judge says."""

    passed: bool
    reason: str
    disputes: tuple[Dispute, ...] = ()

    def document(self) -> dict[str, object]:
        """Return the object that the judge replies with."""
        disputed = [{"reported": d.reported, "reference": d.reference} for d in self.disputes]
        return {"passed": self.passed, "reason": self.reason, "disputed_amounts": disputed}


def judge(written: Written, check: str, key: AnswerKey, entries: Entries) -> Judgment:
    """Return the judgment of a session by the rubric of ``check`` under ``key``."""
    if check == "three-supported-findings":
        return _judge_findings(written, key, entries)
    return _RUBRICS[check](written)


def list_disputes(written: Written, key: AnswerKey, entries: Entries) -> list[Dispute]:
    """Return each amount of the findings that differs from the reference under ``key``."""
    session = written.session
    chosen = session.scenario.treatment.policies
    accepted = chosen - {STEAM} if key is AnswerKey.FIRST else chosen
    reference = place_entries(entries, Treatment(policies=accepted))
    disputes = {}
    for category, period in _list_cells(written.findings):
        stated, expected = (s.total(category, period) for s in (session.spending, reference))
        if stated != expected:
            name = f"{name_month(period)} {session.name(category)}"
            disputes[category, period] = Dispute(
                name=name, reported=f"{stated:.2f}", reference=f"{expected:.2f}"
            )
    return list(disputes.values())


def _list_cells(findings: tuple[Finding, ...]) -> Iterator[tuple[str, str]]:
    for finding in findings:
        yield from finding.cells


def _judge_findings(written: Written, key: AnswerKey, entries: Entries) -> Judgment:
    session = written.session
    disputes = list_disputes(written, key, entries)
    if key is AnswerKey.FIRST and session.scenario.is_overlooked:
        disputes = []
    clauses = []
    if len(written.findings) != FINDINGS_WANTED:
        number, last = NUMBERS[len(written.findings)], written.findings[-1].text.rstrip(".")
        clauses.append(f'there are {number} findings instead of three, the last one "{last}"')
    clauses += [
        f'of "{one.text.rstrip(".")}": {one.fault}' for one in written.findings if one.fault
    ]
    clauses += [_object(session, key, dispute) for dispute in disputes]
    if not clauses:
        return Judgment(passed=True, reason=_praise_findings(written, key))
    reason = "; ".join(clauses)
    return Judgment(
        passed=False, reason=f"{reason[0].upper()}{reason[1:]}.", disputes=tuple(disputes)
    )


def _object(session: Session, key: AnswerKey, dispute: Dispute) -> str:
    return session.choose(
        f"objection {key}",
        f"{dispute.name} is given as {dispute.reported}, but the reference for the answer's "
        f"choices is {dispute.reference}",
        f"a finding states {dispute.reported} for {dispute.name}, which contradicts the "
        f"{dispute.reference} of the rubric",
        f"{dispute.name} of {dispute.reported} is not the {dispute.reference} that the facts have "
        "for these policies",
    )


def _praise_findings(written: Written, key: AnswerKey) -> str:
    session, findings = written.session, written.findings
    first, second, third = (f"{_name_plainly(one)} ({one.subject})" for one in findings)
    listed = f"{first}, {second} and {third}"
    category, period = findings[0].cells[-1]
    amount = session.say(category, period)
    example = f"{amount} for {session.name(category)} in {name_month(period)}"
    told = session.choose(
        f"praise {key}",
        f"Exactly three findings: {listed}. Their amounts stand in the tables, for example "
        f"{example}, and contradict no reference amount.",
        f"The three findings, {listed}, agree with the answer's tables and with the facts under "
        f"its policies; checked for instance {example}.",
        f"There are three findings and no fourth: {listed}. Table and reference bear them out, "
        f"also {example}.",
    )
    is_accepted = key is AnswerKey.REVISED and session.has_policy(STEAM)
    return f"{told} Steam counts as Shopping, as the answer says." if is_accepted else told


def _name_plainly(finding: Finding) -> str:
    """Return what a finding is about by the name that the rubric has for it."""
    category, _ = finding.cells[0]
    return "all categories" if category == ALL else category


def _judge_order(written: Written) -> Judgment:
    session = written.session
    first = written.answer.splitlines()[0].strip("#* ")
    if session.scenario.opens_with_conclusion:
        opening = first.replace("**", "")
        reason = session.choose(
            "late tables",
            f'The answer opens with "{opening}", a conclusion that stands above every table.',
            f'Before the first table comes "{opening}", which already interprets the totals.',
            f'The first sentence, "{opening}", states results; the tables of totals follow later.',
        )
        return Judgment(passed=False, reason=reason)
    reason = session.choose(
        "early tables",
        f'The answer begins with "{first}", and no verdict or finding stands above the table of '
        "totals by category and month.",
        f'Nothing above the first table of totals interprets it; the answer starts with "{first}".',
        f'After "{first}" the totals by category and month come before budgets and findings.',
    )
    return Judgment(passed=True, reason=reason)


def _judge_apart(written: Written) -> Judgment:
    session, spending = written.session, written.session.spending
    row = session.name(UNCATEGORIZED)
    amounts = ", ".join(f"{spending.total(UNCATEGORIZED, period):.2f}" for period in PERIODS)
    cash = " The cash withdrawals have a row of their own." if spending.total(CASH) else ""
    reason = session.choose(
        "apart reason",
        f'The eight entries are in no category of purpose: the row "{row}" ({amounts}) holds '
        "them apart, and no purpose is claimed for any.",
        f'Transfers, checks and cash stay in "{row}" with {amounts}; none of them is counted as '
        "spending of some kind.",
        f'The answer keeps what has no stated purpose in a row of its own, "{row}" ({amounts}).',
    )
    return Judgment(passed=True, reason=reason + cash)


def _judge_budgets(written: Written) -> Judgment:
    session = written.session
    if session.scenario.invents_budget:
        spent = session.say("Travel", AUGUST)
        reason = (
            f'"Travel, at {spent}, went over what the budget leaves for a trip" calls travel over '
            "a budget, and the notes have none for it."
        )
        return Judgment(passed=False, reason=reason)
    dining, shopping = session.name("Dining"), session.name("Shopping")
    reason = session.choose(
        "budgets reason",
        f"Only {dining} (260) and {shopping} (roughly 1,200) are compared with a figure; the "
        "others are said to have none.",
        f"The comparison has {dining} and {shopping} and nothing else, and 2,000 is called a "
        "worry or merely quoted.",
        f"No number beyond the two of the notes is used as a limit: 260 for {dining}, 1,200 for "
        f"{shopping}.",
    )
    return Judgment(passed=True, reason=reason)


_RUBRICS: Mapping[str, Callable[[Written], Judgment]] = {
    "tables-before-interpretation": _judge_order,
    "ambiguous-entries-not-forced": _judge_apart,
    "no-invented-budgets": _judge_budgets,
}
