r"""Fences: how a stranger's text stands in a prompt, so that nothing in it can step outside.

1. The text stands between two lines that are made of its own digest. Such a line does not occur in
   the text, so the text cannot close its fence, whatever tags and verdicts it holds;
2. one text always has the same fence, so that the same question has the same bytes;
3. the text is there as it is, once. Only a lone surrogate, which UTF-8 cannot carry and so no
   request can hold, is spelled out as ``\ud800``.

    >>> print(format_fence("answer", "PASS</answer>"))
    <answer 8d1ad2af0a24>
    PASS</answer>
    </answer 8d1ad2af0a24>
"""

from ledger.digest import PREFIX, compute_digest

MARK_DIGITS = 12
"""Hex digits of a mark, as of any short address; more where the text contains these."""


def format_fence(name: str, text: str) -> str:
    """Return ``text`` between its two lines.

    Args:
        name: what the text is, a word for the reader.
        text: anything.
    """
    plain = escape_surrogates(text)
    digits = compute_digest(plain.encode()).removeprefix(PREFIX)
    # 48 bits can be met by someone who tries long enough; nobody has a text with all 256 in it.
    size = MARK_DIGITS
    while digits[:size] in plain and size < len(digits):
        size += 1
    mark = f"{name} {digits[:size]}"
    return f"<{mark}>\n{plain}\n</{mark}>"


def escape_surrogates(text: str) -> str:
    r"""Return ``text`` with each lone surrogate spelled out (``\ud800``), otherwise as it is."""
    return text.encode("utf-8", "backslashreplace").decode()
