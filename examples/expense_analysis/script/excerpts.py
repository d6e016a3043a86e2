"""Excerpts: the code that an answer shows, which has the answer's policies and mistakes in it."""

from collections.abc import Callable, Mapping

from examples.expense_analysis.script.session import Session
from examples.expense_analysis.script.spending import BOOKS, STEAM, UBER

PROGRAMS = ("analyze.py", "totals.py", "expenses.py", "spending.py")
"""What the program of a session may be called."""


def name_program(session: Session) -> str:
    """Return the file name of the session's program."""
    return session.choose("program", *PROGRAMS)


def write_excerpt(session: Session) -> list[str]:
    """Return a sentence about the code and a block with the part that matters."""
    program = name_program(session)
    intro = session.choose(
        "code",
        f"The part of `{program}` that decides; the rules are shortened.",
        f"From `{program}`, which I ran on the log (excerpt):",
        f"This is how `{program}` adds up:",
        f"`{program}`, without the long list of merchants:",
        f"Excerpt of the code that was run (`{program}`):",
        f"Ran `{program}`. Core of it:",
    )
    return [intro, "```python", *_PROGRAMS[session.place.configuration](session), "```"]


def list_rules(session: Session) -> list[tuple[str, str]]:
    """Return a few merchants with the categories where the session puts them, odd ones first."""
    moved = session.scenario.treatment.moved
    rules = [(merchant.lower(), place) for merchant, place in moved.items() if merchant != "Uber"]
    for merchant, policy in (("barnes & noble", BOOKS), ("steam", STEAM)):
        place = "Shopping" if session.has_policy(policy) else "Entertainment"
        rules.append((merchant, place))
    if not session.merges_transport:
        rules.append(("uber", "Transport"))
    return rules


def _list_dropped(session: Session) -> str:
    """Return the lines that the code skips, and why, as a set and a comment."""
    if session.drops_delta:
        return "{121, 167}  # repetitions: Trader Joe's, Delta"
    return "{121}  # repeats line 120"


def _write_regular(session: Session) -> list[str]:
    rules = ", ".join(f'"{merchant}": "{place}"' for merchant, place in list_rules(session)[:3])
    uber = "Transport" if session.has_policy(UBER) else "Travel"
    return [
        'AMOUNT = re.compile(r"(-?)\\$?(\\d+\\.\\d\\d|(?<=\\$)\\d+)")',
        f"RULES = {{{rules}, ...}}",
        f"SKIP = {_list_dropped(session)}",
        "totals = defaultdict(Decimal)",
        'for number, line in enumerate(open("personal_expenses.txt"), start=1):',
        "    if number in SKIP: continue",
        "    month, amount = parse(line)  # Decimal, negative for the refund",
        f'    category = "{uber}" if number == 174 else categorize(line, RULES)',
        "    totals[category, month] += amount",
    ]


def _write_functions(session: Session) -> list[str]:
    lines = [
        "def category_of(number, text):",
        "    t = text.lower()",
        *(
            f'    if "{merchant}" in t: return "{place}"'
            for merchant, place in list_rules(session)[:2]
        ),
    ]
    if not session.has_policy(UBER):
        lines.append('    if number == 174: return "Travel"  # the Uber of the trip')
    return [
        *lines,
        "    return lookup(t)  # the other merchants",
        "",
        f"rows = [r for r in parse_log() if r.line not in {_list_dropped(session).split('  ')[0]}]",
        "table = Counter()",
        "for r in rows:",
        "    table[category_of(r.line, r.text), r.month] += r.amount",
    ]


def _write_cents(session: Session) -> list[str]:
    rules = list_rules(session)
    return [
        "KEYWORDS = [",
        *(f'    ("{merchant}", "{place}"),' for merchant, place in rules[:3]),
        "    ...,\n]",
        f"skip = {_list_dropped(session)}",
        "for n, row in enumerate(log, 1):",
        "    cat = next((c for k, c in KEYWORDS if k in row.lower()), None)",
        "    cents[cat, month(row)] += 0 if n in skip else round(amount(row) * 100)",
    ]


_PROGRAMS: Mapping[str, Callable[[Session], list[str]]] = {
    "opus": _write_regular,
    "sonnet": _write_functions,
    "haiku": _write_cents,
    "sol": _write_functions,
    "astra": _write_regular,
    "luna": _write_cents,
}
