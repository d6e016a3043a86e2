r"""JSON lines from outside, read leniently: what can be read is, and a note says what could not.

1. a blank line is passed over; a line that is no JSON object is, too, with a note: a program that
   was ended in the middle of a line leaves one;
2. bytes that are not UTF-8 are replaced, a key that stands twice counts as it stands last, and a
   last line without a newline is read; each with a note;
3. a fraction keeps the text that it was written as.

    >>> lines, notes = read_lines(b'{"a": 1}\n{"b"')
    >>> lines[0].document, notes[0]
    ({'a': 1}, 'line 2 is no JSON object')
"""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple, Self, TypeGuard

from ledger.canonical import INTEGER_MAX

NAMED_MAX = 5
"""Lines that a note names; it counts the others."""
WORD_LENGTH_MAX = 200
"""Characters of a name that is kept: of a model, a request, a count."""


class Line(NamedTuple):
    """An object and the number of its line, from 1."""

    number: int
    document: dict[str, Any]


class Fraction(float):
    """A number with a point or an exponent, and ``text``, how it was written."""

    text: str

    def __new__(cls, text: str) -> Self:
        """Return the number that ``text`` spells."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def read_lines(data: bytes) -> tuple[list[Line], list[str]]:
    """Return the objects in ``data``, one a line, and a note for each kind of fault."""
    lines: list[Line] = []
    unread: list[int] = []
    undecoded: list[int] = []
    doubled: dict[str, list[int]] = {}
    for number, raw in enumerate(data.split(b"\n"), start=1):
        if not raw.strip():
            continue
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            text = raw.decode(errors="replace")
            undecoded.append(number)
        twice: list[str] = []
        document = _parse(text, twice)
        if document is None:
            unread.append(number)
            continue
        for key in dict.fromkeys(twice):
            doubled.setdefault(key, []).append(number)
        lines.append(Line(number, document))
    notes = []
    if unread:
        notes.append(f"{_name_lines(unread)} no JSON object")
    if undecoded:
        notes.append(f"{_name_lines(undecoded)} not UTF-8: what could not be read was replaced")
    for key, numbers in list(doubled.items())[:NAMED_MAX]:
        notes.append(
            f"the key {ascii(key)[:80]} stands twice in an object, and counts as it stands last: "
            f"{_name_lines(numbers).rpartition(' ')[0]}"
        )
    if data and not data.endswith(b"\n"):
        notes.append("the last line has no newline")
    return lines, notes


def note_unknown(what: str, words: Iterable[str]) -> list[str]:
    """Return a note that names the ``words`` that a reader did not know, if there are any."""
    counts = Counter(words)
    if not counts:
        return []
    named = [f"{ascii(word)[1:-1]:.60} ({count:,})" for word, count in counts.items()]
    rest = "" if len(named) <= NAMED_MAX else f" and {len(named) - NAMED_MAX:,} more"
    return [f"{what} of a type that is not known: {', '.join(named[:NAMED_MAX])}{rest}"]


def get_object(document: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the object under ``key``; an empty one where there is none."""
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def get_text(document: dict[str, Any], key: str) -> str:
    """Return the text under ``key``; an empty one where there is none."""
    value = document.get(key)
    return value if isinstance(value, str) else ""


def get_word(document: dict[str, Any], key: str) -> str | None:
    """Return the name under ``key``, if it is one that an event can hold."""
    value = document.get(key)
    return value if isinstance(value, str) and is_word(value) else None


def get_count(document: dict[str, Any], key: str) -> int:
    """Return the count under ``key``; 0 where there is none."""
    value = document.get(key)
    return value if is_count(value) else 0


def is_count(value: object) -> TypeGuard[int]:
    """Return whether ``value`` is a whole number that an event can hold."""
    return type(value) is int and 0 <= value <= INTEGER_MAX


def flatten_counts(document: dict[str, Any], prefix: str = "") -> dict[str, int]:
    """Return every count below ``document`` in order, with dots in the names of nested ones."""
    flat: dict[str, int] = {}
    for key, value in document.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            flat |= flatten_counts(value, f"{name}.")
        elif is_count(value) and is_word(name):
            flat[name] = value
    return flat


def format_line(text: str, length_max: int) -> str:
    """Return ``text`` as one line that an event can hold and a terminal can show."""
    shown = (sign if sign.isprintable() else " " for sign in text[: 4 * length_max])
    return " ".join("".join(shown).split())[:length_max]


def _parse(text: str, twice: list[str]) -> dict[str, Any] | None:
    """Return the object that ``text`` is, or ``None``; keys that stand twice go into ``twice``."""

    def pair_up(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        document = dict(pairs)
        if len(document) < len(pairs):
            twice.extend(key for key, count in Counter(k for k, _ in pairs).items() if count > 1)
        return document

    try:
        document = json.loads(text, object_pairs_hook=pair_up, parse_float=Fraction)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _name_lines(numbers: list[int]) -> str:
    """Return "line 3 is", "lines 3, 4 and 2 more are"."""
    if len(numbers) == 1:
        return f"line {numbers[0]} is"
    named = ", ".join(str(number) for number in numbers[:NAMED_MAX])
    rest = f" and {len(numbers) - NAMED_MAX:,} more" if len(numbers) > NAMED_MAX else ""
    return f"lines {named}{rest} are"


def is_word(text: str) -> bool:
    """Return whether ``text`` is a name that an event can hold."""
    return 0 < len(text) <= WORD_LENGTH_MAX and text.isprintable()
