"""The grader ``amount``: the amount that an answer states, against the accepted values of the key.

Fields of the check:

``fact_name``
    the fact of the case key that holds the accepted values; required.
``pattern``, ``occurrence``
    how code extracts the amount (``graders/extraction.py``); ``occurrence`` is ``last`` by default.
    Without a pattern a model reads the fact ``fact_name`` out of the answer, as the suite's
    ``fact_extraction`` says (``graders/facts.py``), and code compares it all the same.
``tolerance``
    the largest difference that passes, a decimal string; ``0.01`` by default, which is one cent.

An answer that states no amount fails: that is what the check asks for, not an error of the grader.
Only a key that lacks the fact, or states it in words, leaves the check unproven.

An extractor that repairs the answer would hide the defect that is being measured. So an amount that
a model reports has to stand in the answer, in whatever spelling (``find_numerals``). If it does
not, nobody knows what the answer states: the reply is no reading of it, and the check is unproven
(``grader_unreadable``). It is not asked for again: an extractor that may try until its figure fits
is no witness. A figure that stands elsewhere in the answer, or with another sign, passes this rule;
the reason shows what was extracted, and the reply is kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from typing import Annotated, ClassVar

from pydantic import Field

from graders.diagnosis import diagnose_total
from graders.explanation import state_diagnosis
from graders.extraction import Extraction, Miss, Occurrence, make_extraction
from graders.facts import (
    EXTRACTOR,
    ExtractingFields,
    Fact,
    FactExtraction,
    format_fact,
    make_fact_extraction,
)
from graders.fields import PatternText, Text, read_fields
from graders.grader import Decision, Diagnosis, Evidence, GraderRequest, fail
from graders.numerals import LENGTH_MAX, find_numerals, parse_numeral
from graders.quotation import format_quotation, format_quotations
from graders.reply import Unreadable, Unusable, decline_reply
from ledger.canonical import JsonObject
from ledger.digest import Digest
from ledger.errors import FaultyInput
from ledger.outcomes import Cause, Verdict


class AmountFields(ExtractingFields):
    """What a check sets for this grader."""

    fact_name: Annotated[Text, Field(min_length=1)]
    pattern: PatternText | None = None
    occurrence: Occurrence = "last"
    tolerance: Annotated[str, Field(pattern=r"^[0-9]{1,40}(\.[0-9]{1,40})?$")] = "0.01"


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountGrader:
    """Passes where the stated amount is within ``tolerance`` of an accepted one."""

    name: ClassVar[str] = "amount"
    version: ClassVar[int] = 1
    fact_name: str
    extraction: Extraction | FactExtraction
    tolerance: Decimal

    def configuration(self) -> JsonObject:
        """Return the fields, defaults filled in."""
        return {
            "fact_name": self.fact_name,
            "tolerance": f"{self.tolerance:f}",
            **self.extraction.configuration(),
        }

    @property
    def roles(self) -> tuple[str, ...]:
        """An extractor, unless a pattern extracts."""
        return (EXTRACTOR,) if isinstance(self.extraction, FactExtraction) else ()

    def plan(self, evidence: Evidence) -> tuple[GraderRequest, ...]:
        """Return the question for the facts, unless a pattern extracts."""
        extraction = self.extraction
        return (
            (extraction.make_request(evidence),) if isinstance(extraction, FactExtraction) else ()
        )

    def is_readable(self, request: GraderRequest, answer: str) -> bool:
        """Return whether the extractor's reply can be read."""
        return not isinstance(self.extraction, FactExtraction) or self.extraction.is_readable(
            answer
        )

    def decide(self, evidence: Evidence, answers: Mapping[Digest, str]) -> Decision:
        """Return pass or fail; unproven where the key or the extractor's reply cannot serve."""
        written = evidence.key.facts.get(self.fact_name, ()) if evidence.key else ()
        accepted = [value for text in written if (value := parse_numeral(text)) is not None]
        if not written or len(accepted) != len(written):
            return self._decline(written)
        try:
            reported = self._read(evidence, answers)
        except Unusable as error:
            return decline_reply(EXTRACTOR, error)
        if isinstance(reported, Miss):
            return fail(f"The answer states no amount: {reported.reason}.")
        return self._compare(reported, accepted)

    def diagnose(self, evidence: Evidence, answers: Mapping[Digest, str]) -> tuple[Diagnosis, ...]:
        """Return what would explain a wrong amount, where the key has the entries of its total."""
        reference = evidence.key.reference if evidence.key else None
        total = reference.find_total(self.fact_name) if reference else None
        if reference is None or total is None:
            return ()
        reported = self._read(evidence, answers)
        if isinstance(reported, Miss):
            return ()
        found = diagnose_total(reference, total.category, total.period, reported)
        return (state_diagnosis(found),)

    def _read(self, evidence: Evidence, answers: Mapping[Digest, str]) -> Decimal | Miss:
        """Return the amount that the answer states, or why it states none.

        Raises:
            Unusable: the extractor's reply cannot be read, or states what the answer does not.
        """
        if isinstance(self.extraction, FactExtraction):
            fact = self.extraction.read_fact(self.fact_name, evidence, answers)
            return _read_stated(fact, self.fact_name, evidence.answer)
        extracted = self.extraction.extract(evidence.answer)
        if isinstance(extracted, Miss):
            return extracted
        return _parse(extracted)

    def _decline(self, written: tuple[str, ...]) -> Decision:
        fact = format_quotation(self.fact_name)
        reason = (
            f"The key states {fact} as {format_quotations(written)}, not all of which are amounts."
            if written
            else f"The key of the case states no {fact}."
        )
        cause = Cause.REFERENCE_MISSING
        return Decision(verdict=Verdict.UNPROVEN, reason=reason, cause=cause)

    def _compare(self, reported: Decimal, accepted: list[Decimal]) -> Decision:
        difference = min(_measure_difference(reported, value) for value in accepted)
        passes = difference <= self.tolerance
        values = " or ".join(f"{value:f}" for value in accepted[:10])
        return Decision(
            verdict=Verdict.PASS if passes else Verdict.FAIL,
            reason=(
                f"The answer states {reported:f}; accepted is {values}. The difference, "
                f"{difference:f}, is {'within' if passes else 'above'} the tolerance of "
                f"{self.tolerance:f}."
            ),
        )


def _read_stated(fact: Fact | None, name: str, answer: str) -> Decimal | Miss:
    """Return the amount that an extractor reports, which the answer has to state."""
    if fact is None:
        return Miss(f"the extractor found no {format_quotation(name)} in it")
    reported = _parse(format_fact(fact))
    # Not abs(): it would round to the precision of the thread's decimal context.
    if isinstance(reported, Decimal) and reported.copy_abs() not in find_numerals(answer):
        raise Unreadable(f"it reports {reported:f}, which stands nowhere in the answer")
    return reported


def _parse(text: str) -> Decimal | Miss:
    reported = parse_numeral(text)
    return Miss(f"{format_quotation(text)} is not one") if reported is None else reported


def _measure_difference(one: Decimal, other: Decimal) -> Decimal:
    # A context of our own: the thread's would round to 28 digits. Two numerals of LENGTH_MAX
    # digits differ in at most twice as many and a carry; a rounding would raise.
    exact = Context(prec=2 * LENGTH_MAX + 1, traps=[Inexact])
    return exact.subtract(one, other).copy_abs()


def make_amount(fields: Mapping[str, object]) -> AmountGrader:
    """Return the grader that the check's fields state.

    Raises:
        FaultyInput: a field is missing, unknown or has another form.
    """
    read = read_fields(AmountFields, fields)
    return AmountGrader(
        fact_name=read.fact_name,
        extraction=_make_extraction(read),
        tolerance=Decimal(read.tolerance),
    )


def _make_extraction(read: AmountFields) -> Extraction | FactExtraction:
    instructions, schema = read.extraction_instructions, read.extraction_schema
    if read.pattern is not None:
        if instructions is not None or schema is not None:
            raise FaultyInput(["pattern: it extracts already, and so would the fact_extraction"])
        return make_extraction(read.pattern, read.occurrence)
    if "occurrence" in read.model_fields_set:
        raise FaultyInput(["occurrence: it chooses among the matches of a pattern: state one too"])
    if instructions is None or schema is None:
        raise FaultyInput(
            ["pattern: it is missing; state one, or give the suite a fact_extraction"]
        )
    return make_fact_extraction(read.fact_name, instructions, schema)
