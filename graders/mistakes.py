"""Mistakes: what can have happened to single entries, so that a total came out wrong.

1. A mistake concerns a total, that is a category in a period, under one choice of policies. An
   entry of the total can be left out; an entry of the same period that stands in another category,
   whichever that is, can be counted in; an entry that repeats one of the total can be counted
   although it must not be; a refund of the total can be counted as a payment.
2. Not considered are: entries of other periods, amounts that were misread, an entry counted twice
   that nothing repeats, and a repetition of an entry that stands in another category, for that
   would be two mistakes about one line.
3. Entries mistaken in the same way to the same effect are interchangeable: nothing in a total tells
   them apart. They make one mistake, which names one of them and lists the others.
4. Two mistakes never touch the same line. Of the pairs that are interchangeable, the one named is
   of one merchant if there is such a pair, else of one category, else of the first lines.
5. A bundle can be mistaken together: all entries of one merchant that stand together in one
   category, left out or counted in; all entries of another category, counted in; or those of two
   merchants of one and the same other category, counted in.
6. Effects are counted in the smallest unit in sight, usually cents, so that they add up exactly.

    >>> scale = make_scale([Decimal("-68"), Decimal("24.10")])
    >>> scale.count(Decimal("-68")), scale.state(-6800)
    (-6800, Decimal('-68.00'))
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from graders.reference import ReferenceEntry

PARTNERS_MAX = 8
"""Merchants of one sum that are tried beside another one: all that a diagnosis could show."""


class MistakeKind(StrEnum):
    """The kinds of mistakes, the most plausible first."""

    LEFT_OUT = "left_out"
    COUNTED_IN = "counted_in"
    DUPLICATE_COUNTED = "duplicate_counted"
    REFUND_SIGN = "refund_sign"


_RANKS = {kind: rank for rank, kind in enumerate(MistakeKind)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """One mistake, which changes a total by ``effect``.

    Attributes:
        kind: what was done.
        effect: the change of the total, with its sign.
        lines: the entries concerned; several where they were mistaken together.
        instead: other lines, each of which would explain as well; only beside a single line.
        text: the line as it is written, or for several what they are, for people.
        category: where the reference puts them.
    """

    kind: MistakeKind
    effect: Decimal
    lines: tuple[int, ...]
    instead: tuple[int, ...] = ()
    text: str
    category: str


@dataclass(frozen=True, slots=True)
class Scale:
    """Amounts as whole numbers of the unit that has ``places`` decimals."""

    places: int

    def count(self, amount: Decimal) -> int:
        """Return ``amount`` in units; it has at most the decimals of the scale."""
        # Not a product of decimals: that would round to the precision of the thread's context.
        numerator, denominator = amount.as_integer_ratio()
        units: int = 10**self.places
        return numerator * units // denominator

    def state(self, units: int) -> Decimal:
        """Return the amount that ``units`` are, all decimals written out."""
        return Decimal(f"{units}E-{self.places}")


def make_scale(amounts: Iterable[Decimal]) -> Scale:
    """Return the scale that holds each of ``amounts``, which are finite."""
    exponents = (amount.as_tuple().exponent for amount in amounts)
    return Scale(max((-exponent for exponent in exponents if isinstance(exponent, int)), default=0))


class Slip(NamedTuple):
    """One entry mistaken in one way; ``effect`` in units, ``category`` where it belongs."""

    kind: MistakeKind
    effect: int
    entry: ReferenceEntry
    category: str


def list_slips(entry: ReferenceEntry, place: str, category: str, scale: Scale) -> Iterator[Slip]:
    """Yield each way to mistake ``entry`` for the total of ``category``.

    ``place`` is where the reference puts it, and for a repetition where it puts the entry that is
    repeated. An amount of zero changes nothing, so it explains nothing.
    """
    amount = scale.count(entry.amount)
    if not amount:
        return
    if not entry.is_counted:
        if place == category:
            yield Slip(MistakeKind.DUPLICATE_COUNTED, amount, entry, place)
    elif place != category:
        yield Slip(MistakeKind.COUNTED_IN, amount, entry, place)
    else:
        yield Slip(MistakeKind.LEFT_OUT, -amount, entry, place)
        if amount < 0:
            yield Slip(MistakeKind.REFUND_SIGN, -2 * amount, entry, place)


SlipsByEffect = Mapping[int, Sequence[Slip]]
BundleName = tuple[MistakeKind, str, str | None]
"""Kind, category and merchant; no merchant for all of a category."""
SlipsByBundle = Mapping[BundleName, Sequence[Slip]]


def group_slips(slips: Iterable[Slip], beside: SlipsByEffect) -> dict[int, Sequence[Slip]]:
    """Return the slips ``beside``, by their effects, with ``slips`` added; kind by kind."""
    added = defaultdict(list)
    for slip in slips:
        added[slip.effect].append(slip)
    joined = {effect: [*beside.get(effect, ()), *new] for effect, new in added.items()}
    for group in joined.values():
        group.sort(key=lambda slip: (_RANKS[slip.kind], slip.entry.line))
    return {**beside, **joined}


def bundle_slips(slips: Iterable[Slip], beside: SlipsByBundle) -> dict[BundleName, Sequence[Slip]]:
    """Return the bundles ``beside`` with ``slips`` added, by rule 5; line by line."""
    added: dict[BundleName, list[Slip]] = defaultdict(list)
    for slip in slips:
        is_counted_in = slip.kind is MistakeKind.COUNTED_IN
        if slip.entry.merchant is not None and (is_counted_in or slip.kind is MistakeKind.LEFT_OUT):
            added[slip.kind, slip.category, slip.entry.merchant].append(slip)
        if is_counted_in:
            added[slip.kind, slip.category, None].append(slip)
    joined = {name: [*beside.get(name, ()), *new] for name, new in added.items()}
    for group in joined.values():
        group.sort(key=lambda slip: slip.entry.line)
    return {**beside, **joined}


class Match(NamedTuple):
    """Mistakes that make up a difference together.

    The fewer entries, the better; then the smaller the rank, then earlier kinds, then lines.
    """

    entries: int
    rank: int
    kinds: tuple[int, ...]
    lines: tuple[int, ...]
    mistakes: tuple[Mistake, ...]

    @property
    def order(self) -> tuple[int, int, tuple[int, ...], tuple[int, ...]]:
        """What better matches have less of."""
        return self.entries, self.rank, self.kinds, self.lines


NO_MISTAKES = Match(entries=0, rank=0, kinds=(), lines=(), mistakes=())
"""What explains a difference of zero."""


def _make_match(rank: int, mistakes: Sequence[Mistake]) -> Match:
    return Match(
        entries=sum(len(mistake.lines) for mistake in mistakes),
        rank=rank,
        kinds=tuple(_RANKS[mistake.kind] for mistake in mistakes),
        lines=tuple(mistake.lines[0] for mistake in mistakes),
        mistakes=tuple(mistakes),
    )


def match_one(groups: SlipsByEffect, difference: int, scale: Scale) -> Iterator[Match]:
    """Yield each mistake of one entry whose effect is ``difference``."""
    for slips in _split_kinds(groups.get(difference, ())):
        yield _make_match(0, [_make_mistake(slips[0], slips, [slips[0]], scale)])


def match_two(groups: SlipsByEffect, difference: int, scale: Scale) -> Iterator[Match]:
    """Yield each two mistakes of one entry each whose effects add up to ``difference``.

    Each effect is looked up once: the work grows with the entries, not with their pairs.
    """
    for effect, slips in groups.items():
        rest = difference - effect
        if effect > rest or rest not in groups:
            continue
        pairs: Iterable[tuple[Sequence[Slip], Sequence[Slip]]] = (
            product(_split_kinds(slips), _split_kinds(groups[rest]))
            if effect < rest
            else combinations_with_replacement(_split_kinds(slips), 2)
        )
        for ones, others in pairs:
            match = _pair_slips(ones, others, scale)
            if match is not None:
                yield match


def _split_kinds(slips: Sequence[Slip]) -> list[list[Slip]]:
    kinds = defaultdict(list)
    for slip in slips:
        kinds[slip.kind].append(slip)
    return list(kinds.values())


Affinity = Callable[[Slip], str | None]
_AFFINITIES: tuple[Affinity, ...] = (
    lambda slip: slip.entry.merchant,
    lambda slip: slip.category,
    lambda _: "",
)
"""What two entries that were mistaken in the same way can have in common; at the last nothing."""


def _pair_slips(ones: Sequence[Slip], others: Sequence[Slip], scale: Scale) -> Match | None:
    """Return the most plausible pair of two groups; none where both hold the same line alone."""
    is_one_kind = ones[0].kind is others[0].kind
    for rank, affinity in enumerate(_AFFINITIES):
        if not is_one_kind and affinity is not _AFFINITIES[-1]:
            continue
        pair = _find_pair(ones, others, affinity)
        if pair is not None:
            mistakes = [
                _make_mistake(slip, group, pair, scale)
                for slip, group in zip(pair, (ones, others), strict=True)
            ]
            mistakes.sort(key=lambda mistake: (_RANKS[mistake.kind], mistake.lines))
            return _make_match(rank, mistakes)
    return None


def _find_pair(
    ones: Sequence[Slip], others: Sequence[Slip], affinity: Affinity
) -> tuple[Slip, Slip] | None:
    """Return the first two slips that share what ``affinity`` tells, about different lines."""
    partners: dict[str, list[Slip]] = defaultdict(list)
    for other in others:
        shared = affinity(other)
        # Two partners are enough: at most one of them is about the same line.
        if shared is not None and len(partners[shared]) < 2:  # noqa: PLR2004
            partners[shared].append(other)
    for one in ones:
        shared = affinity(one)
        for other in partners.get(shared, ()) if shared is not None else ():
            if one.entry.line != other.entry.line:
                return one, other
    return None


def _make_mistake(
    slip: Slip, group: Sequence[Slip], named: Sequence[Slip], scale: Scale
) -> Mistake:
    """Return ``slip`` as a mistake; the rest of its group but what is ``named`` stands instead."""
    taken = {other.entry.line for other in named}
    return Mistake(
        kind=slip.kind,
        effect=scale.state(slip.effect),
        lines=(slip.entry.line,),
        instead=tuple(other.entry.line for other in group if other.entry.line not in taken),
        text=slip.entry.text,
        category=slip.category,
    )


class _Bundle(NamedTuple):
    """Entries mistaken together, and what that adds up to."""

    kind: MistakeKind
    category: str
    merchant: str | None
    effect: int
    slips: Sequence[Slip]

    @property
    def order(self) -> tuple[int, int]:
        return len(self.slips), self.slips[0].entry.line

    def make_mistake(self, scale: Scale) -> Mistake:
        count = f"{len(self.slips)} entries"
        entries = (
            f"all {count} of {self.category}"
            if self.merchant is None
            else f"the {count} of {self.merchant}"
        )
        return Mistake(
            kind=self.kind,
            effect=scale.state(self.effect),
            lines=tuple(slip.entry.line for slip in self.slips),
            text=entries if len(self.slips) > 1 else self.slips[0].entry.text,
            category=self.category,
        )


def match_bundles(bundles: SlipsByBundle, difference: int, scale: Scale) -> Iterator[Match]:
    """Yield each bundle whose effect is ``difference``.

    A category that belongs to one merchant, or to two, comes out once: under the merchant's name
    in the first case, as a category in the second.
    """
    merchants: dict[str, list[_Bundle]] = defaultdict(list)
    for (kind, category, merchant), slips in bundles.items():
        bundle = _Bundle(kind, category, merchant, sum(slip.effect for slip in slips), slips)
        if kind is MistakeKind.COUNTED_IN and merchant is not None:
            merchants[category].append(bundle)
        is_of_one = merchant is None and len({slip.entry.merchant for slip in slips}) == 1
        if bundle.effect == difference and not (is_of_one and slips[0].entry.merchant is not None):
            yield _make_match(0 if merchant is not None else 1, [bundle.make_mistake(scale)])
    for category, members in merchants.items():
        whole = len(bundles[MistakeKind.COUNTED_IN, category, None])
        for pair in _pair_bundles(members, difference):
            if sum(len(bundle.slips) for bundle in pair) < whole:
                mistakes = [bundle.make_mistake(scale) for bundle in pair]
                yield _make_match(2, sorted(mistakes, key=lambda mistake: mistake.lines))


def _pair_bundles(members: list[_Bundle], difference: int) -> Iterator[tuple[_Bundle, _Bundle]]:
    members = sorted(members, key=lambda bundle: bundle.order)
    partners: dict[int, list[_Bundle]] = defaultdict(list)
    for bundle in members:
        for partner in partners.get(difference - bundle.effect, ()):
            yield partner, bundle
        if len(partners[bundle.effect]) < PARTNERS_MAX:
            partners[bundle.effect].append(bundle)
