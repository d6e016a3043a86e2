"""JSON and YAML from a stranger, read strictly: what two readers could take differently is refused.

The rules, in order:

1. bytes are UTF-8 without a byte order mark and without NUL;
2. a key stands once in its object; nothing follows the value; nesting stays within 64;
3. a string holds neither a lone surrogate nor U+0000, written out or as an escape;
4. an integer lies within ±(2^53 - 1); NaN and the infinities do not exist;
5. a number with a fraction or an exponent is never made a float: it stays a ``Numeral``, the text
   as it was written, and whoever needs it decides what it means.

YAML is the YAML that JSON is: a plain scalar is a number, ``true``, ``false`` or ``null`` where
JSON would spell it so, and the text as written otherwise (``yes``, ``012`` and ``2026-11-30`` are
strings). Tags are refused; aliases may unfold to ``ALIAS_NODES_MAX`` nodes more than were written.

    >>> parse_json('{"rate": 0.50, "n": 3}', "a.json: ")
    {'rate': Numeral(text='0.50'), 'n': 3}
"""

import json
import re
from dataclasses import dataclass

import yaml

from ledger.canonical import DEPTH_MAX, INTEGER_MAX
from ledger.errors import FaultyInput
from trials.suite.faults import Faults

YAML_BYTES_MAX = 2 * 2**20
"""PyYAML reads about 0.4 MB/s in pure Python: 2 MiB are five seconds, the patience of one start."""
ALIAS_NODES_MAX = 10_000

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<rest>(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\Z")
_PLAIN_KEY = re.compile(r"[\w.-]+\Z")
_INTEGER_DIGITS = len(str(INTEGER_MAX))
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "": None}
_TAGS = {f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map")}


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number with a fraction or an exponent, by its text."""

    text: str


@dataclass(frozen=True, slots=True)
class _Refused:
    """Stands in a raw tree where a value was that no rule admits."""

    what: str


class _Pairs(list[tuple[str, object]]):
    """An object as written: its pairs in order, duplicates and all."""


class _Loader(yaml.SafeLoader):
    """Composes nodes and resolves nothing; ``_convert_node`` reads plain scalars by the rules."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 (PyYAML's own declaration)


def decode_text(data: bytes, prefix: str) -> str:
    """Return ``data`` as text.

    Raises:
        FaultyInput: a byte order mark, a byte that is not UTF-8, or a NUL; with its offset.
    """
    if data.startswith(b"\xef\xbb\xbf"):
        raise _fault(prefix, "begins with a byte order mark; save it as UTF-8 without one")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        byte = f"0x{data[error.start]:02x}"
        raise _fault(prefix, f"not valid UTF-8 at byte {error.start} ({byte})") from error
    if "\0" in text:
        raise _fault(prefix, f"holds a NUL at byte {data.index(0)}; it has to be a text file")
    return text


def parse_json(text: str, prefix: str) -> dict[str, object] | list[object]:
    """Return the object or list that ``text`` spells, by the rules above.

    Args:
        prefix: the place for the faults, see ``format_fault``.

    Raises:
        FaultyInput: every broken rule, or the first place that is not JSON at all.
    """
    decoder = json.JSONDecoder(
        object_pairs_hook=_Pairs,
        parse_int=_read_number,
        parse_float=Numeral,
        parse_constant=lambda name: _Refused(f"{name} is not JSON; write a number or a string"),
    )
    try:
        raw = decoder.decode(text)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno} " if "\n" in text else ""
        raise _fault(prefix, f"not JSON at {line}column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise _fault(prefix, f"nested deeper than {DEPTH_MAX}") from error
    return _settle_document(raw, prefix)


def parse_yaml(text: str, prefix: str) -> dict[str, object] | list[object]:
    """Return the mapping or sequence that ``text`` spells, by the rules above.

    Raises:
        FaultyInput: every broken rule, or the first place that is not YAML at all.
    """
    if len(text) > YAML_BYTES_MAX:
        raise _fault(prefix, f"longer than {YAML_BYTES_MAX} characters; use JSON")
    try:
        node = _compose(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" at line {mark.line + 1} column {mark.column + 1}" if mark else ""
        raise _fault(prefix, f"not YAML{where}: {error.problem}") from error
    except yaml.YAMLError as error:
        raise _fault(prefix, f"not YAML: {str(error).splitlines()[0]}") from error
    except RecursionError as error:
        raise _fault(prefix, f"nested deeper than {DEPTH_MAX}") from error
    # Without an alias every node takes a character, so only aliases can use up this budget.
    return _settle_document(_convert_node(node, [len(text) + ALIAS_NODES_MAX], 0), prefix)


def show_value(value: object) -> str:
    """Return ``value`` for a fault's line: as its file spells it, on one line, cut at 60."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = value.text if isinstance(value, Numeral) else repr(value)
    return text if len(text) <= 60 else text[:57] + "…" + text[-2:]  # noqa: PLR2004


def join_path(path: str, step: str | int) -> str:
    """Return the path of ``step`` below ``path``: ``checks[2].grader``."""
    if isinstance(step, int):
        return f"{path}[{step}]"
    name = step if _PLAIN_KEY.match(step) else ascii(step[:60])
    return f"{path}.{name}" if path else name


def _compose(text: str) -> yaml.Node | None:
    loader = _Loader(text)
    try:
        return loader.get_single_node()
    finally:
        loader.dispose()


def _fault(prefix: str, what: str) -> FaultyInput:
    faults = Faults()
    faults.add(prefix, "", what)
    return FaultyInput(faults.lines)


def _read_number(text: str) -> int | Numeral | _Refused:
    found = _NUMBER.match(text)
    if found and found["rest"]:
        return Numeral(text)
    # By length first: Python refuses to read an integer of more than 4,300 digits.
    if len(text.lstrip("-")) > _INTEGER_DIGITS or abs(int(text)) > INTEGER_MAX:
        return _Refused(f"{text[:20]} is beyond ±(2^53 - 1); write it as a string")
    return int(text)


def _convert_node(node: yaml.Node | None, budget: list[int], depth: int) -> object:
    """Return the raw tree below ``node``; it unfolds aliases and so has to stop by itself."""
    budget[0] -= 1
    if budget[0] < 0:
        return _Refused(f"aliases unfold to more than {ALIAS_NODES_MAX} nodes; write it out")
    if depth > DEPTH_MAX:
        return _Refused(f"nested deeper than {DEPTH_MAX}")
    if node is None:
        return None
    if node.tag not in _TAGS:
        return _Refused(f"the tag {node.tag!r:.60} is refused; write the value without a tag")
    if isinstance(node, yaml.MappingNode):
        pairs = _Pairs()
        for key, item in node.value:
            if not isinstance(key, yaml.ScalarNode):
                return _Refused("a key is not a plain text")
            pairs.append((key.value, _convert_node(item, budget, depth + 1)))
        return pairs
    if isinstance(node, yaml.SequenceNode):
        return [_convert_node(item, budget, depth + 1) for item in node.value]
    if isinstance(node, yaml.ScalarNode):
        return _convert_scalar(node.value, is_plain=node.style is None)
    raise TypeError(f"{node!r:.60} is not a node of YAML")


def _convert_scalar(text: str, *, is_plain: bool) -> object:
    if not is_plain:
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    return _read_number(text) if _NUMBER.match(text) else text


def _settle_document(raw: object, prefix: str) -> dict[str, object] | list[object]:
    faults = Faults()
    document = _settle(raw, "", DEPTH_MAX, prefix, faults)
    faults.settle()
    if not isinstance(document, dict | list):
        raise _fault(prefix, f"{show_value(document)} is not an object or a list")
    return document


def _settle(raw: object, path: str, depth: int, prefix: str, faults: Faults) -> object:
    """Return ``raw`` as plain values, noting each broken rule at its path."""
    if isinstance(raw, _Refused):
        faults.add(prefix, path, raw.what)
    elif isinstance(raw, str):
        _check_text(raw, path, prefix, faults)
    elif isinstance(raw, list) and depth == 0:
        faults.add(prefix, path[:80], f"nested deeper than {DEPTH_MAX}")
    elif isinstance(raw, _Pairs):
        return _settle_pairs(raw, path, depth, prefix, faults)
    elif isinstance(raw, list):
        return [
            _settle(item, join_path(path, index), depth - 1, prefix, faults)
            for index, item in enumerate(raw)
        ]
    return raw


def _settle_pairs(
    raw: _Pairs, path: str, depth: int, prefix: str, faults: Faults
) -> dict[str, object]:
    settled: dict[str, object] = {}
    for key, item in raw:
        place = join_path(path, key)
        _check_text(key, place, prefix, faults)
        if key in settled:
            faults.add(prefix, place, "the key stands twice in one object; keep one of them")
        settled[key] = _settle(item, place, depth - 1, prefix, faults)
    return settled


def _check_text(text: str, path: str, prefix: str, faults: Faults) -> None:
    if "\0" in text:
        faults.add(prefix, path, "holds the character U+0000; leave it out")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code = f"\\u{ord(text[error.start]):04x}"
        faults.add(prefix, path, f"holds the lone surrogate {code}; write a whole character")
