"""What a suite file, a case and a configuration may say: pydantic at the door.

Nothing is converted: a number in quotes is not a number, ``1`` is not ``true``. An unknown field
is refused, with the known one that it resembles. Names of suites, variants, checks, cases and
configurations match ``NAME``, so that each can be a file's name and a word on a command line.
"""

import re
from decimal import Decimal
from typing import Annotated, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    StringConstraints,
    ValidationError,
)
from pydantic_core import ErrorDetails

from ledger.errors import FaultyInput
from ledger.tools import ToolKind
from trials.suite.documents import Numeral, join_path, show_value
from trials.suite.faults import format_fault, suggest_name

NAME = "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
REPETITIONS_MAX = 10_000
"""Far above what anyone pays for; a slip of the keyboard stops here and not at the bill."""

_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?\Z")
_DECIMAL_CHARACTERS_MAX = 40

_SAYINGS = {
    "bool_type": "{shown} is not true or false",
    "dict_type": "{shown} is not an object",
    "int_type": "{shown} is not a whole number",
    "list_type": "{shown} is not a list",
    "missing": "is missing; add it",
    "model_type": "{shown} is not an object",
    "string_pattern_mismatch": "{shown} is not a name; use letters, digits, '.', '_' and '-', at "
    "most 100, a letter or digit first",
    "string_type": "{shown} is not a string; put it in quotes",
    "too_short": "is empty; list at least one",
}
"""What to say for an error of pydantic's; the others say it themselves."""


def _check_filled(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty; write it or leave the field out")
    return text


def _read_rate(value: object) -> Decimal:
    text = value.text if isinstance(value, Numeral) else value
    if isinstance(text, int) and not isinstance(text, bool):
        text = str(text)
    if not isinstance(text, str) or not _is_decimal(text):
        raise ValueError(f"{show_value(value)} is not a decimal; write one such as 0.95")
    rate = Decimal(text)
    if not 0 <= rate <= 1 or rate.is_signed():
        raise ValueError(f"{text} is not between 0 and 1")
    return rate


def _read_fact(value: object) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    if not values:
        raise ValueError("has no accepted value; list at least one or leave the fact out")
    return tuple(_read_accepted(item) for item in values)


def _read_accepted(value: object) -> str:
    """Return an accepted value as text; a number keeps the digits that it was written with."""
    if isinstance(value, Numeral) and _is_decimal(value.text):
        return value.text
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ValueError(
        f"{show_value(value)} is not an accepted value; write a string, or a number "
        "without an exponent"
    )


def _is_decimal(text: str) -> bool:
    return len(text) <= _DECIMAL_CHARACTERS_MAX and _DECIMAL.match(text) is not None


def _read_tool(value: object) -> ToolKind:
    if not isinstance(value, str) or value not in set(ToolKind):
        raise ValueError(f"{show_value(value)} is no kind of tool; there are {', '.join(ToolKind)}")
    return ToolKind(value)


Name = Annotated[str, StringConstraints(pattern=NAME)]
Filled = Annotated[str, AfterValidator(_check_filled)]
Rate = Annotated[Decimal, PlainValidator(_read_rate)]
Tool = Annotated[ToolKind, PlainValidator(_read_tool)]
Facts = dict[Filled, Annotated[tuple[str, ...], PlainValidator(_read_fact)]]


class Entry(BaseModel):
    """What all entries share."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class VariantEntry(Entry):
    """One item of ``variants``."""

    variant_name: Name
    prompt_file: str
    description: str | None = None


class CheckEntry(Entry):
    """One item of ``checks``; what it holds beyond these fields is the grader's own."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    check_name: Name
    grader: str
    minimum_pass_rate: Rate
    description: Filled
    critical: bool = False


class SuiteEntry(Entry):
    """The suite file."""

    suite_name: Name
    description: str | None = None
    variants: list[VariantEntry] = Field(min_length=1)
    gated_variant: str | None = None
    cases: str
    repetitions: int = Field(default=1, ge=1, le=REPETITIONS_MAX)
    checks: list[CheckEntry] = Field(min_length=1)


class CaseEntry(Entry):
    """``case.json`` in a case's folder; the folder's name is the id."""

    category: Filled | None = None
    critical: bool = False
    question: Filled | None = None
    expectation: Filled | None = None
    must_include: list[Filled] = []
    must_not_include: list[Filled] = []
    facts: Facts = {}


class RecordEntry(CaseEntry):
    """One record of a file of cases."""

    id: Name


class FactsEntry(Entry):
    """``expected_facts.json``, held under one field."""

    facts: Facts


class ConfigurationEntry(Entry):
    """A configuration's file."""

    configuration_name: Name
    provider: Name
    model: Filled
    effort: Filled | None = None
    tools: list[Tool] = []
    description: str | None = None
    settings: dict[str, object] = {}


AnyEntry = TypeVar("AnyEntry", bound=Entry)


def check_entry(model: type[AnyEntry], document: object, prefix: str) -> AnyEntry:
    """Return ``document`` as an entry of the kind ``model``.

    Args:
        prefix: the place for the faults, see ``format_fault``.

    Raises:
        FaultyInput: a line for every field that is not as it has to be.
    """
    try:
        return model.model_validate(document)
    except ValidationError as error:
        raise FaultyInput(
            [_format_error(model, detail, prefix) for detail in error.errors()]
        ) from error


def _format_error(model: type[Entry], detail: ErrorDetails, prefix: str) -> str:
    path = ""
    for step in detail["loc"]:
        # pydantic's mark for a fault in a mapping's key; the step before it is that key.
        path = path if step == "[key]" else join_path(path, step)
    return format_fault(prefix, path, _say(model, detail))


def _say(model: type[Entry], detail: ErrorDetails) -> str:
    kind = detail["type"]
    if kind == "extra_forbidden":
        known = _list_fields(model, detail["loc"])
        return f"unknown field; {suggest_name(str(detail['loc'][-1]), known)}"
    if kind == "value_error":
        return str(detail["ctx"]["error"])
    if kind in {"greater_than_equal", "less_than_equal"}:
        return f"{show_value(detail['input'])} is not between 1 and {REPETITIONS_MAX}"
    if kind in _SAYINGS:
        return _SAYINGS[kind].format(shown=show_value(detail["input"]))
    return detail["msg"]


def _list_fields(model: type[Entry], location: tuple[int | str, ...]) -> list[str]:
    """Return the fields known at ``location``, below the lists of entries on the way there."""
    for step in location[:-1]:
        if isinstance(step, str):
            model = get_args(model.model_fields[step].annotation)[0]
    return list(model.model_fields)
