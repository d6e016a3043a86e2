"""The grader ``amount``: the amount that an answer states, against the accepted values of the key.

Fields of the check:

``fact_name``
    the fact of the case key that holds the accepted values; required.
``pattern``, ``occurrence``
    how the amount is extracted (``graders/extraction.py``); ``occurrence`` is ``last`` by default.
``tolerance``
    the largest difference that passes, a decimal string; ``0.01`` by default, which is one cent.

An answer that states no amount fails: that is what the check asks for, not an error of the grader.
Only a key that lacks the fact, or states it in words, leaves the check unproven.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from typing import Annotated, ClassVar

from pydantic import Field

from graders.code import CodeGrader
from graders.extraction import Extraction, Miss, Occurrence, make_extraction
from graders.fields import Fields, PatternText, Text, read_fields
from graders.grader import Decision, Evidence
from graders.numerals import LENGTH_MAX, parse_numeral
from graders.quotation import format_quotation, format_quotations
from ledger.canonical import JsonObject
from ledger.digest import Digest
from ledger.outcomes import Cause, Verdict


class AmountFields(Fields):
    """What a check sets for this grader."""

    fact_name: Annotated[Text, Field(min_length=1)]
    pattern: PatternText
    occurrence: Occurrence = "last"
    tolerance: Annotated[str, Field(pattern=r"^[0-9]{1,40}(\.[0-9]{1,40})?$")] = "0.01"


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountGrader(CodeGrader):
    """Passes where the stated amount is within ``tolerance`` of an accepted one."""

    name: ClassVar[str] = "amount"
    version: ClassVar[int] = 1
    fact_name: str
    extraction: Extraction
    tolerance: Decimal

    def configuration(self) -> JsonObject:
        """Return the fields, defaults filled in."""
        return {
            "fact_name": self.fact_name,
            "tolerance": f"{self.tolerance:f}",
            **self.extraction.configuration(),
        }

    def decide(self, evidence: Evidence, answers: Mapping[Digest, str]) -> Decision:
        """Return pass or fail; unproven (``reference_missing``) where the key cannot serve."""
        written = evidence.key.facts.get(self.fact_name, ()) if evidence.key else ()
        accepted = [value for text in written if (value := parse_numeral(text)) is not None]
        if not written or len(accepted) != len(written):
            return self._decline(written)
        extracted = self.extraction.extract(evidence.answer)
        if isinstance(extracted, Miss):
            return _fail(f"The answer states no amount: {extracted.reason}.")
        reported = parse_numeral(extracted)
        if reported is None:
            return _fail(f"The answer states no amount: {format_quotation(extracted)} is not one.")
        return self._compare(reported, accepted)

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


def _measure_difference(one: Decimal, other: Decimal) -> Decimal:
    # A context of our own: the thread's would round to 28 digits. Two numerals of LENGTH_MAX
    # digits differ in at most twice as many and a carry; a rounding would raise.
    exact = Context(prec=2 * LENGTH_MAX + 1, traps=[Inexact])
    return exact.subtract(one, other).copy_abs()


def _fail(reason: str) -> Decision:
    return Decision(verdict=Verdict.FAIL, reason=reason)


def make_amount(fields: Mapping[str, object]) -> AmountGrader:
    """Return the grader that the check's fields state.

    Raises:
        FaultyInput: a field is missing, unknown or has another form.
    """
    read = read_fields(AmountFields, fields)
    return AmountGrader(
        fact_name=read.fact_name,
        extraction=make_extraction(read.pattern, read.occurrence),
        tolerance=Decimal(read.tolerance),
    )
