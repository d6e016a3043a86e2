"""Numerals: the decimal that a text states, or none where it could state two.

The whole text has to be one numeral, white space around it aside. The rules, in order:

1. one full stop at the very end belongs to the sentence and is dropped (``18.``);
2. parentheses around an amount make it negative, as accountants write it (``(1,234.50)``), and
   then no sign may stand inside;
3. one sign may stand before or behind a leading currency, directly before what it belongs to:
   ``+``, a hyphen, a minus, a figure dash or an en dash. An em dash is punctuation, and ``- 5``
   may be an item of a list: both are refused;
4. a currency symbol or a code of ``CURRENCY_CODES`` may stand before or behind, or a symbol before
   and a code behind (``$5 USD``); instead of them a percent sign may stand behind. They are left
   out: ``5%`` is 5, and ``$5`` equals ``5 EUR``, for the check says what is being counted. A cent
   sign is refused, because it does change the value;
5. the digits are ASCII and have one of these forms:

   ====================  ==================  ====================================================
   plain                 ``1234.5``, ``.5``  a full stop separates the decimals: ``1.234`` is a
                                             little more than one
   comma                 ``1,234.50``        groups of three, so ``1,234`` is more than a thousand;
                                             Indian groups too (``12,34,567``)
   apostrophe,           ``1'234.50``        the same sign throughout; an ordinary space is refused,
   underscore, no-break  ``1 234,50``        for ``3 100`` may be two numbers. A comma may begin the
   or thin space                             decimals, if they are not three: ``1'234,567`` may be
                                             more than a million
   full stop             ``1.234,56``,       only where nothing else can be meant: before a decimal
                         ``1.234.567``       comma of the same kind, or at least twice
   ====================  ==================  ====================================================

   What is left is refused: ``1,23`` and ``0,5`` (a decimal comma, or a list?), ``0,123``,
   ``1,2345``, exponents, fractions, words, NaN and Infinity.

A text of more than ``LENGTH_MAX`` characters is no amount of anything, so nothing here takes long.
Nothing passes through a float, and nothing is rounded.

    >>> parse_numeral("-$1,234.50.")
    Decimal('-1234.50')
    >>> parse_numeral("1,23") is None
    True
"""

import re
from decimal import Decimal

LENGTH_MAX = 100
"""Characters of a numeral; the national debt of any country in any currency takes under 40."""

CURRENCY_CODES = (
    "USD|EUR|JPY|GBP|CNY|AUD|CAD|CHF|HKD|SGD|SEK|KRW|NOK|NZD|INR|MXN|TWD|ZAR|BRL|DKK|PLN|THB|ILS|"
    "IDR|CZK|AED|TRY|HUF|CLP|SAR|PHP|MYR|COP|RUB|RON"
)
"""ISO 4217 codes of the currencies most traded, as a pattern; any other is refused."""

_MINUS = "\\-\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"  # escaped: it stands in classes
_GAP = "[ \u00a0\u2009\u202f]?"
_SYMBOL = "(?:US|CA|AU|NZ|HK|A|C|S|R)?[$€£¥₩₹₽₺₫₴₪₦฿₱]"
_BEFORE = f"(?:(?P<symbol>{_SYMBOL})|(?P<code>{CURRENCY_CODES})){_GAP}"
_AFTER = (
    f"{_GAP}(?:(?P<symbol_after>{_SYMBOL})|(?P<code_after>{CURRENCY_CODES})|(?P<percent>[%\uff05]))"
)
_SEPARATORS = "'’_\u00a0\u2007\u2009\u202f"
_BODY = f"(?P<body>[0-9.,{_SEPARATORS}]*[0-9])"

_SIGNED = re.compile(
    f"(?P<sign>[+{_MINUS}])?(?:{_BEFORE}(?P<inner_sign>[+{_MINUS}])?)?{_BODY}(?:{_AFTER})?"
)
_ACCOUNTING = re.compile(f"\\((?:{_BEFORE})?{_BODY}(?:{_AFTER})?\\)")
_ACCOUNTING_BEHIND_CURRENCY = re.compile(f"{_BEFORE}\\({_BODY}\\)(?:{_AFTER})?")

_RUN = re.compile(f"[0-9]+(?:(?:[.,{_SEPARATORS}]| (?=[0-9]{{3}}(?![0-9])))[0-9]+)*|\\.[0-9]+")
"""A stretch of digits with what may stand between them; an ordinary space before three digits."""
_DECIMAL_COMMA = re.compile(r"[0-9]+,[0-9]+|[0-9]{1,3}(\.[0-9]{3})+(,[0-9]+)?")
"""Digits that mean something else to who writes a decimal comma."""

_COMMA = r",(?![0-9]{3}\Z)[0-9]+"
_FORMS = tuple(
    (re.compile(form), str.maketrans(table))
    for form, table in (
        (r"[0-9]+(\.[0-9]+)?|\.[0-9]+", {}),
        (r"[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?", {",": ""}),
        (r"[1-9][0-9]?(,[0-9]{2})+,[0-9]{3}(\.[0-9]+)?", {",": ""}),
        (
            rf"[1-9][0-9]{{0,2}}([{_SEPARATORS}])[0-9]{{3}}(\1[0-9]{{3}})*(\.[0-9]+|{_COMMA})?",
            {**dict.fromkeys(_SEPARATORS, ""), ",": "."},
        ),
        (
            rf"[1-9][0-9]{{0,2}}((\.[0-9]{{3}})+{_COMMA}|(\.[0-9]{{3}}){{2,}})",
            {".": "", ",": "."},
        ),
    )
)
"""Each form of the digits, with what turns it into the plain one. No text has two of them."""


def parse_numeral(text: str) -> Decimal | None:
    """Return the decimal that ``text`` states, by the module's rules; ``None`` if it states none.

    The digits come out as written: ``1.50`` keeps its trailing zero, and any number of digits
    within ``LENGTH_MAX`` is exact.
    """
    text = text.strip()
    if len(text) > LENGTH_MAX:
        return None
    text = text.removesuffix(".")
    signed = _SIGNED.fullmatch(text)
    match = signed or _ACCOUNTING.fullmatch(text) or _ACCOUNTING_BEHIND_CURRENCY.fullmatch(text)
    if match is None or not _has_one_unit(match):
        return None
    digits = _parse_digits(match["body"])
    if digits is None:
        return None
    if signed is None:
        return _negate(digits)
    signs = (signed["sign"] or "") + (signed["inner_sign"] or "")
    if len(signs) > 1:
        return None
    return digits if signs in ("", "+") else _negate(digits)


def find_numerals(text: str) -> set[Decimal]:
    """Return every value, without its sign, that some numeral in ``text`` may state.

    It is generous where ``parse_numeral`` is strict: digits that could state two values give both
    (``1,234`` more than a thousand and more than one, ``2026 398.71`` both parts and the whole),
    and signs and units are not looked at. A comma may be typeset as in TeX (``1{,}234``). It serves
    to find that a value is not there.
    """
    found = set()
    for match in _RUN.finditer(text.replace("{,}", ",")):
        run = match[0]
        for body in {*run.split(" "), run.replace(" ", "")}:
            if len(body) > LENGTH_MAX:
                continue
            digits = _parse_digits(body)
            if digits is not None:
                found.add(digits)
            if _DECIMAL_COMMA.fullmatch(body):
                found.add(Decimal(body.replace(".", "").replace(",", ".")))
    return found


def _has_one_unit(match: re.Match[str]) -> bool:
    """Return whether rule 4 holds: at most one unit, or a symbol before and a code behind."""
    units = match.groupdict()
    before = units["symbol"] or units["code"]
    after = units["symbol_after"] or units["code_after"] or units["percent"]
    return not (before and after) or bool(units["symbol"] and units["code_after"])


def _parse_digits(body: str) -> Decimal | None:
    for form, table in _FORMS:
        if form.fullmatch(body):
            return Decimal(body.translate(table))
    return None


def _negate(value: Decimal) -> Decimal:
    # Not unary minus: it would round to the precision of the thread's decimal context.
    return value.copy_negate() if value else value
