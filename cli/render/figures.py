"""Numbers for people: always with what they are counted of, never rounded into certainty."""

from decimal import Decimal
from fractions import Fraction

from trials.scorecard import Interval, Ratio

COST_STEP = Decimal("0.0001")


def format_rate(rate: Fraction | None) -> str:
    """Return a rate in percent with one decimal, never rounded up to 100 or down to 0."""
    return "-" if rate is None else f"{_format_percent(rate)} %"


def format_ratio(ratio: Ratio) -> str:
    """Return numerator, denominator and rate."""
    return f"{ratio.passed:,}/{ratio.counted:,} = {format_rate(ratio.rate)}"


def format_interval(interval: Interval | None) -> str:
    """Return the bounds in percent with one decimal; 0 and 100 only where they are exact."""
    if interval is None:
        return "-"
    low, high = (_format_percent(Fraction(bound)) for bound in interval)
    return f"[{low}, {high}]"


def format_minimum(minimum: Decimal) -> str:
    """Return a declared rate in percent, every digit of it."""
    return f"{format((minimum * 100).normalize(), 'f')} %"


def format_count(count: int, noun: str) -> str:
    """Return so many of something, in words."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def format_time(time_us: int) -> str:
    """Return a time in seconds with one decimal, or in milliseconds where it is below one."""
    if time_us < 1_000_000:  # noqa: PLR2004 - a second
        return f"{time_us / 1000:.3g} ms"
    return f"{time_us / 1_000_000:,.1f} s"


def format_cost(cost_usd: Decimal) -> str:
    """Return US dollars with four decimals; a smaller amount is not rounded down to nothing."""
    rounded = cost_usd.quantize(COST_STEP)
    if cost_usd and not rounded:
        return f"less than {COST_STEP} USD"
    return f"{rounded:,f} USD"


def format_mean(mean: Fraction) -> str:
    """Return a mean of counts, with one decimal where it is no whole number."""
    return f"{mean.numerator:,}" if mean.denominator == 1 else f"{float(mean):,.1f}"


def _format_percent(rate: Fraction) -> str:
    tenths = int(rate * 1000 + Fraction(1, 2))
    if tenths == 1000 and rate < 1:  # noqa: PLR2004
        tenths = 999
    if tenths == 0 and rate > 0:
        tenths = 1
    return f"{tenths / 10:.1f}"
