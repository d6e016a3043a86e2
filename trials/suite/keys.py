"""An answer key as bytes: an artifact of its own, so that a revised key is no other trial.

Facts are a list of pairs sorted by name, because their names are somebody else's and the keys of
canonical JSON are ASCII (docs/format.md, "Suites"). The reference stands in it with its amounts as
decimal strings, digits as written, its entries by line. One key has one spelling.

    >>> key = Key(facts={"total": ("3", "3.0")})
    >>> format_key(key)[:53]
    b'{"expectation":null,"facts":[["total",["3","3.0"]]],"'
    >>> parse_key(format_key(key)) == key
    True
"""

from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from graders.grader import Key
from graders.reference import Reference, ReferenceEntry, ReferenceTotal
from ledger.canonical import JsonValue, format_canonical, parse_canonical
from ledger.errors import NotCanonical
from trials.suite.values import DECIMAL


class _Part(BaseModel):
    """A part of what the bytes of a key spell."""

    model_config = ConfigDict(strict=True, extra="forbid")


class _TotalPart(_Part):
    category: str
    fact_name: str
    period: str


class _EntryPart(_Part):
    alternatives: list[list[str]]
    amount: Annotated[str, StringConstraints(pattern=f"^{DECIMAL}$")]
    category: str
    duplicate_of: int | None
    line: int
    merchant: str | None
    period: str
    text: str


class _ReferencePart(_Part):
    entries: list[_EntryPart]
    totals: list[_TotalPart]


class _KeyPart(_Part):
    expectation: str | None
    facts: list[list[str | list[str]]]
    must_include: list[str]
    must_not_include: list[str]
    reference: _ReferencePart | None


def format_key(key: Key) -> bytes:
    """Return the canonical bytes of ``key``.

    Raises:
        NotCanonical: a text of it is not valid Unicode.
    """
    facts: list[JsonValue] = [[name, list(values)] for name, values in sorted(key.facts.items())]
    return format_canonical(
        {
            "expectation": key.expectation,
            "facts": facts,
            "must_include": list(key.must_include),
            "must_not_include": list(key.must_not_include),
            "reference": None if key.reference is None else _format_reference(key.reference),
        }
    )


def parse_key(data: bytes) -> Key:
    """Return the key whose bytes are ``data``; the inverse of ``format_key``.

    Raises:
        NotCanonical: ``data`` is not the one spelling of a key.
    """
    try:
        part = _KeyPart.model_validate(parse_canonical(data))
        facts = dict(_split_fact(pair) for pair in part.facts)
        reference = None if part.reference is None else _parse_reference(part.reference)
    except (ValidationError, ValueError) as error:
        raise NotCanonical("canonical JSON, but not an answer key") from error
    key = Key(
        facts=facts,
        must_include=tuple(part.must_include),
        must_not_include=tuple(part.must_not_include),
        expectation=part.expectation,
        reference=reference,
    )
    if format_key(key) != data:
        raise NotCanonical("an answer key, but its facts are not sorted or one stands twice")
    return key


def _split_fact(pair: list[str | list[str]]) -> tuple[str, tuple[str, ...]]:
    name, values = pair
    if not isinstance(name, str) or not isinstance(values, list):
        raise ValueError("a fact is a pair of a name and a list of values")  # noqa: TRY004
    return name, tuple(values)


def _format_reference(reference: Reference) -> JsonValue:
    return {
        "entries": [_format_entry(entry) for entry in reference.entries],
        "totals": [
            {"category": total.category, "fact_name": total.fact_name, "period": total.period}
            for total in reference.totals
        ],
    }


def _format_entry(entry: ReferenceEntry) -> JsonValue:
    return {
        "alternatives": [list(alternative) for alternative in entry.alternatives],
        "amount": f"{entry.amount:f}",
        "category": entry.category,
        "duplicate_of": entry.duplicate_of,
        "line": entry.line,
        "merchant": entry.merchant,
        "period": entry.period,
        "text": entry.text,
    }


def _parse_reference(part: _ReferencePart) -> Reference:
    lines = [entry.line for entry in part.entries]
    if sorted(set(lines)) != lines:
        raise ValueError("the entries are not sorted by line, or one stands twice")
    return Reference(
        entries=tuple(_parse_entry(entry) for entry in part.entries),
        totals=tuple(
            ReferenceTotal(category=total.category, fact_name=total.fact_name, period=total.period)
            for total in part.totals
        ),
    )


def _parse_entry(part: _EntryPart) -> ReferenceEntry:
    return ReferenceEntry(
        line=part.line,
        text=part.text,
        amount=Decimal(part.amount),
        period=part.period,
        category=part.category,
        merchant=part.merchant,
        alternatives=tuple(_split_alternative(pair) for pair in part.alternatives),
        duplicate_of=part.duplicate_of,
    )


def _split_alternative(pair: list[str]) -> tuple[str, str]:
    policy, category = pair
    return policy, category
