"""What a single value of a file may be, beyond what pydantic has: names, decimals, bounds.

Each is a type with its fault as a sentence and its shape for editors. A decimal stands as a number
or in quotes, and keeps its digits either way.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, PlainValidator, StringConstraints, WithJsonSchema

from ledger.tools import ToolKind
from trials.suite.documents import Numeral, show_value

NAME = "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
PART_NAME = "^[a-z0-9_.-]{1,100}$"
"""Of what a session leaves beside its answer (``providers.Part``)."""
REPETITIONS_MAX = 10_000
"""Far above what anyone pays for; a slip of the keyboard stops here and not at the bill."""
ATTEMPTS_LIMIT = 20
REQUESTS_PER_MINUTE_MAX = 1_000_000
DEADLINE_S_LIMIT = 86_400
"""A day: no single call takes that long."""

DECIMAL = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?"
DECIMAL_CHARACTERS_MAX = 40

_DECIMAL = re.compile(rf"{DECIMAL}\Z")


@dataclass(frozen=True, slots=True)
class _Between:
    """Refuses a number below ``low`` or, where there is a bound, above ``high``."""

    low: int
    high: int | None = None

    def __call__(self, value: int) -> int:
        if self.low <= value and (self.high is None or value <= self.high):
            return value
        if self.high is None:
            raise ValueError(f"{value} is not {self.low} or more")
        raise ValueError(f"{value} is not between {self.low} and {self.high}")


def _check_filled(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty; write it or leave the field out")
    return text


def _check_part_name(text: str) -> str:
    if re.fullmatch(PART_NAME.removesuffix("$"), text) is None:
        raise ValueError(
            f"{show_value(text)} is no name of a part; use lower-case letters, digits, '_', '-' "
            "and '.', at most 100"
        )
    return text


def _read_rate(value: object) -> Decimal:
    rate = _read_decimal(value, "0.95")
    if not 0 <= rate <= 1 or rate.is_signed():
        raise ValueError(f"{rate:f} is not between 0 and 1")
    return rate


def _read_amount(value: object) -> Decimal:
    return _read_decimal(value, '"24.10"')


def _read_price(value: object) -> Decimal:
    price = _read_decimal(value, '"2.50"')
    if price.is_signed():
        raise ValueError(f"{price:f} is below 0")
    return price


def _read_cost(value: object) -> Decimal:
    cost = _read_decimal(value, '"0.50"')
    if cost <= 0:
        raise ValueError(f"{cost:f} is not above 0")
    return cost


def _read_deadline(value: object) -> float:
    deadline_s = _read_decimal(value, "90")
    if not 0 < deadline_s <= DEADLINE_S_LIMIT:
        raise ValueError(f"{deadline_s:f} is not above 0 and at most {DEADLINE_S_LIMIT}")
    return float(deadline_s)


def _read_decimal(value: object, example: str) -> Decimal:
    """Return the decimal that a string or a number states, every digit as it was written."""
    text = value.text if isinstance(value, Numeral) else value
    if isinstance(text, int) and not isinstance(text, bool):
        text = str(text)
    if not isinstance(text, str) or not is_decimal(text):
        raise ValueError(f"{show_value(value)} is not a decimal; write one such as {example}")
    return Decimal(text)


def _check_line(line: int) -> int:
    if line < 1:
        raise ValueError(f"{line} is no line; the first one is 1")
    return line


def _read_fact(value: object) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    if not values:
        raise ValueError("has no accepted value; list at least one or leave the fact out")
    return tuple(_read_accepted(item) for item in values)


def _read_accepted(value: object) -> str:
    """Return an accepted value as text; a number keeps the digits that it was written with."""
    if isinstance(value, Numeral) and is_decimal(value.text):
        return value.text
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ValueError(
        f"{show_value(value)} is not an accepted value; write a string, or a number "
        "without an exponent"
    )


def is_decimal(text: str) -> bool:
    """Return whether ``text`` is a decimal as JSON writes it, without an exponent."""
    return len(text) <= DECIMAL_CHARACTERS_MAX and _DECIMAL.match(text) is not None


def _read_tool(value: object) -> ToolKind:
    if not isinstance(value, str) or value not in set(ToolKind):
        raise ValueError(f"{show_value(value)} is no kind of tool; there are {', '.join(ToolKind)}")
    return ToolKind(value)


_DECIMAL_TEXT: dict[str, object] = {
    "type": "string",
    "pattern": f"^{DECIMAL}$",
    "maxLength": DECIMAL_CHARACTERS_MAX,
}
_ACCEPTED: dict[str, object] = {"anyOf": [{"type": "string", "pattern": r"\S"}, {"type": "number"}]}


def _shape_decimal(**bounds: object) -> WithJsonSchema:
    return WithJsonSchema({"anyOf": [{"type": "number", **bounds}, _DECIMAL_TEXT]})


Name = Annotated[str, StringConstraints(pattern=NAME)]
PartName = Annotated[
    str, AfterValidator(_check_part_name), WithJsonSchema({"type": "string", "pattern": PART_NAME})
]
Filled = Annotated[
    str, AfterValidator(_check_filled), WithJsonSchema({"type": "string", "pattern": r"\S"})
]
Rate = Annotated[Decimal, PlainValidator(_read_rate), _shape_decimal(minimum=0, maximum=1)]
Amount = Annotated[Decimal, PlainValidator(_read_amount), _shape_decimal()]
Price = Annotated[Decimal, PlainValidator(_read_price), _shape_decimal(minimum=0)]
Cost = Annotated[Decimal, PlainValidator(_read_cost), _shape_decimal(exclusiveMinimum=0)]
Deadline = Annotated[
    float,
    PlainValidator(_read_deadline),
    _shape_decimal(exclusiveMinimum=0, maximum=DEADLINE_S_LIMIT),
]
Repetitions = Annotated[
    int,
    AfterValidator(_Between(1, REPETITIONS_MAX)),
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": REPETITIONS_MAX}),
]
Attempts = Annotated[
    int,
    AfterValidator(_Between(1, ATTEMPTS_LIMIT)),
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": ATTEMPTS_LIMIT}),
]
RequestsPerMinute = Annotated[
    int,
    AfterValidator(_Between(1, REQUESTS_PER_MINUTE_MAX)),
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": REQUESTS_PER_MINUTE_MAX}),
]
Ordinal = Annotated[
    int, AfterValidator(_Between(1)), WithJsonSchema({"type": "integer", "minimum": 1})
]
Line = Annotated[
    int, AfterValidator(_check_line), WithJsonSchema({"type": "integer", "minimum": 1})
]
Tool = Annotated[
    ToolKind,
    PlainValidator(_read_tool),
    WithJsonSchema({"type": "string", "enum": list(ToolKind)}),
]
Accepted = Annotated[
    tuple[str, ...],
    PlainValidator(_read_fact),
    WithJsonSchema({"anyOf": [_ACCEPTED, {"type": "array", "minItems": 1, "items": _ACCEPTED}]}),
]
Facts = dict[Filled, Accepted]
