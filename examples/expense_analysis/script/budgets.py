"""Budgets: the comparison with the two figures of the notes."""

from decimal import Decimal

from examples.expense_analysis.script.session import Session
from examples.expense_analysis.script.spending import AUGUST, PERIODS
from examples.expense_analysis.script.styles import name_month
from examples.expense_analysis.script.tables import Row, format_table

DINING_BUDGET, SHOPPING_BUDGET, WORRY = 260, 1200, 2000
"""Dollars a month; the last one is what the notes worry about."""
LIMITS = {"Dining": DINING_BUDGET, "Shopping": SHOPPING_BUDGET}


def write_budgets(session: Session) -> list[str]:
    """Return the comparison, as a table or as sentences, and what is said about the rest."""
    form = session.choose("budget form", "by month", "by category", "sentences")
    if form == "sentences":
        lines = session.bullets([_tell_limit(session, category) for category in LIMITS])
    else:
        lines = _write_table(session, by_month=form == "by month")
    return [*lines, "", " ".join(_tell_rest(session))]


def measure_excess(session: Session, category: str, period: str) -> Decimal:
    """Return by how much ``category`` is over its limit; negative where it is below."""
    return session.spending.total(category, period) - LIMITS[category]


def _write_table(session: Session, *, by_month: bool) -> list[str]:
    over, under = session.choose("verdicts", "over/under", "above/below", "OVER/under").split("/")
    names = (session.choose("month", "Month", "Month", "month"), "Category")
    header: Row = (*(names if by_month else names[::-1]), "Spent", "Budget", "Difference", "Status")
    places = [(category, period) for category in LIMITS for period in PERIODS]
    if by_month:
        places.sort(key=lambda place: place[1])
    rows: list[Row] = []
    for category, period in places:
        excess = measure_excess(session, category, period)
        month = session.style.months[PERIODS.index(period)]
        first = (month, session.name(category))
        rows.append(
            (
                *(first if by_month else first[::-1]),
                session.style.cell(session.spending.total(category, period)),
                session.style.cell(Decimal(LIMITS[category])),
                session.style.change(excess),
                over if excess > 0 else under,
            )
        )
    return format_table(session.style.table, header, rows, words=2)


def _tell_limit(session: Session, category: str) -> str:
    limit = session.style.limit(LIMITS[category])
    rough = "about " if category == "Shopping" else "under "
    parts = []
    for period in PERIODS:
        excess = measure_excess(session, category, period)
        side = session.choose("side", "over/under", "above/below").split("/")[excess <= 0]
        parts.append(
            f"{name_month(period)} {session.say(category, period)} ({side} by "
            f"{session.style.amount(excess)})"
        )
    return f"{session.name(category)}, {rough}{limit} a month: {'; '.join(parts)}."


def _tell_rest(session: Session) -> list[str]:
    style = session.style
    highest = max(PERIODS, key=lambda period: session.spending.total("Shopping", period))
    told = [
        session.choose(
            "no budgets",
            "The notes set no number for any other category, so none is measured here.",
            "Everything else has no figure in your notes and is not compared.",
            "For all other categories the notes name no number: no budget, no verdict.",
            "No comparison for the rest, since you have not set a number for it.",
            "The remaining categories carry no budget in budget_notes.txt.",
            "Other categories: no number in the notes, nothing to compare with.",
        ),
        session.choose(
            "worry",
            f"The {style.limit(WORRY)} that you worry about was not near: the highest month of "
            f"shopping was {name_month(highest)} with {session.say('Shopping', highest)}.",
            f"As for shopping creeping to {style.limit(WORRY)}: {name_month(highest)} came "
            f"highest, at {session.say('Shopping', highest)}.",
            f"Shopping stayed well away from {style.limit(WORRY)} in all three months.",
            f"Your worry of {style.limit(WORRY)} is a worry and no limit; no month reached it.",
        ),
    ]
    if session.scenario.invents_budget:
        spent = session.say("Travel", AUGUST)
        told.append(f"Travel, at {spent}, went over what the budget leaves for a trip.")
    return told
