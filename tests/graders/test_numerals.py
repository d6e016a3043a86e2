"""The decimal that a text states."""

from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.numerals import LENGTH_MAX, find_numerals, parse_numeral

THIN, FIGURE, NO_BREAK, NARROW = "\u2009", "\u2007", "\u00a0", "\u202f"
MINUS, EN_DASH, EM_DASH, HYPHEN, WIDE = "\u2212", "\u2013", "\u2014", "\u2010", "\uff0d"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("18", "18"),
        (" 18.\n", "18"),
        ("007", "7"),
        ("1.50", "1.50"),
        (".5", "0.5"),
        ("1.234", "1.234"),
        ("1,234", "1234"),
        ("1,234,567.89", "1234567.89"),
        ("12,34,567", "1234567"),
        ("1'234.5", "1234.5"),
        ("1\u2019234\u2019567", "1234567"),
        ("1_234", "1234"),
        (f"1{NARROW}234{NARROW}567,5", "1234567.5"),
        (f"1{NO_BREAK}234.56", "1234.56"),
        (f"1{THIN}234", "1234"),
        (f"1{FIGURE}234", "1234"),
        ("1.234,56", "1234.56"),
        ("1.234.567", "1234567"),
        ("+5", "5"),
        ("-5", "-5"),
        (f"{MINUS}5", "-5"),
        (f"{EN_DASH}5", "-5"),
        (f"{HYPHEN}5", "-5"),
        (f"{WIDE}5", "-5"),
        ("$5", "5"),
        ("$ 5", "5"),
        ("-$5", "-5"),
        ("$-5", "-5"),
        ("US$1,234.50", "1234.50"),
        ("5\u20ac", "5"),
        (f"1.234,50{NO_BREAK}\u20ac", "1234.50"),
        ("USD 5", "5"),
        ("5 EUR.", "5"),
        ("$5.00 USD", "5.00"),
        ("5%", "5"),
        ("5 %.", "5"),
        ("(1,234.50)", "-1234.50"),
        ("($5)", "-5"),
        ("$(5)", "-5"),
        ("-0", "0"),
    ],
)
def test_a_numeral_states_one_decimal(text, value):
    assert str(parse_numeral(text)) == str(Decimal(value))


@pytest.mark.parametrize(
    "text",
    [
        *("", ".", ",", "-", "$", "()", "( )", "%", "five", "NaN", "Infinity", "1e5", "1E999999"),
        *("1,23", "0,5", "0,123", "1,2345", "12,345,6", "1234,567", "1'234,567", "1.234,567"),
        *("1,234.567,8", "1.2.3", "1,234'567", "3 100", "1 2", "5-10", "1/2", "\u00bd", "5-"),
        *("--5", "-$-5", "- 5", f"{EM_DASH}5", "(-5)", "-(5)", "(5", "5)", "5..", "5,", "~5"),
        *("5\u00a2", "$5%", "\u20ac5$", "USD 5 USD", "ABC 5", "5 dollars", "\u0665", "\uff15"),
        *("5\x00", "\ud8005", "5\n6", "**5**"),
    ],
)
def test_what_is_ambiguous_or_no_numeral_is_refused(text):
    assert parse_numeral(text) is None


@pytest.mark.parametrize("text", ["9" * 10_000_000, "1," * 5_000_000, " " * 10_000_000 + "x"])
def test_ten_megabytes_are_no_amount(text):
    assert parse_numeral(text) is None


def test_no_digit_is_rounded_whatever_the_thread_has_set():
    digits = "-" + "9" * (LENGTH_MAX - 1)
    with localcontext(prec=5):
        value = parse_numeral(digits)
    assert str(value) == digits


def _group(digits: str, separator: str) -> str:
    return f"{int(digits):,}".replace(",", separator)


@given(
    value=st.decimals(min_value=0, max_value=10**15, places=2),
    separator=st.sampled_from(["", ",", "'", "_", NO_BREAK, NARROW, THIN]),
    before=st.sampled_from(["", "$", "USD ", "\u20ac", "A$"]),
    sign=st.sampled_from(["", "+", "-", MINUS, EN_DASH]),
    end=st.sampled_from(["", ".", " ", ".\n"]),
)
def test_however_it_is_written_it_is_the_same_decimal(value, separator, before, sign, end):
    whole, decimals = f"{value:f}".split(".")
    text = f"{sign}{before}{_group(whole, separator)}.{decimals}{end}"
    assert parse_numeral(text) == (value if sign in ("", "+") else -value)


@given(value=st.decimals(min_value=1000, max_value=10**15, places=2))
def test_a_decimal_comma_behind_thousands_is_read(value):
    whole, decimals = f"{value:f}".split(".")
    assert parse_numeral(f"{_group(whole, '.')},{decimals} \u20ac") == value


@given(st.text(alphabet="0123456789.,'-+()$% eE\u20ac\u2212", max_size=12))
def test_nothing_but_a_finite_decimal_or_none_comes_out(text):
    value = parse_numeral(text)
    assert value is None or value.is_finite()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", []),
        ("none", []),
        ("$1,655.92, or -68", ["1655.92", "68"]),
        ("1,234", ["1234", "1.234"]),
        ("1.234", ["1.234", "1234"]),
        ("1 655,92", ["1655.92", "1", "655.92"]),
        ("in 2026 398.71", ["2026", "398.71", "2026398.71"]),
        ("1{,}655.92", ["1655.92"]),
        ("8/14 5 10", ["8", "14", "5", "10"]),
        (".5 and 0,5", ["0.5"]),
        ("1,23,4", []),
        ("1" * (LENGTH_MAX + 1), []),
    ],
)
def test_all_values_that_a_text_may_state_are_found(text, values):
    assert find_numerals(text) == {Decimal(value) for value in values}


@given(st.decimals(0, 10**9, places=2), st.sampled_from(["{:f}", "{:,f}", "${:,f}.", "|{:f}|"]))
def test_an_amount_is_found_in_whatever_frame(amount, form):
    assert amount in find_numerals(f"It was {form.format(amount)} in all.")
