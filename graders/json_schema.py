"""The grader ``json_schema``: whether an answer is one JSON document of the shape that was asked.

Fields of the check:

``schema``
    the schema, an object: what the suite's ``schema_file`` holds, parsed; required.
``pattern``, ``occurrence``
    how the document is extracted from the answer (``graders/extraction.py``), for example out of a
    fenced block; without a pattern the whole answer has to be the document.

The rules, in order:

1. the document is strict JSON (``graders/strict_json.py``), or the check fails with the reason;
2. the schema is of the draft that its ``$schema`` names, by default 2020-12; ``format`` is an
   annotation and asserts nothing, as 2020-12 has it;
3. a reference leads into the schema itself or to a published metaschema. Nothing is ever fetched:
   any other reference is a fault at load, and so is a schema that its metaschema refuses;
4. numbers compare exactly, as decimals: ``0.3`` is a multiple of ``0.1``, and ``1.0`` is an
   integer in every draft. A schema that reaches us through floats is taken at their shortest
   spelling, which is how they were written (up to 15 digits).

A ``pattern`` inside a schema is Python's ``re``; what ``graders/extraction.py`` says about patterns
that backtrack holds for it too.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any, ClassVar, TypeAlias

import jsonschema
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
from pydantic import Field
from referencing import Specification
from referencing.exceptions import Unresolvable
from referencing.jsonschema import EMPTY_REGISTRY, specification_with

from graders.code import CodeGrader
from graders.extraction import Extraction, Miss, Occurrence, make_extraction
from graders.fields import Fields, PatternText, read_fields
from graders.grader import Decision, Evidence
from graders.quotation import format_quotation
from graders.strict_json import MalformedJson, parse_strict_json
from ledger.canonical import JsonObject
from ledger.digest import Digest
from ledger.errors import FaultyInput
from ledger.outcomes import Cause, Verdict

DRAFTS: dict[str, type[Validator]] = {
    "https://json-schema.org/draft/2020-12/schema": jsonschema.Draft202012Validator,
    "https://json-schema.org/draft/2019-09/schema": jsonschema.Draft201909Validator,
    "http://json-schema.org/draft-07/schema": jsonschema.Draft7Validator,
    "http://json-schema.org/draft-06/schema": jsonschema.Draft6Validator,
    "http://json-schema.org/draft-04/schema": jsonschema.Draft4Validator,
}
"""The drafts by what ``$schema`` says, without an empty fragment; the first is the default."""

ERRORS_MAX = 3
"""Errors of a document that a reason names."""
MESSAGE_LENGTH_MAX = 300
"""Characters of the library's sentence about an error that a reason quotes."""

AnyError: TypeAlias = ValidationError | SchemaError


class JsonSchemaFields(Fields):
    """What a check sets for this grader."""

    schema_: dict[str, Any] = Field(alias="schema")
    pattern: PatternText | None = None
    occurrence: Occurrence = "last"


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSchemaGrader(CodeGrader):
    """Passes where the document is strict JSON and valid.

    Attributes:
        schema: JSON text with sorted keys; a text, because a schema may hold what no event does
            (fractions, keys that are not ASCII).
        validator: made from ``schema`` alone.
    """

    name: ClassVar[str] = "json_schema"
    version: ClassVar[int] = 1
    schema: str
    extraction: Extraction | None
    validator: Validator = field(compare=False, repr=False)

    def configuration(self) -> JsonObject:
        """Return the fields, defaults filled in; the schema as text."""
        extraction: JsonObject = {"occurrence": "last", "pattern": None}
        if self.extraction is not None:
            extraction = self.extraction.configuration()
        return {"schema": self.schema, **extraction}

    def decide(self, evidence: Evidence, answers: Mapping[Digest, str]) -> Decision:
        """Return pass or fail; unproven (``grader_failed``) where the schema never ends."""
        text = self.extraction.extract(evidence.answer) if self.extraction else evidence.answer
        if isinstance(text, Miss):
            return _fail(f"The answer holds no JSON document: {text.reason}.")
        try:
            errors = self._validate(parse_strict_json(text))
        except MalformedJson as error:
            return _fail(f"The answer is not strict JSON: {error}.")
        except RecursionError:
            reason = "The schema leads back into itself, so that validation does not end."
            cause = Cause.GRADER_FAILED
            return Decision(verdict=Verdict.UNPROVEN, reason=reason, cause=cause)
        if errors:
            return _fail(" ".join(("The document is not valid.", *errors)))
        return Decision(verdict=Verdict.PASS, reason="The document is strict JSON and valid.")

    def _validate(self, document: Any) -> list[str]:
        found = list(islice(self.validator.iter_errors(document), ERRORS_MAX + 1))
        lines = [f"{_format_place(error)}: {_format_message(error)}." for error in found]
        return [*lines[:ERRORS_MAX], "More follow."] if len(found) > ERRORS_MAX else lines


def _fail(reason: str) -> Decision:
    return Decision(verdict=Verdict.FAIL, reason=reason)


def _format_place(error: AnyError) -> str:
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in error.absolute_path)
    pointer = "".join(f"/{part}" for part in parts)
    return f"At {format_quotation(pointer)}" if pointer else "At the root"


def _format_message(error: AnyError) -> str:
    """Return the library's sentence, short and printable: it quotes what the answer holds."""
    cut = error.message[:MESSAGE_LENGTH_MAX]
    message = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in cut)
    return message if cut == error.message else f"{message}…"


def make_json_schema(fields: Mapping[str, object]) -> JsonSchemaGrader:
    """Return the grader that the check's fields state.

    Raises:
        FaultyInput: a field is missing, unknown or has another form; the schema is invalid, or a
            reference in it leads nowhere.
    """
    read = read_fields(JsonSchemaFields, fields)
    if read.pattern is None and "occurrence" in read.model_fields_set:
        raise FaultyInput(["occurrence: it chooses among the matches of a pattern: state one too"])
    try:
        text = _format_schema(read.schema_)
        validator = _make_validator(parse_strict_json(text))
    except (MalformedJson, ValueError) as error:
        raise FaultyInput([f"schema: {error}"]) from error
    extraction = make_extraction(read.pattern, read.occurrence) if read.pattern else None
    return JsonSchemaGrader(schema=text, extraction=extraction, validator=validator)


def _format_schema(schema: object) -> str:
    try:
        return json.dumps(schema, allow_nan=False, default=_format_decimal, sort_keys=True)
    except (RecursionError, TypeError) as error:
        raise ValueError(f"it is not plain JSON: {error}") from error


def _format_decimal(value: object) -> int | float:
    """Return the number that JSON writes as the decimal ``value`` says."""
    if isinstance(value, Decimal) and value.is_finite():
        number = float(value)
        if Decimal(repr(number)) == value:
            return number
    raise TypeError(f"{value!r:.60} cannot be written as a JSON number")


def _make_validator(schema: object) -> Validator:
    """Return what validates under ``schema``, which came out of ``parse_strict_json``.

    Raises:
        ValueError: the schema is invalid; the message says where.
    """
    if not isinstance(schema, dict):
        raise ValueError("it is not an object")  # noqa: TRY004 - one error for every fault
    # The library falls back on its own classes wherever it meets $schema, past our keywords.
    named = schema.pop("$schema", next(iter(DRAFTS)))
    draft = DRAFTS.get(named.removesuffix("#")) if isinstance(named, str) else None
    if draft is None:
        raise ValueError(f"$schema is {named!r:.80}, which is none of {', '.join(DRAFTS)}")
    _check_schema(draft, schema)
    _check_references(draft, schema)
    keywords = {"multipleOf": _check_multiple, "uniqueItems": _check_unique}
    extended: type[Validator] = extend(draft, keywords)  # type: ignore[no-untyped-call]
    return extended(schema, registry=EMPTY_REGISTRY)


def _check_schema(draft: type[Validator], schema: Any) -> None:
    try:
        draft.check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"{_format_place(error)}: {_format_message(error)}") from error


def _check_references(draft: type[Validator], schema: dict[str, Any]) -> None:
    """Refuse a reference that leads nowhere, or to what is no schema; walk all that can be met."""
    dialect = next(name for name, known in DRAFTS.items() if known is draft)
    specification: Specification[Any] = specification_with(dialect)
    root = specification.create_resource(schema)
    to_do = [(root, REGISTRY.combine(EMPTY_REGISTRY).resolver_with_root(root))]
    seen: set[int] = set()
    while to_do:
        resource, resolver = to_do.pop()
        contents = resource.contents
        if not isinstance(contents, dict) or id(contents) in seen:
            continue
        seen.add(id(contents))
        _check_patterns(contents)
        for part in resource.subresources():
            if isinstance(part.contents, dict) and "$schema" in part.contents:
                raise ValueError("$schema stands at the root of a schema and nowhere else")
            to_do.append((part, resolver.in_subresource(part)))
        for reference in _list_references(contents):
            try:
                resolved = resolver.lookup(reference)
            except (Unresolvable, TypeError, ValueError) as error:
                raise ValueError(
                    f"the reference {reference!r:.200} leads nowhere; nothing is fetched: "
                    "put what it names under $defs"
                ) from error
            _check_schema(draft, resolved.contents)
            to_do.append((specification.create_resource(resolved.contents), resolved.resolver))


def _check_patterns(contents: Mapping[str, Any]) -> None:
    """Refuse a key of ``patternProperties`` that is none: the older metaschemas let it through."""
    for pattern in contents.get("patternProperties", ()):
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{pattern!r:.200} is not a regular expression: {error}") from error


def _list_references(contents: Mapping[str, object]) -> Iterator[str]:
    for keyword in ("$ref", "$dynamicRef"):
        reference = contents.get(keyword)
        if isinstance(reference, str):
            yield reference


def _check_multiple(
    validator: Validator, divisor: Any, instance: Any, schema: object
) -> Iterator[ValidationError]:
    """``multipleOf`` in fractions: the library's remainder ends at 28 digits."""
    del schema
    if not validator.is_type(instance, "number"):
        return
    if Fraction(instance) % Fraction(divisor):
        yield ValidationError(f"{instance!r} is not a multiple of {divisor!r}")


def _check_unique(
    validator: Validator, wanted: object, instance: Any, schema: object
) -> Iterator[ValidationError]:
    """``uniqueItems`` by hash: the library compares each pair of objects, for hours."""
    del schema
    if wanted and validator.is_type(instance, "array"):
        items = [_freeze(item) for item in instance]
        if len(set(items)) != len(items):
            yield ValidationError(f"{instance!r:.200} has non-unique elements")


def _freeze(value: object) -> object:
    """Return something hashable that equals another exactly where the JSON values are equal."""
    if isinstance(value, dict):
        return frozenset((key, _freeze(item)) for key, item in value.items())
    if isinstance(value, list):
        return tuple(_freeze(item) for item in value)
    # True is 1 in Python, and not in JSON.
    return str(value).encode() if isinstance(value, bool) else value
