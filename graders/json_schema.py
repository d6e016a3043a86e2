"""The grader ``json_schema``: whether an answer is one JSON document of the shape that was asked.

Fields of the check:

``schema``
    the schema, an object: what the suite's ``schema_file`` holds, parsed; required.
``pattern``, ``occurrence``
    how the document is extracted from the answer (``graders/extraction.py``), for example out of a
    fenced block; without a pattern the whole answer has to be the document.

The document is strict JSON (``graders/strict_json.py``), or the check fails with the reason; how it
is held against the schema is in ``graders/schemas.py``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from jsonschema.protocols import Validator
from pydantic import Field

from graders.code import CodeGrader
from graders.extraction import Extraction, Miss, Occurrence, make_extraction
from graders.fields import Fields, PatternText, read_fields
from graders.grader import Decision, Evidence, fail
from graders.schemas import format_schema, list_errors, make_validator
from graders.strict_json import MalformedJson, parse_strict_json
from ledger.canonical import JsonObject
from ledger.digest import Digest
from ledger.errors import FaultyInput
from ledger.outcomes import Cause, Verdict


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
            return fail(f"The answer holds no JSON document: {text.reason}.")
        try:
            errors = list_errors(self.validator, parse_strict_json(text))
        except MalformedJson as error:
            return fail(f"The answer is not strict JSON: {error}.")
        except RecursionError:
            reason = "The schema leads back into itself, so that validation does not end."
            cause = Cause.GRADER_FAILED
            return Decision(verdict=Verdict.UNPROVEN, reason=reason, cause=cause)
        if errors:
            return fail(" ".join(("The document is not valid.", *errors)))
        return Decision(verdict=Verdict.PASS, reason="The document is strict JSON and valid.")


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
        text = format_schema(read.schema_)
        validator = make_validator(parse_strict_json(text))
    except (MalformedJson, ValueError) as error:
        raise FaultyInput([f"schema: {error}"]) from error
    extraction = make_extraction(read.pattern, read.occurrence) if read.pattern else None
    return JsonSchemaGrader(schema=text, extraction=extraction, validator=validator)
