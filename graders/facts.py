"""Facts that a model reads out of an answer: the one question, and how its reply is read.

1. The question is the suite's instructions, the answer in its fence and the suite's schema. The key
   is no part of it, nor is anything that differs between two checks: all checks of a trial that
   rest on facts share one call.
2. A reply is one JSON object (``graders/reply.py``) that the schema takes. Any other is unreadable
   and asked for once more; then every check that rests on it is unproven (``grader_unreadable``).
3. A fact that is ``null``, or that the schema allows to be absent, is one that the answer does not
   state.
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from jsonschema.protocols import Validator

from graders.fence import format_fence
from graders.fields import Fields, Text
from graders.grader import Evidence, GraderRequest
from graders.reply import Unreadable, find_reply, parse_reply
from graders.schemas import format_schema, list_errors, make_validator
from graders.strict_json import MalformedJson, parse_strict_json
from ledger.canonical import JsonObject
from ledger.digest import Digest
from ledger.errors import FaultyInput

EXTRACTOR = "extractor"
"""The role of the question."""
LIKENESS = 0.7
"""How like a known name a misspelt one is, as for all names of a suite file."""

Fact = str | int | Decimal | bool
"""What a reply may state for a fact."""


class ExtractingFields(Fields):
    """What the suite's ``fact_extraction`` sets for a check's grader."""

    extraction_instructions: Text | None = None
    extraction_schema: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactExtraction:
    """The question for the facts of an answer; made by ``make_fact_extraction``.

    Attributes:
        instructions: what the extractor is told.
        schema: JSON text with sorted keys.
        validator: made from ``schema`` alone.
    """

    instructions: str
    schema: str
    validator: Validator = field(compare=False, repr=False)

    def configuration(self) -> JsonObject:
        """Return the two fields."""
        return {"extraction_instructions": self.instructions, "extraction_schema": self.schema}

    def make_request(self, evidence: Evidence) -> GraderRequest:
        """Return the question about the answer of a trial."""
        answer = format_fence("answer", evidence.answer)
        return GraderRequest(
            role=EXTRACTOR, prompt=f"{self.instructions.strip()}\n\n{answer}\n", schema=self.schema
        )

    def is_readable(self, reply: str) -> bool:
        """Return whether ``read_fact`` can read ``reply``."""
        try:
            self._read(reply)
        except Unreadable:
            return False
        return True

    def read_fact(
        self, name: str, evidence: Evidence, answers: Mapping[Digest, str]
    ) -> Fact | None:
        """Return the fact that the recorded reply states; ``None`` for one that it does not.

        Raises:
            Unusable: there is no reply, or it cannot be read, or states the fact as no plain value.
        """
        fact = self._read(find_reply(self.make_request(evidence), answers)).get(name)
        if fact is None or isinstance(fact, str | int | Decimal):
            return fact
        raise Unreadable("the fact is a list or an object")

    def _read(self, reply: str) -> dict[str, Any]:
        document = parse_reply(reply)
        try:
            errors = list_errors(self.validator, document)
        except RecursionError as error:
            raise Unreadable("the schema leads back into itself") from error
        if errors:
            # Each line is a sentence; the last full stop comes with the reason.
            raise Unreadable(f"the schema refuses it: {' '.join(errors).removesuffix('.')}")
        return document


def format_fact(fact: Fact) -> str:
    """Return a stated fact as text: a boolean as JSON writes it, a number in plain digits."""
    if isinstance(fact, bool):
        return "true" if fact else "false"
    return f"{fact:f}" if isinstance(fact, Decimal) else str(fact).strip()


def make_fact_extraction(
    fact_name: str, instructions: str, schema: Mapping[str, object]
) -> FactExtraction:
    """Return the question that the suite's ``fact_extraction`` states.

    Args:
        fact_name: which property of the schema a check reads.
        instructions: text.
        schema: as parsed.

    Raises:
        FaultyInput: the schema is none, or has no such property.
    """
    try:
        text = format_schema(schema)
        validator = make_validator(parse_strict_json(text))
    except (MalformedJson, ValueError) as error:
        raise FaultyInput([f"extraction_schema: {error}"]) from error
    properties = schema.get("properties")
    if not isinstance(properties, dict) or fact_name not in properties:
        what = f"{fact_name!r:.80} is no property of the extraction schema"
        known = sorted(properties) if isinstance(properties, dict) else []
        raise FaultyInput([f"fact_name: {what}; {_suggest_name(fact_name, known)}"])
    return FactExtraction(instructions=instructions, schema=text, validator=validator)


def _suggest_name(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1, cutoff=LIKENESS)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"it has {', '.join(known)}" if known else "it has none"
