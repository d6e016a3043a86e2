"""Faults of an input, gathered so that its author hears of all of them at once.

A fault is one line, "file: field: what is wrong; what to do". A reader of files raises
``FaultyInput`` for what it alone can see; ``Faults.attempt`` takes that in and goes on, and
``Faults.settle`` raises at the end, before anything is written anywhere.

    >>> format_fault("eval_suite.json: ", "checks[2].critical", "3 is not true or false")
    'eval_suite.json: checks[2].critical: 3 is not true or false'
    >>> format_fault("cases.jsonl line 3: ", "", "not JSON")
    'cases.jsonl line 3: not JSON'
"""

import difflib
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

from ledger.errors import FaultyInput

P = ParamSpec("P")
T = TypeVar("T")

LIKENESS = 0.7
"""How like a known name a misspelt one is (``difflib`` ratio): 'prompt' is like 'prompt_file'."""


class Faults:
    """The faults found so far, in the order of finding."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, prefix: str, field: str, what: str) -> None:
        """Note one more fault."""
        self.lines.append(format_fault(prefix, field, what))

    def attempt(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Return what ``call`` returns, or ``None`` after noting the faults that it raises."""
        try:
            return call(*args, **kwargs)
        except FaultyInput as error:
            self.lines.extend(error.faults)
            return None

    def settle(self) -> None:
        """Raise ``FaultyInput`` if there is any fault."""
        if self.lines:
            raise FaultyInput(self.lines)


def format_fault(prefix: str, field: str, what: str) -> str:
    """Return one fault's line.

    Args:
        prefix: the place, with the separator before a field: ``"a.json: "``, ``"a.json: [3]."``.
        field: the field's path from there; empty where the whole place is at fault.
    """
    return f"{prefix}{field}: {what}" if field else f"{prefix.rstrip(' :.')}: {what}"


def suggest_name(name: str, known: Iterable[str]) -> str:
    """Return what to do about an unknown name: the known one that it resembles, or all of them."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=LIKENESS)
    return f"did you mean {close[0]!r}?" if close else f"known are: {', '.join(names)}"
