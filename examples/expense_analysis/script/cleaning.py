"""Cleaning notes: what the answer says it did with the log, and what it left without a category."""

from collections.abc import Callable

from examples.expense_analysis.script.scenarios import DELTA, DELTA_KEPT, STANDARD
from examples.expense_analysis.script.session import Session
from examples.expense_analysis.script.spending import (
    BOOKS,
    CASH,
    JULY,
    STEAM,
    UBER,
    UNCATEGORIZED,
)

REPEATED = 120
"""The line that is repeated by the next one."""
LISTED = {6: "six", 7: "seven", 8: "eight"}
"""Counts as words."""


def write_cleaning(session: Session) -> list[str]:
    """Return the notes on cleaning, the order varied."""
    facts = [_tell_refund(session), _tell_repetition(session), _tell_delta(session)]
    policies = [_tell_books(session), _tell_steam(session), _tell_uber(session)]
    if session.choose("policies first", "no", "no", "yes") == "yes":
        facts, policies = policies, facts
    return session.bullets([*facts, *policies, *_tell_moved(session), *_tell_apart(session)])


def write_uncategorized(session: Session) -> list[str]:
    """Return the entries without a purpose, and how many there are where the session says so."""
    entries = session.spending.list_entries(UNCATEGORIZED)
    count = session.scenario.stated_count
    total = session.style.amount(session.sum_uncategorized())
    if count is None:
        intro = session.choose(
            "apart",
            f"The log does not say what these were for. They come to {total}:",
            f"No purpose is written down for the following, {total} in all:",
        )
    else:
        word = LISTED[count]
        intro = session.choose(
            "counted",
            f"{count} entries say nothing about their purpose; together {total}.",
            f"{count} entries, {total}, are in none of the categories.",
            f"{word.capitalize()} entries ({count}) have no stated purpose. They come to {total}.",
            f"I kept {count} entries apart because the log does not say what they paid for "
            f"({total}).",
            f"Number of entries without a category: {count}. Sum: {total}.",
            f"{count} transfers, checks and withdrawals stay out of the categories, {total}.",
        )
    texts = [(entry.line, entry.text, session.style.amount(entry.amount)) for entry in entries]
    form = session.choose("list form", "bullets", "sentence", "lines")
    if form == "sentence":
        listed = "; ".join(f"{line} `{text}`" for line, text, _ in texts)
        return [intro, f"Lines {listed}.", *_tell_cash(session)]
    if form == "lines":
        listing = [f"`{text}` (line {line})" for line, text, _ in texts]
    else:
        listing = [f"line {line}, {amount}: {text}" for line, text, amount in texts]
    return [intro, *session.bullets(listing), *_tell_cash(session)]


def _tell_refund(session: Session) -> str:
    amount = session.style.amount(
        next(e.amount for e in session.spending.list_entries("Shopping") if e.amount < 0)
    )
    shopping = session.name("Shopping")
    july = session.say("Shopping", JULY)
    return session.choose(
        "refund",
        f"Refund: line 107, Target, July 19, counts as -{amount} in {shopping}.",
        f"The Target refund of July 19 ({amount}) is subtracted from {shopping}; the {july} of "
        "July already has it in.",
        f"Line 107 is money back from Target, so {amount} comes off July's {shopping}.",
        f"7/19 REFUND Target: entered as a negative amount, which lowers {shopping} by {amount}.",
        f"I took the {amount} that Target paid back off {shopping} in July.",
        f"Refund handled as negative spending: -{amount} in {shopping}, July.",
    )


def _tell_repetition(session: Session) -> str:
    amount = session.style.amount(
        next(e.amount for e in session.spending.list_entries("Groceries") if e.line == REPEATED)
    )
    return session.choose(
        "repetition",
        f"Repetition: lines 120 and 121 are one Trader Joe's purchase of July 25 ({amount}). "
        "Line 121 is set aside.",
        f"Trader Joe's on July 25 is written down twice, {amount} each time; I counted it once "
        "and set line 121 aside.",
        f"Line 121 (`7/25 trader joes 63.18`) repeats line 120, so only one {amount} counts.",
        f"Same day, same shop, same amount: lines 120/121, Trader Joe's, {amount}. Counted once.",
        f"One duplicate found, Trader Joe's {amount} on 7/25; the second line is not counted.",
        f"Duplicate: Trader Joe's, July 25. One of the two lines of {amount} was dropped (121).",
    )


def _tell_delta(session: Session) -> str:
    if session.drops_delta:
        return session.choose(
            "delta dropped",
            "Delta Air Lines stands there twice on August 14. I took the pair for one booking "
            f"that was entered twice: line {DELTA_KEPT} counts, line {DELTA} ($412.60) does not.",
            f"Delta Air Lines, 8/14: two lines for one flight, so line {DELTA} ($412.60) is "
            f"treated as a duplicate of line {DELTA_KEPT} ($450.60) and not counted.",
        )
    return session.choose(
        "delta",
        f"The Delta charges of August 14 (lines {DELTA} and {DELTA_KEPT}) differ in their "
        "amounts, $412.60 and $450.60, so both are kept.",
        "Not a repetition: Delta Air Lines $412.60 and $450.60 on 8/14. Both count.",
        "Delta, August 14: 412.60 and 450.60 are two charges, and I kept the two of them.",
        f"Lines {DELTA}/{DELTA_KEPT} share day and airline but not the amount (412.60, 450.60); "
        "neither was dropped.",
        "Two Delta tickets on the same day with different prices: both stay in.",
        f"I kept both Delta lines ({DELTA}, {DELTA_KEPT}), because the amounts are not the same.",
    )


def _tell_books(session: Session) -> str:
    place, other = session.name("Entertainment"), session.name("Shopping")
    if session.has_policy(BOOKS):
        place, other = other, place
    return session.choose(
        "books",
        f"Books (Barnes & Noble) are {place} throughout.",
        f"Policy for Barnes & Noble: all five purchases in {place}, not in {other}.",
        f"Barnes & Noble could be {other} too; I used {place} in every month.",
        f"Books count as {place}.",
        f"I put Barnes & Noble into {place} and kept to it.",
    )


def _tell_steam(session: Session) -> str:
    amount = "47.58"
    if session.has_policy(STEAM):
        place = session.name("Shopping")
        return session.choose(
            "steam in shopping",
            f"Steam is a store, so line 16 ({amount}) is {place}.",
            f"Steam ({amount}, June 4) counts as {place}, like the other shops.",
            f"Line 16, Steam, {amount}: {place} rather than Entertainment, as a purchase.",
        )
    place = session.name("Entertainment")
    return session.choose(
        "steam",
        f"Steam ({amount}, June 4) is {place}.",
        f"Games from Steam go into {place}.",
        f"Steam, line 16: {place}.",
        f"I read Steam as games, so {place}.",
    )


def _tell_uber(session: Session) -> str:
    if session.merges_transport:
        travel = session.name("Travel")
        return f"Metro, Uber, parking and the August trip share one category, {travel}."
    if session.has_policy(UBER):
        return session.choose(
            "uber in transport",
            "Every Uber is Transport, that of August 16 (24.10) as well.",
            "The Uber of August 16 stays in Transport with the other rides.",
            "Uber on 8/16: Transport, although it falls into the days of the trip.",
            "Policy for Uber: Transport in all cases, line 174 included.",
        )
    return session.choose(
        "uber",
        "The Uber of August 16 (line 174, 24.10) belongs to the trip and is Travel; the two "
        "others are Transport.",
        "Uber: June 19 and July 24 in Transport, August 16 in Travel because of the trip.",
        "I counted the 8/16 Uber as Travel, since the flights are only two days before.",
        "Line 174, Uber, 24.10, is part of the trip (Travel).",
    )


def _tell_moved(session: Session) -> list[str]:
    """Return what the session says about what it moved; some moves go unmentioned."""
    tellings: list[tuple[str, Callable[[str], str]]] = [
        ("IKEA", lambda place: f"IKEA is furniture, so both purchases are {place}."),
        ("CVS", lambda place: f"CVS is a shop and stands in {place}."),
        ("Walgreens", lambda place: f"Walgreens counts as {place}."),
        ("Amazon Prime", lambda place: f"All Amazon lines, Prime included, are {place}."),
    ]
    places = ((telling, session.moved(merchant)) for merchant, telling in tellings)
    return [telling(session.name(place)) for telling, place in places if place]


def _tell_apart(session: Session) -> list[str]:
    """Return how the answer to the simple prompt says where the transfers went."""
    if session.place.variant != STANDARD:
        return []
    row = session.name(UNCATEGORIZED)
    return [
        session.choose(
            "kept apart",
            f'Venmo, Zelle, checks, bank transfers and ATM cash are in the row "{row}" and in no '
            "spending category.",
            f'Money that only moved (Venmo, cash and the like) has its own row, "{row}".',
            f'"{row}" is kept apart from the spending, since I cannot tell what it paid for.',
        )
    ]


def _tell_cash(session: Session) -> list[str]:
    entries = session.spending.list_entries(CASH)
    if not entries:
        return []
    total = session.style.amount(session.spending.total(CASH))
    lines = " and ".join(str(entry.line) for entry in entries)
    return ["", f"The ATM withdrawals (lines {lines}, {total}) have a row of their own, {CASH}."]
