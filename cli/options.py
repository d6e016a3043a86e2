"""Kinds of option that several commands may have."""

from decimal import Decimal, InvalidOperation

import click

AMOUNT_MAX = 1_000_000_000
"""Above it, a slip of the keyboard."""


class Amount(click.ParamType[Decimal]):
    """An amount of money: a decimal above 0, every digit as it was written."""

    name = "amount"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Decimal:
        """Return the amount, or fail with one line."""
        try:
            amount = Decimal(str(value))
        except InvalidOperation:
            amount = Decimal("nan")
        if not amount.is_finite() or not 0 < amount <= AMOUNT_MAX:
            saying = f"is not an amount above 0 and at most {AMOUNT_MAX:,}, such as 2.50"
            self.fail(f"{value!r:.60} {saying}", param, ctx)
        return amount


AMOUNT = Amount()
