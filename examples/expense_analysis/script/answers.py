"""Answers: the parts of an answer in the order that its prompt leads to."""

from collections.abc import Callable, Iterable

from examples.expense_analysis.script.budgets import DINING_BUDGET, SHOPPING_BUDGET, write_budgets
from examples.expense_analysis.script.cleaning import write_cleaning, write_uncategorized
from examples.expense_analysis.script.excerpts import write_excerpt
from examples.expense_analysis.script.findings import Finding, write_findings
from examples.expense_analysis.script.scenarios import ROBUST, STANDARD
from examples.expense_analysis.script.session import Session
from examples.expense_analysis.script.spending import AUGUST, JULY
from examples.expense_analysis.script.tables import write_changes, write_totals

Findings = tuple[Finding, ...]
Part = Callable[[Session, Findings], tuple[str, list[str]]]
"""From a session to the title of a part of its answer and its lines."""


def write_answer(session: Session, findings: Findings) -> str:
    """Return the Markdown text of a session's answer."""
    lines = write_opening(session)
    for number, part in enumerate(_order_parts(session), start=1):
        title, content = part(session, findings)
        lines += [*session.heading(number, title), *content, ""]
    return "\n".join(lines).rstrip() + "\n"


def write_opening(session: Session) -> list[str]:
    """Return what stands above the first part: nothing, a greeting or a conclusion."""
    if session.scenario.opens_with_conclusion:
        return [_conclude(session), ""]
    if session.place.variant == STANDARD:
        return [_greet(session), ""]
    return []


def _conclude(session: Session) -> str:
    dining, travel = session.name("Dining"), session.name("Travel")
    limit, rough = session.style.limit(DINING_BUDGET), session.style.limit(SHOPPING_BUDGET)
    return session.choose(
        "conclusion",
        f"**In short:** {dining} was above {limit} in July and in August, and the August trip put "
        f"{session.say('Travel', AUGUST)} into {travel}.",
        f"**Bottom line:** August was expensive. {travel} came to "
        f"{session.say('Travel', AUGUST)}, and {dining} missed its {limit} for the second time.",
        f"Your summer at a glance: {dining} ended at {session.say('Dining', AUGUST)} in August "
        f"against {limit}; {session.name('Shopping')} is the category to watch, at "
        f"{session.say('Shopping', AUGUST)} against a rough {rough}.",
        f"**Summary.** The main problem is {dining}: {session.say('Dining', JULY)} in July and "
        f"{session.say('Dining', AUGUST)} in August, both over {limit}.",
    )


def _greet(session: Session) -> str:
    return session.choose(
        "greeting",
        "I read all 198 lines of your log and the notes. The totals first, then the rest.",
        "Here is the analysis for June to August 2026, from both of your files.",
        "I went through the log line by line; these are the figures by category and month.",
        "Both files are read. First the numbers, then how they compare with your notes.",
    )


def _order_parts(session: Session) -> Iterable[Part]:
    if session.place.variant == STANDARD:
        ends = (_part_findings, _part_cleaning)
        parts = (_part_totals, _part_budgets, _part_changes)
        return (*parts, *(ends if session.choose("ending", "a", "b") == "a" else ends[::-1]))
    if session.place.variant == ROBUST:
        notes = (_part_cleaning, _part_uncategorized)
        tables = (_part_totals, _part_changes, _part_budgets)
        is_early = session.choose("notes", "early", "late") == "early"
        first = (*notes, *tables) if is_early else (*tables, *notes)
        return (*first, _part_findings, _part_code)
    return (
        _part_tables,
        _part_budgets,
        _part_cleaning,
        _part_uncategorized,
        _part_findings,
        _part_code,
    )


def _part_tables(session: Session, _findings: Findings) -> tuple[str, list[str]]:
    between = session.choose(
        "between",
        "Changes from month to month:",
        "And the change against the month before:",
        "Month over month:",
        "Differences:",
    )
    changes = [*write_changes(session), *_tell_increase(session)]
    return session.choose(
        "tables title", "Tables", "Totals and changes", "The tables", "Computed tables"
    ), [*write_totals(session), "", between, "", *changes]


def _part_totals(session: Session, _findings: Findings) -> tuple[str, list[str]]:
    title = session.choose(
        "totals title",
        "Spending by category and month",
        "Totals per month",
        "What you spent",
        "Monthly totals",
    )
    return title, write_totals(session)


def _part_changes(session: Session, _findings: Findings) -> tuple[str, list[str]]:
    title = session.choose("changes title", "Month to month", "Changes", "What changed", "Movement")
    return title, [*write_changes(session), *_tell_increase(session)]


def _part_budgets(session: Session, _findings: Findings) -> tuple[str, list[str]]:
    title = session.choose(
        "budgets title", "Budgets", "Against your notes", "Budget comparison", "The two budgets"
    )
    return title, write_budgets(session)


def _part_cleaning(session: Session, _findings: Findings) -> tuple[str, list[str]]:
    title = session.choose(
        "cleaning title", "Cleaning", "What I cleaned up", "Data notes", "Decisions about the log"
    )
    return title, write_cleaning(session)


def _part_uncategorized(session: Session, _findings: Findings) -> tuple[str, list[str]]:
    title = session.choose(
        "uncategorized title", "Uncategorized", "Purpose unknown", "Left without a category"
    )
    return title, write_uncategorized(session)


def _part_findings(session: Session, findings: Findings) -> tuple[str, list[str]]:
    if session.place.variant == STANDARD:
        title = session.choose("things", "What you should know", "Worth knowing", "Takeaways")
    else:
        title = session.choose("findings title", "Findings", "Three findings", "What stands out")
        title = "Findings" if len(findings) != 3 else title  # noqa: PLR2004 - as the title says
    return title, write_findings(session, findings)


def _part_code(session: Session, _findings: Findings) -> tuple[str, list[str]]:
    title = session.choose("code title", "Code", "What I ran", "The code")
    return title, write_excerpt(session)


def _tell_increase(session: Session) -> list[str]:
    if not session.scenario.states_increase:
        return []
    travel = session.name("Travel")
    rise = session.style.change(session.spending.change("Travel", JULY, AUGUST))
    return [
        "",
        session.choose(
            "increase",
            f"Largest increase from July to August: {travel} ({rise}).",
            f"{travel} rose most between July and August, {rise}.",
            f"Biggest rise July to August: {travel}, {rise}.",
            f"From July to August the largest change upwards is {travel}, {rise}.",
        ),
    ]
