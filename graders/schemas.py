"""JSON schemas: made sure of at load, and held against strict JSON exactly.

1. A schema is of the draft that its ``$schema`` names, by default 2020-12; ``format`` is an
   annotation and asserts nothing, as 2020-12 has it;
2. a reference leads into the schema itself or to a published metaschema. Nothing is ever fetched:
   any other reference is a fault at load, and so is a schema that its metaschema refuses;
3. numbers compare exactly, as decimals: ``0.3`` is a multiple of ``0.1``, and ``1.0`` is an
   integer in every draft. A schema that reaches us through floats is taken at their shortest
   spelling, which is how they were written (up to 15 digits).

A ``pattern`` inside a schema is Python's ``re``; what ``graders/extraction.py`` says about patterns
that backtrack holds for it too.
"""

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any, TypeAlias

import jsonschema
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
from referencing import Specification
from referencing.exceptions import Unresolvable
from referencing.jsonschema import EMPTY_REGISTRY, specification_with

from graders.quotation import format_quotation

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


def list_errors(validator: Validator, document: Any) -> list[str]:
    """Return a line for each of the first errors of ``document``; none where it is valid.

    Raises:
        RecursionError: the schema leads back into itself, so that validation does not end.
    """
    found = list(islice(validator.iter_errors(document), ERRORS_MAX + 1))
    lines = [f"{_format_place(error)}: {_format_message(error)}." for error in found]
    return [*lines[:ERRORS_MAX], "More follow."] if len(found) > ERRORS_MAX else lines


def format_schema(schema: object) -> str:
    """Return ``schema`` as JSON text with sorted keys.

    Raises:
        ValueError: it holds what JSON cannot write.
    """
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


def make_validator(schema: object) -> Validator:
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


def _format_place(error: AnyError) -> str:
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in error.absolute_path)
    pointer = "".join(f"/{part}" for part in parts)
    return f"At {format_quotation(pointer)}" if pointer else "At the root"


def _format_message(error: AnyError) -> str:
    """Return the library's sentence, short and printable: it quotes what the answer holds."""
    cut = error.message[:MESSAGE_LENGTH_MAX]
    message = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in cut)
    return message if cut == error.message else f"{message}…"
