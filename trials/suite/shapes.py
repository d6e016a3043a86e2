"""The shape of each file of a suite as JSON Schema (draft 2020-12), for editors.

It is made from the entries of ``schema`` and from the fields of the graders, and says what can be
said of one file by itself. Loading a suite says more: whether files are there, names stand once and
sums are right. A grader that the table of graders lacks may have any fields.
"""

import inspect
import sys
from collections.abc import Callable
from copy import deepcopy
from enum import StrEnum
from typing import Any

from graders.fields import Fields
from graders.registry import GRADERS, Member
from trials.suite.checks import EXTRACTION_FIELDS, FILE_FIELDS
from trials.suite.schema import (
    CaseEntry,
    CheckEntry,
    ConfigurationEntry,
    Entry,
    ReferenceEntries,
    SuiteEntry,
)
from trials.suite.values import is_decimal

DRAFT = "https://json-schema.org/draft/2020-12/schema"

Shape = dict[str, Any]


class FileKind(StrEnum):
    """The files that have a shape."""

    SUITE = "suite"
    CONFIGURATION = "configuration"
    CASE = "case"
    REFERENCE = "reference"


def make_shape(kind: FileKind) -> Shape:
    """Return the JSON Schema of a file of the kind."""
    title, make = _MAKERS[kind]
    return {"$schema": DRAFT, "title": title, **make()}


def _make_suite() -> Shape:
    shape = _outline(SuiteEntry)
    check = shape["$defs"][CheckEntry.__name__]
    common = check["properties"]
    names = list(GRADERS)
    # `anyOf`, so that an editor offers ours and takes a stranger's.
    common["grader"] = {
        "anyOf": [{"enum": names}, {"type": "string"}],
        "description": common["grader"]["description"],
    }
    check["allOf"] = [_make_choice(name, list(common)) for name in names]
    for name, member in GRADERS.items():
        shape["$defs"] |= _make_grader(name, member)
    return shape


def _make_choice(name: str, common: list[str]) -> Shape:
    """Return what holds of a check with the grader ``name``: its own fields and no others."""
    return {
        "if": {"properties": {"grader": {"const": name}}, "required": ["grader"]},
        "then": {
            "$ref": f"#/$defs/{_name_fields(name)}",
            "unevaluatedProperties": False,
            "properties": dict.fromkeys(common, True),
        },
    }


def _make_grader(name: str, member: Member) -> Shape:
    """Return the definitions of the fields of a grader, as a suite file states them."""
    outline = _outline(find_fields(member))
    definitions: Shape = outline.pop("$defs", {})
    fields: Shape = outline["properties"]
    required: list[str] = outline.get("required", [])
    for field, target in FILE_FIELDS.items():
        if target in fields:
            fields.pop(target)
            fields[field] = {"type": "string", "description": f"The file of the {target}."}
            required = [field if item == target else item for item in required]
    for target in EXTRACTION_FIELDS.values():  # They come from the suite's `fact_extraction`.
        fields.pop(target, None)
    for field, value in fields.items():
        fields[field] = _admit_number(value)
    outline |= {"required": [item for item in required if item in fields]}
    outline.pop("additionalProperties", None)  # The common fields stand beside these.
    outline["description"] = f"The fields of the grader {name}."
    return {**definitions, _name_fields(name): outline}


def find_fields(member: Member) -> type[Fields]:
    """Return the fields of a grader: the one ``Fields`` in the module of its factory."""
    module = sys.modules[member.factory.__module__]
    (found,) = (
        item
        for _, item in inspect.getmembers(module, inspect.isclass)
        if issubclass(item, Fields) and item.__module__ == module.__name__
    )
    return found


def _name_fields(grader: str) -> str:
    return f"grader_{grader}"


def _admit_number(field: Shape) -> Shape:
    """Return the shape of a field; a decimal's admits a number with a fraction, as loading does."""
    default = field.get("default")
    if field.get("type") != "string" or not isinstance(default, str) or not is_decimal(default):
        return field
    shared = ("default", "description")
    described: Shape = {key: item for key, item in field.items() if key in shared}
    text = {key: item for key, item in field.items() if key not in shared}
    return {"anyOf": [text, {"type": "number"}], **described}


def _make_configuration() -> Shape:
    shape = _outline(ConfigurationEntry)
    # The file's name stands in for it.
    shape["required"].remove("configuration_name")
    return shape


def _outline(model: type[Entry] | type[Fields]) -> Shape:
    """Return pydantic's schema of ``model`` without titles, the docstrings as descriptions."""
    shape = deepcopy(model.model_json_schema(by_alias=True))
    for part in (shape, *shape.get("$defs", {}).values()):
        part.pop("title", None)
        if "description" in part:
            part["description"] = " ".join(part["description"].replace("``", "`").split())
        for field in part.get("properties", {}).values():
            field.pop("title", None)
    return shape


_MAKERS: dict[FileKind, tuple[str, Callable[[], Shape]]] = {
    FileKind.SUITE: ("eval_suite.json", _make_suite),
    FileKind.CONFIGURATION: ("configurations/NAME.json", _make_configuration),
    FileKind.CASE: ("case.json", lambda: _outline(CaseEntry)),
    FileKind.REFERENCE: ("reference_ledger.json", lambda: _outline(ReferenceEntries)),
}
