r"""The grader ``phrases``: what an answer has to say, and what it may not say.

Fields of the check, both optional: ``must_include`` and ``must_not_include``, lists of phrases that
are added to those of the case key. Phrase and answer are folded alike, and then a phrase is there
where the answer contains it, inside a longer word too (``12`` is in ``120``: write ``12 eggs``).
Folding, in order:

1. invisible characters go: the soft hyphen, zero-width space, word joiner and byte order mark;
2. every hyphen, dash and minus becomes ``-``, every typographic quotation mark ``"`` or ``'``;
3. case goes, by Unicode's full case folding, and composed and decomposed letters become the same
   (NFC). Not NFKC: it would make ``10²`` into ``102``;
4. each run of white space, line breaks and no-break spaces among them, becomes one space, and none
   stays at either end.

``a - b`` and ``a-b`` stay apart, and so do an ellipsis and three full stops.

    >>> fold_phrase("Don’t  re\u2011enter\n")
    "don't re-enter"
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from graders.code import CodeGrader
from graders.fields import Fields, Text, read_fields
from graders.grader import Decision, Evidence, Key
from graders.quotation import format_quotations
from ledger.canonical import JsonObject
from ledger.digest import Digest
from ledger.outcomes import Cause, Verdict

INVISIBLE = "\u00ad\u200b\u2060\ufeff"
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d"
SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2039\u203a\u02bc"
DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u00ab\u00bb"

_FOLDED = str.maketrans(
    {
        **dict.fromkeys(INVISIBLE, ""),
        **dict.fromkeys(DASHES, "-"),
        **dict.fromkeys(SINGLE_QUOTES, "'"),
        **dict.fromkeys(DOUBLE_QUOTES, '"'),
    }
)


def fold_phrase(text: str) -> str:
    """Return ``text`` folded by the module's rules; what is folded stays as it is."""
    # NFD around the case folding is Unicode's canonical caseless match (chapter 3.13, D145).
    decomposed = unicodedata.normalize("NFD", text.translate(_FOLDED))
    folded = unicodedata.normalize("NFC", decomposed.casefold())
    return " ".join(folded.split())


def _check_phrase(phrase: str) -> str:
    if not fold_phrase(phrase):
        raise ValueError("an empty phrase is in every answer: leave it out")
    return phrase


Phrase = Annotated[Text, AfterValidator(_check_phrase)]


class PhrasesFields(Fields):
    """What a check sets for this grader."""

    must_include: list[Phrase] = Field(default_factory=list)
    must_not_include: list[Phrase] = Field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhrasesGrader(CodeGrader):
    """Passes where every required phrase is there, and no forbidden one."""

    name: ClassVar[str] = "phrases"
    version: ClassVar[int] = 1
    must_include: tuple[str, ...] = ()
    must_not_include: tuple[str, ...] = ()

    def configuration(self) -> JsonObject:
        """Return the fields, defaults filled in."""
        return {
            "must_include": list(self.must_include),
            "must_not_include": list(self.must_not_include),
        }

    def decide(self, evidence: Evidence, answers: Mapping[Digest, str]) -> Decision:
        """Return pass or fail; without any phrase, unproven or not applicable.

        Where nobody wrote a key and the check has no phrases either, the reference is missing; a
        key without phrases says that the check does not apply to this case.
        """
        key = evidence.key or Key()
        required = self.must_include + key.must_include
        forbidden = self.must_not_include + key.must_not_include
        if not required and not forbidden:
            return _decline(evidence.key)
        if not all(map(fold_phrase, required + forbidden)):
            cause = Cause.REFERENCE_MISSING
            reason = "A phrase of the key is empty, which every answer contains."
            return Decision(verdict=Verdict.UNPROVEN, reason=reason, cause=cause)
        answer = fold_phrase(evidence.answer)
        missing = [phrase for phrase in required if fold_phrase(phrase) not in answer]
        found = [phrase for phrase in forbidden if fold_phrase(phrase) in answer]
        if missing or found:
            return Decision(verdict=Verdict.FAIL, reason=_format_reason(missing, found))
        reason = f"Required and there: {len(required)}. Forbidden and not there: {len(forbidden)}."
        return Decision(verdict=Verdict.PASS, reason=reason)


def _decline(key: Key | None) -> Decision:
    if key is None:
        reason = "Nobody wrote a key for this case, and the check has no phrases of its own."
        cause = Cause.REFERENCE_MISSING
        return Decision(verdict=Verdict.UNPROVEN, reason=reason, cause=cause)
    reason = "The key requires and forbids no phrase in this case."
    return Decision(verdict=Verdict.NOT_APPLICABLE, reason=reason)


def _format_reason(missing: list[str], found: list[str]) -> str:
    parts = [f"Required and missing: {format_quotations(missing)}."] if missing else []
    if found:
        parts.append(f"Forbidden and there: {format_quotations(found)}.")
    return " ".join(parts)


def make_phrases(fields: Mapping[str, object]) -> PhrasesGrader:
    """Return the grader that the check's fields state.

    Raises:
        FaultyInput: a field is unknown or has another form, or a phrase is empty.
    """
    read = read_fields(PhrasesFields, fields)
    return PhrasesGrader(
        must_include=tuple(read.must_include), must_not_include=tuple(read.must_not_include)
    )
