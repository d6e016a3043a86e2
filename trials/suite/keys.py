"""An answer key as bytes: an artifact of its own, so that a revised key is no other trial.

Facts are a list of pairs sorted by name, because their names are somebody else's and the keys of
canonical JSON are ASCII (docs/format.md, "Canonical JSON"). One key has one spelling.

    >>> format_key(Key(facts={"total": ("3", "3.0")}))
    b'{"expectation":null,"facts":[["total",["3","3.0"]]],"must_include":[],"must_not_include":[]}'
"""

from pydantic import BaseModel, ConfigDict, ValidationError

from graders.grader import Key
from ledger.canonical import format_canonical, parse_canonical
from ledger.errors import NotCanonical


class _KeyEntry(BaseModel):
    """What the bytes of a key spell."""

    model_config = ConfigDict(strict=True, extra="forbid")

    expectation: str | None
    facts: list[list[str | list[str]]]
    must_include: list[str]
    must_not_include: list[str]


def format_key(key: Key) -> bytes:
    """Return the canonical bytes of ``key``.

    Raises:
        NotCanonical: a text of it is not valid Unicode.
    """
    return format_canonical(
        {
            "expectation": key.expectation,
            "facts": [[name, list(values)] for name, values in sorted(key.facts.items())],
            "must_include": list(key.must_include),
            "must_not_include": list(key.must_not_include),
        }
    )


def parse_key(data: bytes) -> Key:
    """Return the key whose bytes are ``data``; the inverse of ``format_key``.

    Raises:
        NotCanonical: ``data`` is not the one spelling of a key.
    """
    try:
        entry = _KeyEntry.model_validate(parse_canonical(data))
        facts = dict(_split_fact(pair) for pair in entry.facts)
    except (ValidationError, ValueError) as error:
        raise NotCanonical("canonical JSON, but not an answer key") from error
    key = Key(
        facts=facts,
        must_include=tuple(entry.must_include),
        must_not_include=tuple(entry.must_not_include),
        expectation=entry.expectation,
    )
    if format_key(key) != data:
        raise NotCanonical("an answer key, but its facts are not sorted or one stands twice")
    return key


def _split_fact(pair: list[str | list[str]]) -> tuple[str, tuple[str, ...]]:
    name, values = pair
    if not isinstance(name, str) or not isinstance(values, list):
        raise ValueError("a fact is a pair of a name and a list of values")  # noqa: TRY004
    return name, tuple(values)
