"""Pointers: values out of a JSON document that a stranger wrote (RFC 6901).

1. a number with a fraction or an exponent keeps its spelling: 398.70 stays 398.70;
2. what cannot be read is one fault, a ``ValueError`` whose message is one line;
3. a value that is no text is spelled as JSON, keys sorted.

    >>> document = parse_document(b'{"answer": {"b": 1.50, "a": "x"}}')
    >>> spell_value(find_value(document, parse_pointer("/answer/b")))
    '1.50'
    >>> spell_value(find_value(document, parse_pointer("/answer")))
    '{"a": "x", "b": 1.50}'
"""

import json

from jsonpointer import EndOfList, JsonPointer, JsonPointerException

from ledger.canonical import INTEGER_MAX, JsonValue

COUNTS_MAX = 100
"""Names of a usage that are kept; more are no usage."""
WORD_LENGTH_MAX = 200
"""Characters of what says who answered; more are no name."""


class Numeral(str):
    """A number that is no integer, as it was spelled."""

    __slots__ = ()


_DECODER = json.JSONDecoder(parse_float=Numeral, parse_constant=Numeral)


def parse_document(data: bytes) -> JsonValue:
    """Return the document that ``data`` holds.

    Raises:
        ValueError: it holds none; the message says what is wrong.
    """
    try:
        document: JsonValue = _DECODER.decode(data.decode(json.detect_encoding(data)))
    except UnicodeDecodeError as error:
        raise ValueError(f"not JSON: no {error.encoding} at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.pos}") from error
    except (RecursionError, ValueError) as error:
        # ValueError: a number of more digits than Python reads (sys.set_int_max_str_digits).
        raise ValueError("not JSON that can be read: nested deeply, or a huge number") from error
    return document


def parse_pointer(text: str) -> JsonPointer:
    """Return the pointer that ``text`` spells; the empty one leads to the whole document.

    Raises:
        ValueError: it is none.
    """
    try:
        return JsonPointer(text)
    except JsonPointerException as error:
        raise ValueError(
            f"{text!a:.80} is no JSON pointer; write one such as '/answer', or '' for all"
        ) from error


def find_value(document: JsonValue, pointer: JsonPointer) -> JsonValue:
    """Return what ``pointer`` leads to.

    Raises:
        ValueError: it leads nowhere.
    """
    try:
        found: JsonValue | EndOfList = pointer.resolve(document)
    except (JsonPointerException, RecursionError):
        found = EndOfList([])
    if isinstance(found, EndOfList):
        # Not the library's own message: it repeats the whole document.
        raise ValueError(f"{pointer.path!a:.200} leads nowhere") from None  # noqa: TRY004
    return found


def spell_value(value: JsonValue) -> str:
    """Return a text as it is, and anything else as JSON.

    Raises:
        ValueError: it is nested too deeply.
    """
    try:
        return value if isinstance(value, str) else _spell(value)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def read_word(value: JsonValue) -> str | None:
    """Return a text that an event can hold, or ``None`` where ``value`` is none."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return None
    word = str(value)
    is_sound = 0 < len(word) <= WORD_LENGTH_MAX and not _holds_surrogate(word)
    return word if is_sound else None


def read_counts(value: JsonValue) -> tuple[tuple[str, int], ...]:
    """Return the counts in an object, nested names with dots; what is no count is passed over."""
    counts: list[tuple[str, int]] = []
    waiting: list[tuple[str, JsonValue]] = [("", value)]
    while waiting:
        name, item = waiting.pop()
        if isinstance(item, dict):
            below = [(f"{name}.{key}" if name else key, inner) for key, inner in item.items()]
            waiting += reversed(below)
        elif type(item) is int and 0 <= item <= INTEGER_MAX and read_word(name) is not None:
            counts.append((name, item))
    return tuple(counts[:COUNTS_MAX])


def _spell(value: JsonValue) -> str:
    if isinstance(value, Numeral):
        return str(value)
    if isinstance(value, dict):
        items = (f"{_quote(key)}: {_spell(value[key])}" for key in sorted(value))
        return "{" + ", ".join(items) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_spell, value)) + "]"
    return _quote(value)


def _quote(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _holds_surrogate(text: str) -> bool:
    return any("\ud800" <= sign <= "\udfff" for sign in text)
