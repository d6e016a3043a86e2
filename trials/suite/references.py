"""``reference_ledger.json``: the entries of a case, and the facts that they add up to.

The rules, in order:

1. the fields are those of ``ReferenceEntries``; entries may stand in any order;
2. a line and a total stand once; ``duplicate_of`` names a counted line of the same amount, so no
   repetition leads to another one; a policy stands once on an entry and moves it elsewhere;
3. a total states a fact of the case's key. Its values over every choice of policies are exactly
   the accepted values of the fact: key and reference cannot say two things.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from graders.numerals import parse_numeral
from graders.reference import (
    POLICIES_MAX,
    Reference,
    ReferenceEntry,
    ReferenceTotal,
    list_values,
    name_policies,
)
from trials.suite.contents import read_document
from trials.suite.documents import join_path, show_value
from trials.suite.faults import Faults, suggest_name
from trials.suite.folder import FoundFile
from trials.suite.schema import LineEntry, ReferenceEntries, check_entry
from trials.suite.values import is_decimal

VALUES_SHOWN = 8
"""Values of a total that a fault names."""


def read_reference(file: FoundFile) -> Reference:
    """Return the reference that ``file`` states, rules 1 and 2.

    Raises:
        FaultyInput: one line for every fault.
    """
    prefix = f"{file.path}: "
    document = check_entry(ReferenceEntries, read_document(file), prefix)
    faults = Faults()
    _check_lines(document.entries, prefix, faults)
    for index, entry in enumerate(document.entries):
        _check_alternatives(entry, f"{prefix}{join_path('entries', index)}.", faults)
    _check_totals(document, prefix, faults)
    faults.settle()
    return Reference(
        entries=tuple(
            sorted(map(_make_entry, document.entries), key=lambda entry: entry.line),
        ),
        totals=tuple(
            ReferenceTotal(fact_name=total.fact_name, category=total.category, period=total.period)
            for total in document.totals
        ),
    )


def check_sums(
    reference: Reference,
    facts: Mapping[str, tuple[str, ...]],
    prefix: str,
    places: Mapping[str, str],
    faults: Faults,
) -> None:
    """Note each total whose values are not the accepted ones of its fact, rule 3.

    Args:
        reference: as ``read_reference`` returns it.
        facts: of the case's key.
        prefix: the reference's, see ``format_fault``.
        places: name of a fact to the file that states it.
        faults: where to.
    """
    values: dict[tuple[str, str], list[Decimal] | None] = {}
    for index, total in enumerate(reference.totals):
        field = join_path("totals", index)
        if total.fact_name not in facts:
            saying = suggest_name(total.fact_name, facts) if facts else "there are none"
            what = f"{show_value(total.fact_name)} is no fact of the case; {saying}"
            faults.add(prefix, f"{field}.fact_name", what)
            continue
        place = total.category, total.period
        if place not in values:
            values[place] = _list_values(_narrow(reference, *place), *place)
        given = values[place]
        if given is None:
            faults.add(prefix, field, f"more than {POLICIES_MAX} policies touch it; merge some")
            continue
        accepted = facts[total.fact_name]
        if {parse_numeral(text) for text in accepted} != set(given):
            what = (
                f"the entries give {_join(f'{value:f}' for value in given)}, but "
                f"{places[total.fact_name]} accepts {_join(accepted)} for "
                f"{show_value(total.fact_name)}; correct one of them"
            )
            faults.add(prefix, field, what)


def _check_lines(entries: list[LineEntry], prefix: str, faults: Faults) -> None:
    """Note lines that stand twice, and repetitions of what cannot be repeated."""
    seen: dict[int, int] = {}
    for index, entry in enumerate(entries):
        first = seen.setdefault(entry.line, index)
        if first != index:
            what = f"{entry.line} is also the line of entries[{first}]; a line stands once"
            faults.add(prefix, f"entries[{index}].line", what)
    for index, entry in enumerate(entries):
        if entry.duplicate_of is None:
            continue
        repeated = entries[seen[entry.duplicate_of]] if entry.duplicate_of in seen else None
        what = _describe_repetition(entry, repeated)
        if what:
            faults.add(prefix, f"entries[{index}].duplicate_of", what)


def _describe_repetition(entry: LineEntry, repeated: LineEntry | None) -> str:
    """Return what is wrong with an entry's being a repetition; nothing where all is well."""
    if repeated is None:
        return f"no entry has the line {entry.duplicate_of}; name one that is there"
    if repeated.duplicate_of is not None:
        return f"the line {repeated.line} is itself a repetition; name the one that is counted"
    if repeated.amount != entry.amount:
        return (
            f"the line {repeated.line} has the amount {repeated.amount:f}, and this one "
            f"{entry.amount:f}; a repetition has the same"
        )
    return ""


def _check_alternatives(entry: LineEntry, prefix: str, faults: Faults) -> None:
    seen: set[str] = set()
    for index, alternative in enumerate(entry.alternatives):
        field = join_path("alternatives", index)
        if alternative.policy in seen:
            what = f"{show_value(alternative.policy)} stands twice on this entry; keep one"
            faults.add(prefix, f"{field}.policy", what)
        seen.add(alternative.policy)
        if alternative.category == entry.category:
            what = f"{show_value(entry.category)} is where the entry stands already; name another"
            faults.add(prefix, f"{field}.category", what)


def _check_totals(document: ReferenceEntries, prefix: str, faults: Faults) -> None:
    seen: dict[str, int] = {}
    for index, total in enumerate(document.totals):
        first = seen.setdefault(total.fact_name, index)
        if first != index:
            what = (
                f"{show_value(total.fact_name)} is also the fact of totals[{first}]; "
                "a fact stands once"
            )
            faults.add(prefix, f"totals[{index}].fact_name", what)


def _make_entry(entry: LineEntry) -> ReferenceEntry:
    return ReferenceEntry(
        line=entry.line,
        text=entry.text,
        amount=entry.amount,
        period=entry.period,
        category=entry.category,
        merchant=entry.merchant,
        alternatives=tuple((item.policy, item.category) for item in entry.alternatives),
        duplicate_of=entry.duplicate_of,
    )


def _narrow(reference: Reference, category: str, period: str) -> Reference:
    """Return the part of ``reference`` that the total can count: the rest need not be looked at."""
    return Reference(
        entries=tuple(
            entry
            for entry in reference.entries
            if entry.period == period
            and entry.is_counted
            and category in (entry.category, *(other for _, other in entry.alternatives))
        ),
        totals=(),
    )


def _list_values(reference: Reference, category: str, period: str) -> list[Decimal] | None:
    """Return the values of a total, each once; ``None`` where there are too many policies."""
    if len(name_policies(reference, category, period)) > POLICIES_MAX:  # Each doubles the choices.
        return None
    return list_values(reference, category, period)


def _join(values: Iterable[str]) -> str:
    """Return values for a fault's line: ``1655.92 or 1631.82``."""
    texts = [text if is_decimal(text) else show_value(text) for text in values]
    more = f" or {len(texts) - VALUES_SHOWN:,} more" if len(texts) > VALUES_SHOWN else ""
    return " or ".join(texts[:VALUES_SHOWN]) + more
