"""Canonical JSON: one value, one sequence of bytes (RFC 8785, within a narrower profile).

The rules, in order:

1. a value is exactly ``str``, ``int``, ``bool``, ``None``, ``list`` or ``dict``; a subclass, a
   float, a tuple or anything else is refused, so that nothing is converted in silence;
2. an integer lies within ±(2^53 - 1), what every JSON reader holds exactly;
3. a key is an ASCII string, so that sorting by code point is sorting by UTF-16 unit;
4. a string is valid Unicode: no lone surrogate;
5. nesting stays within ``DEPTH_MAX``.

Within these rules orjson with sorted keys writes the bytes of RFC 8785, which
``tests/ledger/test_canonical.py`` holds against the ``rfc8785`` package.

    >>> format_canonical({"b": [1, True, None], "a": "e"})
    b'{"a":"e","b":[1,true,null]}'
    >>> parse_canonical(b'{"a":1}')
    {'a': 1}
"""

from typing import Annotated, TypeAlias

import msgspec
import orjson

from ledger.errors import NotCanonical

INTEGER_MAX = 2**53 - 1
"""The largest integer, and its negative the smallest (RFC 8785 3.2.2.3, RFC 7493 2.2)."""
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=INTEGER_MAX)]
"""A number of things, bytes or microseconds in an event: 0 or more, and exact everywhere."""
DEPTH_MAX = 64
"""Nesting of lists and objects; far below orjson's own limit of 254."""

JsonValue: TypeAlias = str | int | bool | list["JsonValue"] | dict[str, "JsonValue"] | None
JsonObject: TypeAlias = dict[str, JsonValue]


def format_canonical(value: object) -> bytes:
    """Return the canonical bytes of ``value``.

    Raises:
        NotCanonical: ``value`` breaks one of the rules; the message says where.
    """
    _check(value, DEPTH_MAX)
    try:
        data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError as error:
        # What the rules cannot see without reading each string: a lone surrogate.
        raise NotCanonical(f"{_locate(value)}: a string with a lone surrogate") from error
    # A copy: orjson's bytes keep the 4 KiB and more of the buffer that they were written into, and
    # a suite of 20,000 cases has as many keys (measured with 3.13: 78 MB of them).
    return bytes(memoryview(data))


def parse_canonical(data: bytes) -> JsonValue:
    """Return the value whose canonical bytes are ``data``; the inverse of ``format_canonical``.

    Raises:
        NotCanonical: ``data`` is not JSON, or not the canonical spelling of its value: another
            order, white space, a duplicate key, a float, a number out of range.
    """
    try:
        value: JsonValue = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise NotCanonical(f"not JSON: {error}") from error
    if format_canonical(value) != data:
        raise NotCanonical("JSON, but not in its canonical spelling")
    return value


def _check(value: object, depth: int) -> None:
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return
    if kind is int:
        if not -INTEGER_MAX <= value <= INTEGER_MAX:  # type: ignore[operator]
            raise NotCanonical(f"{_show(value)} is outside ±(2^53 - 1): write it as a string")
        return
    if kind is dict:
        _check_items(value, depth)  # type: ignore[arg-type]
    elif kind is list:
        if depth == 0:
            raise NotCanonical(f"nested deeper than {DEPTH_MAX}")
        for item in value:  # type: ignore[attr-defined]
            _check(item, depth - 1)
    else:
        raise NotCanonical(
            f"{kind.__name__} {_show(value)} has no canonical form: use str, int, bool, None, "
            "list or dict (an amount is a decimal string)"
        )


def _check_items(value: dict[object, object], depth: int) -> None:
    if depth == 0:
        raise NotCanonical(f"nested deeper than {DEPTH_MAX}")
    for key, item in value.items():
        if type(key) is not str or not key.isascii():
            raise NotCanonical(f"key {_show(key)} is not an ASCII string: use a list of pairs")
        # The leaves are most of what an event holds; a call for each of them is what costs.
        kind = type(item)
        if kind is str or kind is bool or item is None:
            continue
        _check(item, depth - 1)


def _show(value: object) -> str:
    """Return the beginning of ``value`` for a message; Python refuses to spell a huge integer."""
    try:
        return repr(value)[:60]
    except ValueError:
        return "(too long to show)"


def _locate(value: object, path: str = "value") -> str:
    """Return the path of the first string in ``value`` that is not valid Unicode."""
    if isinstance(value, dict):
        for key, item in value.items():
            found = _locate(item, f"{path}.{key}")
            if found != "value":
                return found
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found = _locate(item, f"{path}[{index}]")
            if found != "value":
                return found
    elif isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value):
        return path if path != "value" else "value itself"
    return "value"
