"""The grader ``fact_value``: a fact that an answer states in words, against those of the key.

Fields of the check:

``fact_name``
    the fact of the case key, and the property of the suite's extraction schema; required.

A model reads the fact out of the answer (``graders/facts.py``), code compares it as text with each
accepted value, white space at the ends aside: 8 is ``8``, true is ``true``. Case counts, for the
words are the schema's and not the answer's: one that lists ``over`` takes no ``Over``. An answer
that does not state the fact fails. A key without the fact leaves the check unproven
(``reference_missing``), and so does a reply that cannot be read (``grader_unreadable``).

What is extracted here is an interpretation ("the refund was subtracted"), which need not stand in
the answer to the letter. So nothing holds it against the answer, and the reason shows it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from graders.facts import (
    EXTRACTOR,
    ExtractingFields,
    FactExtraction,
    format_fact,
    make_fact_extraction,
)
from graders.fields import Text, read_fields
from graders.grader import Decision, Diagnosis, Evidence, GraderRequest, fail
from graders.quotation import format_quotation, format_quotations
from graders.reply import Unusable, decline_reply
from ledger.canonical import JsonObject
from ledger.digest import Digest
from ledger.errors import FaultyInput
from ledger.outcomes import Cause, Verdict


class FactValueFields(ExtractingFields):
    """What a check sets for this grader."""

    fact_name: Annotated[Text, Field(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactValueGrader:
    """Passes where the stated fact is an accepted one."""

    name: ClassVar[str] = "fact_value"
    version: ClassVar[int] = 1
    fact_name: str
    extraction: FactExtraction

    @property
    def roles(self) -> tuple[str, ...]:
        """An extractor."""
        return (EXTRACTOR,)

    def configuration(self) -> JsonObject:
        """Return the fields."""
        return {"fact_name": self.fact_name, **self.extraction.configuration()}

    def plan(self, evidence: Evidence) -> tuple[GraderRequest, ...]:
        """Return the question for the facts."""
        return (self.extraction.make_request(evidence),)

    def is_readable(self, request: GraderRequest, answer: str) -> bool:
        """Return whether the extractor's reply can be read."""
        return self.extraction.is_readable(answer)

    def decide(self, evidence: Evidence, answers: Mapping[Digest, str]) -> Decision:
        """Return pass or fail; unproven where the key or the extractor's reply cannot serve."""
        fact = format_quotation(self.fact_name)
        accepted = evidence.key.facts.get(self.fact_name, ()) if evidence.key else ()
        if not accepted:
            reason = f"The key of the case states no {fact}."
            cause = Cause.REFERENCE_MISSING
            return Decision(verdict=Verdict.UNPROVEN, cause=cause, reason=reason)
        try:
            stated = self.extraction.read_fact(self.fact_name, evidence, answers)
        except Unusable as error:
            return decline_reply(EXTRACTOR, error)
        if stated is None:
            return fail(f"The answer does not state {fact}, says the extractor.")
        text = format_fact(stated)
        passes = text in {value.strip() for value in accepted}
        return Decision(
            verdict=Verdict.PASS if passes else Verdict.FAIL,
            reason=f"The extractor read {fact} as {format_quotation(text)}; accepted is "
            f"{format_quotations(accepted)}.",
        )

    def diagnose(self, evidence: Evidence, answers: Mapping[Digest, str]) -> tuple[Diagnosis, ...]:
        """Return nothing: words have no arithmetic."""
        return ()


def make_fact_value(fields: Mapping[str, object]) -> FactValueGrader:
    """Return the grader that the check's fields state.

    Raises:
        FaultyInput: a field is missing, unknown or has another form.
    """
    read = read_fields(FactValueFields, fields)
    if read.extraction_instructions is None or read.extraction_schema is None:
        raise FaultyInput(
            ["grader: a model has to read the fact: give the suite a fact_extraction"]
        )
    return FactValueGrader(
        fact_name=read.fact_name,
        extraction=make_fact_extraction(
            read.fact_name, read.extraction_instructions, read.extraction_schema
        ),
    )
