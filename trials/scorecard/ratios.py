"""Ratios: counted numbers, and the interval that they leave open.

1. a rate is two counts; it becomes a number only where it is shown;
2. its interval is the 95 % score interval of Wilson (1927), which stays within 0 to 1 and has a
   width at 0 of n and at n of n, where few trials would otherwise look like certainty;
3. it takes the trials as independent draws from one and the same source. It says how far this many
   trials pin the rate down, for these cases and this configuration, and nothing about others.

    >>> interval = Ratio(4, 5).interval
    >>> f"{interval.low:.4f} to {interval.high:.4f}"
    '0.3755 to 0.9638'
"""

from fractions import Fraction
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

CONFIDENCE = 0.95
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


class Interval(NamedTuple):
    """Bounds of a rate, 0 to 1."""

    low: float
    high: float


class Ratio(NamedTuple):
    """``passed`` of ``counted``."""

    passed: int
    counted: int

    @property
    def rate(self) -> Fraction | None:
        """The rate, ``None`` where nothing was counted."""
        return Fraction(self.passed, self.counted) if self.counted else None

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval, ``None`` where nothing was counted."""
        return estimate_interval(self.passed, self.counted) if self.counted else None


def estimate_interval(passed: int, counted: int) -> Interval:
    """Return the 95 % Wilson score interval of ``passed`` of ``counted``.

    The form is that of Newcombe, Statistics in Medicine 17 (1998) 857-872, method 3.

    Args:
        passed: 0 to ``counted``.
        counted: at least 1.
    """
    square = _Z * _Z
    centre = 2 * passed + square
    reach = _Z * sqrt(square + 4 * passed * (counted - passed) / counted)
    width = 2 * (counted + square)
    # Exact at both ends, where the formula is and its rounding is not.
    low = 0.0 if passed == 0 else (centre - reach) / width
    high = 1.0 if passed == counted else (centre + reach) / width
    return Interval(low, high)
