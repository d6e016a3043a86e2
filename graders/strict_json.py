"""Strict JSON: one document that every reader reads alike, or a refusal.

Beyond RFC 8259, in the spirit of RFC 7493 (I-JSON), a document is refused for

1. a key that stands twice in one object;
2. NaN and Infinity, which are not JSON;
3. a lone surrogate, in a value or in a key, plain or escaped;
4. nesting deeper than ``DEPTH_MAX``;
5. a number of more than ``NUMBER_LENGTH_MAX`` characters or an exponent beyond ``EXPONENT_MAX``.

Numbers are exact: an integer, in whatever spelling (``1``, ``1.0``, ``1e2``), is an ``int``, any
other number a ``Decimal`` that prints as it is.

    >>> parse_strict_json('{"total": 0.10, "count": 2.0}')
    {'total': 0.10, 'count': 2}
"""

import json
from collections.abc import Iterable
from decimal import Decimal
from itertools import chain

from graders.quotation import format_quotation
from ledger.errors import LedgerError

DEPTH_MAX = 64
"""Nesting of arrays and objects; far below where the interpreter's stack would end."""
NUMBER_LENGTH_MAX = 400
"""Characters of a number: what is longer takes more than linear time to read."""
EXPONENT_MAX = 400
"""Powers of ten, up or down; a double ends at 308 and -324."""


class MalformedJson(LedgerError):
    """A text that is not one strict JSON document; the message is a clause that says why."""


class _Number(Decimal):
    """A decimal that messages show as JSON writes it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def parse_strict_json(text: str) -> object:
    """Return the value of the one document that ``text`` is, white space around it aside.

    Raises:
        MalformedJson: it is not one, by the module's rules.
    """
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_pair_once,
            parse_constant=_refuse_constant,
            parse_float=_parse_number,
            parse_int=_parse_number,
        )
    except json.JSONDecodeError as error:
        raise MalformedJson(f"not one JSON document: {error}") from error
    except RecursionError as error:
        raise MalformedJson(f"nested deeper than {DEPTH_MAX}") from error
    _check(value)
    return value


def _pair_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise MalformedJson(f"the key {format_quotation(key)} stands twice in one object")
            seen.add(key)
    return value


def _refuse_constant(text: str) -> object:
    raise MalformedJson(f"{text} is not JSON")


def _parse_number(text: str) -> int | _Number:
    exponent = text.lower().partition("e")[2]
    if len(text) > NUMBER_LENGTH_MAX or abs(int(exponent or "0")) > EXPONENT_MAX:
        raise MalformedJson(f"the number {format_quotation(text)} is out of range")
    number = _Number(text)
    integer = int(number)
    return integer if integer == number else number


def _check(value: object) -> None:
    """Refuse what breaks rule 3 or 4, one level of nesting after the other."""
    level = [value]
    for _ in range(DEPTH_MAX + 1):
        containers = [item for item in level if isinstance(item, (dict, list))]
        for item in level:
            if isinstance(item, str):
                _check_text(item)
        if not containers:
            return
        level = [item for container in containers for item in _list_items(container)]
    raise MalformedJson(f"nested deeper than {DEPTH_MAX}")


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise MalformedJson(f"lone surrogate in {format_quotation(text)}") from error


def _list_items(container: dict[str, object] | list[object]) -> Iterable[object]:
    """Return what ``container`` holds, keys included."""
    return chain(container, container.values()) if isinstance(container, dict) else container
