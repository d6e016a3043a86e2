"""Quotations of somebody else's text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.quotation import format_quotation, format_quotations
from ledger.canonical import format_canonical


@pytest.mark.parametrize(
    ("text", "quoted"),
    [("a", "'a'"), ("\n\x00\ud800", "'\\n\\x00\\ud800'"), ("x" * 81, f"'{'x' * 80}'…")],
)
def test_a_quotation_is_short_and_printable(text, quoted):
    assert format_quotation(text) == quoted


def test_a_long_list_is_counted():
    assert format_quotations(["a"] * 12).endswith("'a' and 2 more")


@given(st.text(alphabet=st.characters(categories=["Cs", "Cc", "Lu", "Zs"])))
def test_every_quotation_has_a_canonical_form(text):
    assert format_canonical(format_quotation(text))
