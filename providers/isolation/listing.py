r"""Listings: names that a session chose, as one line of a note can carry them.

1. a name is shown as it is where it is printable; other characters and bytes are escaped;
2. a listing has at most NAMES_MAX names, and then says how many more there are.

    >>> show_name("a\nb")
    'a\\nb'
    >>> format_listing("left", ["a.txt", "b.txt"])
    'left: a.txt, b.txt'
"""

from collections.abc import Sequence

NAMES_MAX = 20
"""Names in a listing: as many as a reader takes in, and far below what an event holds."""
NAME_LENGTH_MAX = 120
"""Characters of a name that are shown."""


def show_name(name: str) -> str:
    """Return ``name``, a path as Python decodes it, in printable characters; a long one is cut."""
    shown = "".join(map(_show_sign, name[: NAME_LENGTH_MAX + 1]))
    return shown if len(shown) <= NAME_LENGTH_MAX else f"{shown[:NAME_LENGTH_MAX]}…"


def format_listing(label: str, names: Sequence[str], *, is_whole: bool = True) -> str:
    """Return one line with the ``names``, each fit to be shown.

    Args:
        label: what they have in common.
        names: at least one.
        is_whole: whether they are all that there are.
    """
    rest = len(names) - NAMES_MAX
    shown = [*names[:NAMES_MAX]]
    if not is_whole:
        shown.append(f"and more than {max(rest, 0):,} more")
    elif rest > 0:
        shown.append(f"and {rest:,} more")
    return f"{label}: {', '.join(shown)}"


def _show_sign(sign: str) -> str:
    if sign.isprintable():
        return sign
    if "\udc80" <= sign <= "\udcff":  # A byte that is not UTF-8 (PEP 383).
        return f"\\x{ord(sign) - 0xDC00:02x}"
    return sign.encode("unicode_escape").decode()
