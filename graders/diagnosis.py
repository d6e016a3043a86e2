"""Diagnosis: which few mistakes about single entries would explain a wrong total.

What is found is a candidate: arithmetic shows what can have happened, not what did. The rules of
the search, in order:

1. accepted policies come first. Each choice of the policies that touch the total gives a possible
   reference; where one equals the reported amount, there is no mistake under that choice;
2. then one entry mistaken (``graders/mistakes.py`` says in which ways), under any choice; then two
   entries. The fewest win. Among equally many, the choice whose reference lies closest to the
   reported amount is preferred, then entries of one merchant or category mistaken in the same way,
   then the kinds in their order, then lines;
3. beyond two entries, where unrelated amounts add up to almost anything, only bundles: one merchant
   left out or counted in, another category counted in, two merchants of one other category counted
   in. Nothing else, and no bundle beside another mistake. Again the fewest entries win;
4. effects add up to the difference exactly, to the last decimal. A check may tolerate a cent; an
   explanation does not;
5. interchangeable entries make one mistake, so that repeated amounts do not multiply explanations;
6. the work is bounded by counting: each choice looks at each entry of the period a fixed number of
   times, and pairs are found by looking up what is missing. ``ENTRIES_MAX`` and ``POLICIES_MAX``
   of ``graders/reference.py`` bound both.

    >>> entries = [
    ...     ReferenceEntry(
    ...         line=line, text=text, amount=Decimal(amount), period="2026-08", category="Travel"
    ...     )
    ...     for line, text, amount in [(1, "Hotel", "90"), (2, "Parking", "68.00")]
    ... ]
    >>> reference = Reference(entries=tuple(entries), totals=())
    >>> diagnosis = diagnose_total(reference, "Travel", "2026-08", Decimal("90.00"))
    >>> format_cause(diagnosis.explanations[0], "Travel", "2026-08")
    "Travel 2026-08: line 2 'Parking' left out"
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from heapq import nsmallest

from graders.mistakes import (
    NO_MISTAKES,
    Match,
    Mistake,
    MistakeKind,
    Scale,
    Slip,
    SlipsByBundle,
    SlipsByEffect,
    bundle_slips,
    group_slips,
    list_slips,
    make_scale,
    match_bundles,
    match_one,
    match_two,
)
from graders.quotation import format_quotation
from graders.reference import Reference, ReferenceEntry, list_policies, list_values

EXPLANATIONS_MAX = 8
"""Explanations of one diagnosis; who has to read more would rather look at the entries."""
INSTEAD_MAX = 3
"""Interchangeable lines that a text names; the others are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What would make up a reported amount, under one choice of policies.

    Attributes:
        policies: the choice, sorted.
        reference: the total under it.
        difference: the reported amount less the reference.
        mistakes: their effects add up to the difference; none where it is zero or not explained.
    """

    policies: tuple[str, ...]
    reference: Decimal
    difference: Decimal
    mistakes: tuple[Mistake, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What was found about the reported amount of a total.

    Attributes:
        category: which total was stated,
        period: and of when.
        reported: the amount as it was stated.
        explanations: at most ``EXPLANATIONS_MAX``, the best first, all of equally many entries.
        nearest: the choice whose reference lies closest to ``reported``, without mistakes.
    """

    category: str
    period: str
    reported: Decimal
    explanations: tuple[Explanation, ...]
    nearest: Explanation


def diagnose_total(
    reference: Reference, category: str, period: str, reported: Decimal
) -> Diagnosis:
    """Return what explains ``reported`` as the total of ``category`` in ``period``.

    ``reported`` is a finite decimal without exponent, as ``parse_numeral`` returns it.
    """
    total = _read_total(reference, category, period, reported)
    explanations: tuple[Explanation, ...] = ()
    for search in (_match_nothing, _match_one, _match_two, _match_bundles):
        explanations = tuple(_explain(total, search))
        if explanations:
            break
    return Diagnosis(
        category=category,
        period=period,
        reported=reported,
        explanations=explanations,
        nearest=_make_explanation(total, total.choices[0], ()),
    )


def trace_amount(reference: Reference, amount: Decimal) -> tuple[tuple[str, str], ...]:
    """Return each total, as category and period, that is ``amount`` under some choice of policies.

    Totals are those of the key and every category in a period where an entry can stand. They come
    sorted; a judge who quotes an amount need not have said what it is the total of.
    """
    standing: dict[tuple[str, str], list[ReferenceEntry]] = {
        (total.category, total.period): [] for total in reference.totals
    }
    for entry in reference.entries:
        if entry.is_counted:
            for category in {entry.category, *dict(entry.alternatives).values()}:
                standing.setdefault((category, entry.period), []).append(entry)
    return tuple(
        sorted(
            total
            for total, entries in standing.items()
            if amount in list_values(Reference(entries=tuple(entries), totals=()), *total)
        )
    )


_Placed = Sequence[tuple[ReferenceEntry, ReferenceEntry]]
"""Entries, each with the one that decides its place: itself, or what it repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """A choice of policies, and the difference that it leaves."""

    policies: frozenset[str]
    difference: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Total:
    """A total under all its choices, the closest first; amounts in units of ``scale``.

    Most entries stand in one category whatever is chosen: what can be mistaken about these is
    prepared once, as ``groups`` and ``bundles``. What is ``moving`` is added for each choice anew.
    """

    category: str
    scale: Scale
    reported: int
    moving: _Placed
    groups: SlipsByEffect
    bundles: SlipsByBundle
    choices: tuple[_Choice, ...]


def _read_total(reference: Reference, category: str, period: str, reported: Decimal) -> _Total:
    policies = list(list_policies(reference, category, period))
    touching = frozenset[str]().union(*policies)
    resting, moving = _split_entries(reference, period, touching)
    scale = make_scale([reported, *(entry.amount for entry, _ in (*resting, *moving))])
    units = scale.count(reported)
    left = units - _sum_counted(resting, category, frozenset(), scale)
    slips = tuple(_list_all_slips(resting, category, frozenset(), scale))
    choices = [
        _Choice(policies=chosen, difference=left - _sum_counted(moving, category, chosen, scale))
        for chosen in policies
    ]
    return _Total(
        category=category,
        scale=scale,
        reported=units,
        moving=moving,
        groups=group_slips(slips, {}),
        bundles=bundle_slips(slips, {}),
        choices=tuple(sorted(choices, key=lambda choice: abs(choice.difference))),
    )


def _split_entries(
    reference: Reference, period: str, touching: frozenset[str]
) -> tuple[_Placed, _Placed]:
    """Return the entries of ``period`` that no policy of ``touching`` moves, and the others."""
    counted = {entry.line: entry for entry in reference.entries if entry.is_counted}
    resting: list[tuple[ReferenceEntry, ReferenceEntry]] = []
    moving: list[tuple[ReferenceEntry, ReferenceEntry]] = []
    for entry in reference.entries:
        origin = counted.get(entry.line if entry.duplicate_of is None else entry.duplicate_of)
        if entry.period == period and origin is not None and origin.period == period:
            moves = touching.intersection(policy for policy, _ in origin.alternatives)
            (moving if moves else resting).append((entry, origin))
    return resting, moving


def _sum_counted(placed: _Placed, category: str, policies: frozenset[str], scale: Scale) -> int:
    return sum(
        scale.count(entry.amount)
        for entry, _ in placed
        if entry.is_counted and entry.place(policies) == category
    )


def _list_all_slips(
    placed: _Placed, category: str, policies: frozenset[str], scale: Scale
) -> Iterator[Slip]:
    for entry, origin in placed:
        yield from list_slips(entry, origin.place(policies), category, scale)


def _match_nothing(_total: _Total, choice: _Choice) -> Iterator[Match]:
    if choice.difference == 0:
        yield NO_MISTAKES


def _match_one(total: _Total, choice: _Choice) -> Iterator[Match]:
    return match_one(_group(total, choice), choice.difference, total.scale)


def _match_two(total: _Total, choice: _Choice) -> Iterator[Match]:
    return match_two(_group(total, choice), choice.difference, total.scale)


def _group(total: _Total, choice: _Choice) -> SlipsByEffect:
    return group_slips(_list_moving(total, choice), total.groups)


def _match_bundles(total: _Total, choice: _Choice) -> Iterator[Match]:
    bundles = bundle_slips(_list_moving(total, choice), total.bundles)
    return match_bundles(bundles, choice.difference, total.scale)


def _list_moving(total: _Total, choice: _Choice) -> Iterator[Slip]:
    return _list_all_slips(total.moving, total.category, choice.policies, total.scale)


def _explain(
    total: _Total, search: Callable[[_Total, _Choice], Iterator[Match]]
) -> tuple[Explanation, ...]:
    """Return the best that ``search`` finds under all choices."""
    found = [
        (choice, match)
        for choice in total.choices
        for match in nsmallest(
            EXPLANATIONS_MAX, search(total, choice), key=lambda match: match.order
        )
    ]
    fewest = min((match.entries for _, match in found), default=0)
    best = [pair for pair in found if pair[1].entries == fewest]
    return tuple(
        _make_explanation(total, choice, match.mistakes)
        for choice, match in best[:EXPLANATIONS_MAX]
    )


def _make_explanation(total: _Total, choice: _Choice, mistakes: tuple[Mistake, ...]) -> Explanation:
    return Explanation(
        policies=tuple(sorted(choice.policies)),
        reference=total.scale.state(total.reported - choice.difference),
        difference=total.scale.state(choice.difference),
        mistakes=mistakes,
    )


def format_diagnosis(diagnosis: Diagnosis) -> str:
    """Return the diagnosis for people: what was compared, and the best candidate for the cause."""
    best = diagnosis.explanations[0] if diagnosis.explanations else diagnosis.nearest
    policies = _format_policies(best.policies)
    beginning = f"{diagnosis.category} {diagnosis.period}: the answer states "
    if not best.difference:
        return f"{beginning}{diagnosis.reported:,f}, which is the reference{policies}."
    compared = (
        f"{beginning}{diagnosis.reported:,f}, the reference is {best.reference:,f}{policies}, a "
        f"difference of {best.difference:+,f}."
    )
    if not best.mistakes:
        return f"{compared} No simple explanation was found."
    causes = " and ".join(
        f"{_format_mistake(mistake)} ({mistake.effect:+,f})" for mistake in best.mistakes
    )
    return f"{compared} Candidate cause: {causes}.{_format_others(diagnosis)}"


def format_cause(explanation: Explanation, category: str, period: str) -> str:
    """Return what went wrong, without amounts: the same text for the same cause in other trials."""
    if explanation.mistakes:
        cause = " and ".join(_format_mistake(mistake) for mistake in explanation.mistakes)
    elif explanation.difference:
        cause = "no simple explanation"
    else:
        cause = f"accepted{_format_policies(explanation.policies)}"
    return f"{category} {period}: {cause}"


def _format_policies(policies: tuple[str, ...]) -> str:
    if not policies:
        return ""
    noun = "policy" if len(policies) == 1 else "policies"
    return f" ({noun} {_join(map(format_quotation, policies))})"


_DONE = {
    MistakeKind.LEFT_OUT: "left out",
    MistakeKind.COUNTED_IN: "counted in",
    MistakeKind.DUPLICATE_COUNTED: "counted although it repeats another entry",
    MistakeKind.REFUND_SIGN: "counted as a payment instead of a refund",
}


def _format_mistake(mistake: Mistake) -> str:
    entries = mistake.text
    if len(mistake.lines) == 1:
        entries = f"line {mistake.lines[0]} {format_quotation(mistake.text)}"
    if mistake.kind is MistakeKind.COUNTED_IN:
        entries += f", which the reference puts in {mistake.category},"
    return f"{entries} {_DONE[mistake.kind]}{_format_instead(mistake.instead)}"


def _format_instead(lines: tuple[int, ...]) -> str:
    if not lines:
        return ""
    if len(lines) == 1:
        return f", or line {lines[0]} instead"
    shown = [str(line) for line in lines[:INSTEAD_MAX]]
    more = len(lines) - len(shown)
    return f", or one of lines {_join([*shown, f'{more} more'] if more else shown)} instead"


def _format_others(diagnosis: Diagnosis) -> str:
    others = len(diagnosis.explanations) - 1
    if others == 0:
        return ""
    if others == 1:
        return " 1 other explanation fits."
    # The list ends at its maximum, so a full one may not be all.
    least = "At least " if len(diagnosis.explanations) == EXPLANATIONS_MAX else ""
    return f" {least}{others} other explanations fit."


def _join(texts: Iterable[str]) -> str:
    *most, last = texts
    return f"{', '.join(most)} and {last}" if most else last
