r"""Quotations: how a reason shows a piece of somebody else's text.

An answer may hold anything: line breaks, NUL, lone surrogates that no event can carry, ten
megabytes. A quotation is short and printable, so every reason has a canonical form.

    >>> format_quotation("18\ud800")
    "'18\\ud800'"
"""

from collections.abc import Sequence

LENGTH_MAX = 80
"""Characters of a text that are shown; what is longer ends in an ellipsis."""
COUNT_MAX = 10
"""Texts of a list that are shown; the others are counted."""


def format_quotation(text: str) -> str:
    """Return ``text`` in quotes, with what cannot be printed escaped, cut to ``LENGTH_MAX``."""
    if len(text) <= LENGTH_MAX:
        return repr(text)
    return f"{text[:LENGTH_MAX]!r}…"


def format_quotations(texts: Sequence[str]) -> str:
    """Return the first ``COUNT_MAX`` of ``texts`` quoted, and how many more there are."""
    shown = ", ".join(format_quotation(text) for text in texts[:COUNT_MAX])
    more = len(texts) - COUNT_MAX
    return f"{shown} and {more} more" if more > 0 else shown
