"""Tellings: the kinds of findings, and what each makes of the figures.

A kind says which cells of the tables it states. One with a ``fault`` is contradicted by the
answer's own tables; the fault says how.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from examples.expense_analysis.script.budgets import (
    DINING_BUDGET,
    SHOPPING_BUDGET,
    WORRY,
    measure_excess,
)
from examples.expense_analysis.script.session import Session
from examples.expense_analysis.script.spending import ALL, AUGUST, JULY, JUNE
from examples.expense_analysis.script.styles import format_percent

Cell = tuple[str, str]
"""Category and period."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """A finding in several wordings.

    Attributes:
        cells: the totals that each of ``texts`` states.
        fault: how the answer's own tables contradict it.
    """

    titles: tuple[str, ...]
    texts: tuple[str, ...]
    cells: tuple[Cell, ...]
    fault: str | None = None


def _vary(*wordings: str) -> tuple[str, ...]:
    return wordings


def _tell_dining_over(s: Session) -> Telling:
    dining, limit = s.name("Dining"), s.style.limit(DINING_BUDGET)
    june, july, august = (s.say("Dining", period) for period in (JUNE, JULY, AUGUST))
    excess_july, excess_august = (
        s.style.amount(measure_excess(s, "Dining", period)) for period in (JULY, AUGUST)
    )
    return Telling(
        titles=_vary(
            f"{dining} broke its budget in July and in August",
            f"Two of three months of {dining} are above {limit}",
            f"{dining} is the category that outgrew its budget",
        ),
        texts=_vary(
            f"June, at {june}, was within {limit}. July passed it by {excess_july} and August by "
            f"{excess_august}.",
            f"{dining} came to {june}, {july} and {august}. Against {limit} that is fine in June, "
            f"{excess_july} too much in July and {excess_august} too much in August.",
            f"The budget of {limit} held only in June ({june}); it was missed by {excess_july} in "
            f"July ({july}) and by {excess_august} in August ({august}).",
            f"Since July {dining} has been above {limit}: {july}, then {august}. June was {june}.",
        ),
        cells=(("Dining", JUNE), ("Dining", JULY), ("Dining", AUGUST)),
    )


def _tell_dining_climb(s: Session) -> Telling:
    dining = s.name("Dining")
    june, july, august = (s.say("Dining", period) for period in (JUNE, JULY, AUGUST))
    percent = s.say_percent("Dining", JUNE, AUGUST)
    limit = s.style.limit(DINING_BUDGET)
    return Telling(
        titles=_vary(
            f"{dining} rises every month",
            f"{dining} has gone up twice in a row",
            f"A steady climb in {dining}",
        ),
        texts=_vary(
            f"From {june} over {july} to {august}: August is {percent} above June, and both later "
            f"months are past {limit}.",
            f"{june}, {july}, {august}. That is {percent} more in August than in June; the {limit} "
            "of the notes was kept in June alone.",
            f"It cost {june} in June, {july} in July and {august} in August, {percent} more than "
            "at the beginning.",
        ),
        cells=(("Dining", JUNE), ("Dining", JULY), ("Dining", AUGUST)),
    )


def _tell_shopping_august(s: Session) -> Telling:
    shopping, limit = s.name("Shopping"), s.style.limit(SHOPPING_BUDGET)
    august = s.say("Shopping", AUGUST)
    excess = measure_excess(s, "Shopping", AUGUST)
    amount = s.style.amount(excess)
    if excess > 0:
        return Telling(
            titles=_vary(
                f"{shopping} ended slightly above {limit}",
                f"August {shopping} went a little over",
                f"{shopping} just missed its rough limit in August",
            ),
            texts=_vary(
                f"August {shopping} was {august}, {amount} more than the rough {limit}.",
                f"With {august} in August, {shopping} is {amount} above the {limit} that you aim "
                f"at, and far from {s.style.limit(WORRY)}.",
                f"The {limit} is a rough figure; August passed it by {amount} ({august}).",
            ),
            cells=(("Shopping", AUGUST),),
        )
    return Telling(
        titles=_vary(
            f"{shopping} held to its {limit}, with little room in August",
            f"{shopping} stayed below {limit}",
            f"August brought {shopping} close to {limit}",
        ),
        texts=_vary(
            f"August {shopping}, at {august}, left {amount} of the rough {limit}.",
            f"The highest month was August with {august}, still {amount} below {limit}.",
            f"{shopping} reached {august} in August. That is {amount} under the {limit} of your "
            f"notes and nowhere near {s.style.limit(WORRY)}.",
        ),
        cells=(("Shopping", AUGUST),),
    )


def _tell_shopping_dip(s: Session) -> Telling:
    shopping = s.name("Shopping")
    july, august = s.say("Shopping", JULY), s.say("Shopping", AUGUST)
    rise = s.say_change("Shopping", JULY, AUGUST)
    percent = s.say_percent("Shopping", JULY, AUGUST)
    return Telling(
        titles=_vary(
            f"{shopping} dipped in July and came back",
            f"July was the quiet month for {shopping}",
            f"{shopping} rebounded in August",
        ),
        texts=_vary(
            f"July {shopping} was the lowest of the three, {july} after the refund; August is back "
            f"at {august}, {rise} more.",
            f"After {july} in July, {shopping} rose by {rise} ({percent}) to {august} in August.",
            f"From July to August {shopping} went from {july} to {august}, up {percent}.",
            f"{shopping}: {july} in July, {august} in August, a rise of {rise}.",
        ),
        cells=(("Shopping", JULY), ("Shopping", AUGUST)),
    )


def _tell_shopping_months(s: Session) -> Telling:
    shopping, limit = s.name("Shopping"), s.style.limit(SHOPPING_BUDGET)
    june, july, august = (s.say("Shopping", period) for period in (JUNE, JULY, AUGUST))
    amount = s.style.amount(measure_excess(s, "Shopping", AUGUST))
    return Telling(
        titles=_vary(
            f"{shopping} crossed {limit} once, and barely",
            f"Only August {shopping} is above {limit}",
            f"{shopping} is near its limit in August alone",
        ),
        texts=_vary(
            f"{june} in June and {july} in July were below the rough {limit}; August, at {august}, "
            f"is {amount} above it.",
            f"{shopping} was {june} in June, {july} in July and {august} in August. Of these "
            f"August alone exceeds {limit}, by {amount}.",
            f"With {june}, {july} and {august}, {shopping} passed {limit} in August only "
            f"({amount}), and no month approached {s.style.limit(WORRY)}.",
        ),
        cells=(("Shopping", JUNE), ("Shopping", JULY), ("Shopping", AUGUST)),
    )


def _tell_travel_jump(s: Session) -> Telling:
    travel, august = s.name("Travel"), s.say("Travel", AUGUST)
    return Telling(
        titles=_vary(
            f"{travel} is the largest increase from July to August",
            "The August trip is the biggest jump",
            f"{travel} made August expensive",
        ),
        texts=_vary(
            f"{travel} went from nothing in June and July to {august} in August; no other category "
            "rose as much from July.",
            f"No {travel} in the first two months, {august} in August: the largest rise of all "
            "categories from July to August.",
            f"With {august}, all of it in August, {travel} shows the biggest change from July to "
            "August.",
            f"The trip put {august} into {travel}. It is the largest increase between July and "
            "August.",
        ),
        cells=(("Travel", AUGUST),),
    )


def _tell_travel_only(s: Session) -> Telling:
    travel, august = s.name("Travel"), s.say("Travel", AUGUST)
    return Telling(
        titles=_vary(
            f"{travel} was one trip in August",
            f"All of {travel} falls into August",
            f"A single trip explains {travel}",
        ),
        texts=_vary(
            f"{travel} stands at {august}, all of it for the trip in the middle of August.",
            f"June and July have no {travel}; the trip of August cost {august}.",
            f"{august} of {travel} belong to a few days in August and need not come again.",
        ),
        cells=(("Travel", AUGUST),),
    )


def _tell_groceries_fall(s: Session) -> Telling:
    groceries = s.name("Groceries")
    june, july, august = (s.say("Groceries", period) for period in (JUNE, JULY, AUGUST))
    percent = s.say_percent("Groceries", JUNE, AUGUST)
    return Telling(
        titles=_vary(
            f"{groceries} cost less each month",
            f"{groceries} are falling",
            f"Less and less for {groceries}",
        ),
        texts=_vary(
            f"{june}, {july}, {august}: August is {percent} below June.",
            f"{groceries} fell from {june} in June to {july} in July and {august} in August.",
            f"Between June ({june}) and August ({august}) {groceries} went down by {percent}; July "
            f"lies between, at {july}.",
        ),
        cells=(("Groceries", JUNE), ("Groceries", JULY), ("Groceries", AUGUST)),
    )


def _tell_table_turn(s: Session) -> Telling:
    dining, groceries = s.name("Dining"), s.name("Groceries")
    return Telling(
        titles=_vary(
            f"{dining} has overtaken {groceries}",
            f"More for {dining}, less for {groceries}",
            f"{groceries} and {dining} changed places",
        ),
        texts=_vary(
            f"In June {groceries} ({s.say('Groceries', JUNE)}) cost more than {dining} "
            f"({s.say('Dining', JUNE)}). In August it is the other way round: "
            f"{s.say('Groceries', AUGUST)} and {s.say('Dining', AUGUST)}.",
            f"{groceries} went down from {s.say('Groceries', JUNE)} to "
            f"{s.say('Groceries', AUGUST)} while {dining} went up from {s.say('Dining', JUNE)} to "
            f"{s.say('Dining', AUGUST)}.",
        ),
        cells=(
            ("Groceries", JUNE),
            ("Groceries", AUGUST),
            ("Dining", JUNE),
            ("Dining", AUGUST),
        ),
    )


def _tell_august_total(s: Session) -> Telling:
    july, august = s.say(ALL, JULY), s.say(ALL, AUGUST)
    rise = s.spending.change(ALL, JULY, AUGUST)
    travel = s.spending.total("Travel", AUGUST)
    share = format_percent(travel, rise)
    return Telling(
        titles=_vary(
            "August cost about twice as much as July",
            "August is by far the most expensive month",
            f"{s.name('Travel')} explains most of August",
        ),
        texts=_vary(
            f"All categories together rose from {july} to {august}. {s.name('Travel')}, the "
            f"largest increase of all, is {s.style.amount(travel)} of it, or {share} of the rise.",
            f"August came to {august} after {july} in July; of the {s.style.amount(rise)} more, "
            f"{s.style.amount(travel)} are {s.name('Travel')}, which rose most.",
        ),
        cells=((ALL, JULY), (ALL, AUGUST), ("Travel", AUGUST)),
    )


def _tell_subscriptions_flat(s: Session) -> Telling:
    name, amount = s.name("Subscriptions"), s.say("Subscriptions", JUNE)
    return Telling(
        titles=_vary(f"{name} do not move", f"{name} are the same every month", f"Flat {name}"),
        texts=_vary(
            f"{name} cost {amount} in each of the three months.",
            f"June, July and August each have {amount} of {name}.",
        ),
        cells=(("Subscriptions", JUNE), ("Subscriptions", JULY), ("Subscriptions", AUGUST)),
    )


def _tell_dining_every_month(s: Session) -> Telling:
    dining, limit = s.name("Dining"), s.style.limit(DINING_BUDGET)
    june, august = s.say("Dining", JUNE), s.say("Dining", AUGUST)
    return Telling(
        titles=_vary(
            f"{dining} is above {limit} month after month",
        ),
        texts=_vary(
            f"{dining} has missed the {limit} in each month so far, most clearly in August "
            f"({august}).",
        ),
        cells=(("Dining", AUGUST),),
        fault=f"June, at {june}, is below {limit} in the answer's own table",
    )


def _tell_groceries_forty(s: Session) -> Telling:
    groceries = s.name("Groceries")
    july, august = s.say("Groceries", JULY), s.say("Groceries", AUGUST)
    percent = s.say_percent("Groceries", JULY, AUGUST)
    return Telling(
        titles=_vary(
            f"{groceries} dropped sharply in August",
        ),
        texts=_vary(
            f"{groceries} fell by about 40% from July to August ({july} to {august}).",
        ),
        cells=(("Groceries", JULY), ("Groceries", AUGUST)),
        fault=f"from {july} to {august} is a fall of {percent}, not of 40%",
    )


def _tell_shopping_seventy(s: Session) -> Telling:
    shopping = s.name("Shopping")
    july, august = s.say("Shopping", JULY), s.say("Shopping", AUGUST)
    percent = s.say_percent("Shopping", JULY, AUGUST)
    return Telling(
        titles=_vary(
            f"{shopping} is picking up speed",
        ),
        texts=_vary(
            f"{shopping} grew by some 70% between July ({july}) and August ({august}).",
        ),
        cells=(("Shopping", JULY), ("Shopping", AUGUST)),
        fault=f"from {july} to {august} is a rise of {percent}, not of 70%",
    )


TELLINGS: Mapping[str, Callable[[Session], Telling]] = {
    "august_total": _tell_august_total,
    "dining_climb": _tell_dining_climb,
    "dining_every_month": _tell_dining_every_month,
    "dining_over": _tell_dining_over,
    "groceries_fall": _tell_groceries_fall,
    "groceries_forty": _tell_groceries_forty,
    "shopping_august": _tell_shopping_august,
    "shopping_dip": _tell_shopping_dip,
    "shopping_months": _tell_shopping_months,
    "shopping_seventy": _tell_shopping_seventy,
    "subscriptions_flat": _tell_subscriptions_flat,
    "table_turn": _tell_table_turn,
    "travel_jump": _tell_travel_jump,
    "travel_only": _tell_travel_only,
}

SUBJECTS: Mapping[str, str] = {
    "august_total": "the cost of August",
    "dining_climb": "its climb",
    "dining_every_month": "over each month",
    "dining_over": "over its budget twice",
    "groceries_fall": "falling",
    "groceries_forty": "its fall in August",
    "shopping_august": "August against its budget",
    "shopping_dip": "low in July",
    "shopping_months": "three months against its budget",
    "shopping_seventy": "its rise in August",
    "subscriptions_flat": "unchanged",
    "table_turn": "less than before, dining more",
    "travel_jump": "the largest increase",
    "travel_only": "one trip",
}
"""What each kind is about, for a judge's reason."""
