"""Extractions: what the extractor reads out of a session's answer, which is what it states."""

from examples.expense_analysis.script.session import Session
from examples.expense_analysis.script.spending import AUGUST, JULY, JUNE

Facts = dict[str, str | None]
TOTALS = {
    "dining_june_total": ("Dining", JUNE),
    "dining_july_total": ("Dining", JULY),
    "dining_august_total": ("Dining", AUGUST),
    "shopping_june_total": ("Shopping", JUNE),
    "shopping_july_total": ("Shopping", JULY),
    "shopping_august_total": ("Shopping", AUGUST),
    "travel_august_total": ("Travel", AUGUST),
}


def extract_facts(session: Session) -> Facts:
    """Return the facts of the extraction schema as the answer states them."""
    facts: Facts = {
        name: f"{session.spending.total(category, period):.2f}"
        for name, (category, period) in TOTALS.items()
    }
    count = session.scenario.stated_count
    return facts | {
        "dining_august_budget_status": "over",
        "refund_treatment": "subtracted",
        "duplicate_treatment": "counted_once",
        "delta_charges_treatment": "one_dropped" if session.drops_delta else "both_kept",
        "uncategorized_entry_count": None if count is None else str(count),
        "largest_increase_category": "travel" if session.scenario.states_increase else "not_stated",
    }
