"""The door of each grader: the fields that a check sets for it, validated once at load.

A grader's fields are a pydantic model that derives from ``Fields``: strict (nothing is converted in
silence), closed (an unknown field is a fault) and frozen. What is wrong comes out all at once.
"""

from collections.abc import Mapping
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from graders.extraction import compile_pattern
from ledger.errors import FaultyInput

GIVEN = frozenset({"extraction_instructions", "extraction_schema"})
"""Fields that the loader of suites sets from ``fact_extraction``; no author of a check does."""


class Fields(BaseModel):
    """What a check sets for its grader."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _check_text(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("a lone surrogate has no canonical form: write the character itself")
    return text


def _check_pattern(pattern: str) -> str:
    compile_pattern(pattern)
    return pattern


Text = Annotated[str, AfterValidator(_check_text)]
"""A text that an event can carry: part of a grader's identity."""

PatternText = Annotated[Text, AfterValidator(_check_pattern)]
"""A regular expression with one capturing group (``graders/extraction.py``)."""

AnyFields = TypeVar("AnyFields", bound=Fields)


def read_fields(model: type[AnyFields], fields: Mapping[str, object]) -> AnyFields:
    """Return ``fields`` as ``model`` states them, defaults filled in.

    Raises:
        FaultyInput: one line for each fault, "field: what is wrong".
    """
    try:
        return model.model_validate(dict(fields))
    except ValidationError as error:
        faults = [_format_fault(model, details) for details in error.errors()]
        raise FaultyInput(faults) from error


def _format_fault(model: type[Fields], details: ErrorDetails) -> str:
    field = ".".join(str(part) for part in details["loc"])
    if details["type"] == "missing":
        return f"{field}: it is missing, and this grader cannot do without it"
    if details["type"] == "extra_forbidden":
        taken = sorted(
            info.alias or name for name, info in model.model_fields.items() if name not in GIVEN
        )
        return f"{field}: this grader has no such field; it takes {', '.join(taken)}"
    return f"{field}: {details['msg'].removeprefix('Value error, ')}"
