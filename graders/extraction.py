r"""Extraction by pattern: the part of an answer that a regular expression's one group captures.

1. A pattern is Python's ``re`` with exactly one capturing group, named or not; flags stand inside
   it (``(?i)``, ``(?s)``, ``(?m)``). Anything else is a fault of the suite.
2. ``occurrence`` says which match counts: the ``first``, the ``last``, or the ``only`` one, and
   then a second match is a miss. A match in which the group took no part does not count.
3. At most ``WINDOW`` characters are searched: the first ones for ``first``, the last ones for
   ``last``; an answer that is longer has no ``only`` match. A match that touches the edge where
   the answer was cut may be half of one, and does not count either.

Rule 3 bounds what a long answer can cost: an ordinary pattern takes well under a second. It cannot
bound a pattern that backtracks, such as ``(a+)+b`` (exponential) or ``(\s+)$`` (quadratic: an hour
on a million spaces). ``re`` has no limit of steps, and a limit of time would make the verdict
depend on the machine. Patterns are written by the suite's author, never taken from an answer: keep
one unbounded repetition out of another, and begin with a literal.

    >>> extraction = make_extraction("A: (.*)", "last")
    >>> extraction.extract("A: 17\nNo, wait.\nA: 18")
    '18'
"""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from graders.quotation import format_quotation
from ledger.canonical import JsonObject

WINDOW = 1_000_000
"""Characters that are searched; about twice the longest answer that a model gives today."""

Occurrence: TypeAlias = Literal["first", "last", "only"]


@dataclass(frozen=True, slots=True)
class Miss:
    """Nothing was extracted; ``reason`` is a clause that says why."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """A compiled pattern and the match that counts; made by ``make_extraction``."""

    pattern: re.Pattern[str]
    occurrence: Occurrence

    def configuration(self) -> JsonObject:
        """Return the two fields as the suite states them."""
        return {"occurrence": self.occurrence, "pattern": self.pattern.pattern}

    def extract(self, answer: str) -> str | Miss:
        """Return what the group captured in the match that counts, or why there is none."""
        size = len(answer)
        if self.occurrence == "only" and size > WINDOW:
            return Miss(f"the answer is too long to search for the only match ({size} characters)")
        start = max(0, size - WINDOW) if self.occurrence == "last" else 0
        end = min(size, start + WINDOW)
        found: str | None = None
        for match in self.pattern.finditer(answer, start, end):
            captured = match[1]
            if captured is None or (0 < start == match.start()) or (size > end == match.end()):
                continue
            if self.occurrence == "first":
                return captured
            if self.occurrence == "only" and found is not None:
                return Miss(f"{self._quote()} matches more than once")
            found = captured
        where = (
            "the answer" if end - start == size else f"the {self.occurrence} {WINDOW} characters"
        )
        return Miss(f"{self._quote()} matches nowhere in {where}") if found is None else found

    def _quote(self) -> str:
        return f"the pattern {format_quotation(self.pattern.pattern)}"


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return ``pattern`` compiled.

    Raises:
        ValueError: it is no regular expression, or has another number of capturing groups than
            one; the message says what to do.
    """
    compiled = compile_expression(pattern)
    if compiled.groups != 1:
        raise ValueError(
            f"it has {compiled.groups} capturing groups and takes exactly one: "
            "mark what is to be extracted with (...), and write (?:...) for the others"
        )
    return compiled


def compile_expression(pattern: str) -> re.Pattern[str]:
    """Return ``pattern`` compiled, whatever groups it has.

    Raises:
        ValueError: it is no regular expression; the message says why.
    """
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from error


def make_extraction(pattern: str, occurrence: Occurrence) -> Extraction:
    """Return the extraction that the two fields of a check state.

    Raises:
        ValueError: as ``compile_pattern``.
    """
    return Extraction(pattern=compile_pattern(pattern), occurrence=occurrence)
