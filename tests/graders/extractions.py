"""A fact extraction, and the evidence of a trial together with what an extractor replied."""

import json
from typing import Any

from graders.grader import Decision, Evidence, Grader, Key
from graders.reference import Reference

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["dining_august_total", "travel_august_total"],
    "properties": {
        "dining_august_total": {"type": ["string", "number", "boolean", "null"]},
        "travel_august_total": {"type": ["string", "null"]},
        "refund": {"enum": ["subtracted", "added", "not_mentioned", None]},
        "entries": {},
    },
}
EXTRACTION: dict[str, Any] = {
    "extraction_instructions": "Copy what the answer states.\n",
    "extraction_schema": SCHEMA,
}


def make_evidence(
    answer: str, reference: Reference | None = None, **facts: tuple[str, ...]
) -> Evidence:
    """Return what a trial left, and a key with these facts."""
    key = Key(facts=facts, reference=reference)
    return Evidence(case="c", variant="v", answer=answer, key=key)


def make_reply(**facts: Any) -> str:
    """Return the reply of an extractor that states these facts, and the required others as null."""
    nothing = dict.fromkeys(SCHEMA["required"])
    return json.dumps(nothing | facts)


def decide_by(grader: Grader, evidence: Evidence, reply: str) -> Decision:
    """Return what follows where the one question got ``reply``."""
    (request,) = grader.plan(evidence)
    return grader.decide(evidence, {request.address(): reply})
