"""The budget of a window: money, tokens, time; and a stop *before* the call that would exceed it.

1. before a call its bound is reserved: what it can cost at most. A call without a bound is refused
   before the run begins (``check_budget``);
2. a call begins only where what is spent, what is reserved by calls in flight and its own bound fit
   together. Where they would fit without those in flight, it waits for these;
3. after a call its reservation becomes what it cost. Where that cannot be known, because a call was
   cut off in the middle, it counts as all that was reserved;
4. the money and tokens that earlier windows spent on a run count: they are read from the record
   (``trials/spent``). Time is that of this window.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import NamedTuple

from ledger.errors import FaultyInput
from providers import (
    Bounded,
    Provider,
    SessionFailure,
    SessionRequest,
    SessionResult,
    Tokens,
    TrialPlace,
)
from trials.results import is_tokens
from trials.stop import BUDGET, STEP_S, Stop, Stopped
from trials.suite import Configuration, Price

PER_MILLION = -6
"""Decimal exponent of a price."""
EXACT_DIGITS = 100
"""More than the sum of counts of tokens, each times a price of 40 digits, can have."""
FREE = frozenset(
    {"bad_request", "inputs_refused", "no_answer", "not_found", "overloaded", "program_missing"}
    | {"quota_exhausted", "rate_limited", "start_failed", "unauthorized"}
)
"""Causes of a failure that costs nothing where nothing is said of it; any other may be paid for."""


class Spending(NamedTuple):
    """Money and tokens: what was spent, or what a call can spend at most."""

    cost_usd: Decimal = Decimal(0)
    tokens: int = 0

    def plus(self, other: "Spending") -> "Spending":
        """Return both together."""
        return Spending(self.cost_usd + other.cost_usd, self.tokens + other.tokens)

    def minus(self, other: "Spending") -> "Spending":
        """Return what is left without ``other``."""
        return Spending(self.cost_usd - other.cost_usd, self.tokens - other.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What may be spent at most; ``None``: no bound."""

    cost_usd_max: Decimal | None = None
    tokens_max: int | None = None
    wall_s_max: float | None = None


NO_BUDGET = Budget()


class Tariff:
    """What tokens cost, by a suite's table."""

    def __init__(self, prices: Iterable[Price] = ()) -> None:
        """Take the table."""
        self._prices = {(price.provider, price.model): price for price in prices}

    def charge(self, configuration: Configuration, tokens: Tokens | None) -> Decimal | None:
        """Return what ``tokens`` cost, US dollars, exactly; ``None`` where that is not known."""
        price = self._prices.get((configuration.provider, configuration.model))
        if price is None or tokens is None:
            return None
        with localcontext(prec=EXACT_DIGITS):
            millionths = (
                tokens.input * price.input
                + tokens.cache_read * price.cache_read
                + tokens.cache_write * price.cache_write
                + tokens.output * price.output
            )
            return millionths.scaleb(PER_MILLION).normalize()

    def is_free(self, configuration: Configuration, provider: Provider) -> bool:
        """Return whether no call costs anything, whatever is on record of what it once cost."""
        return self.bound(configuration, provider, make_sample(configuration))[1] == 0

    def bound_tokens(self, configuration: Configuration, provider: Provider) -> Tokens | None:
        """Return what a call without any text can take at most; ``None``: no bound."""
        return _ask_bound(provider, make_sample(configuration))

    def bound(
        self, configuration: Configuration, provider: Provider, request: SessionRequest
    ) -> tuple[Decimal | None, int | None]:
        """Return what ``request`` can take at most, US dollars and tokens; ``None``: no bound."""
        tokens = _ask_bound(provider, request)
        return self.price_bound(configuration, tokens), None if tokens is None else sum(tokens)

    def price_bound(self, configuration: Configuration, tokens: Tokens | None) -> Decimal | None:
        """Return what at most ``tokens`` can cost; ``None``: no bound.

        What is read may be new, cached or written to the cache: the dearest is the bound.
        """
        if tokens == Tokens():
            return Decimal(0)
        price = self._prices.get((configuration.provider, configuration.model))
        if tokens is None or price is None:
            # Where a call is priced nobody stops it there, so that it is no bound of one.
            return configuration.limits.cost_usd_max
        reading = max(price.input, price.cache_read, price.cache_write)
        with localcontext(prec=EXACT_DIGITS):
            cost = sum(tokens[:3]) * reading + tokens.output * price.output
            return cost.scaleb(PER_MILLION)


def _ask_bound(provider: Provider, request: SessionRequest) -> Tokens | None:
    """Return the bound that a provider states; one that is no bound is none."""
    if not isinstance(provider, Bounded):
        return None
    try:
        tokens = provider.bound_tokens(request)
    except Exception:  # noqa: BLE001 - a stranger's code; then its calls have no bound
        return None
    return tokens if is_tokens(tokens) else None


class Reservation(NamedTuple):
    """What one call in flight can spend at most; ``is_free``: nothing, whatever it says it cost."""

    bound: Spending
    is_free: bool


_NOTHING_RESERVED = Reservation(Spending(), is_free=False)


class Purse:
    """What of a budget is spent and reserved."""

    def __init__(
        self,
        budget: Budget | None = None,
        tariff: Tariff | None = None,
        spent: Spending = Spending(),  # noqa: B008 - immutable
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin the window.

        Args:
            budget: none by default.
            tariff: what tokens cost.
            spent: in earlier windows, by the same runs.
            clock: seconds.
        """
        self.tariff = tariff or Tariff()
        self._budget = budget or Budget()
        self._spent = spent
        self._reserved = Spending()
        self._clock = clock
        self._begun = clock()

    async def reserve(
        self,
        configuration: Configuration,
        provider: Provider,
        request: SessionRequest,
        stop: Stop,
    ) -> Reservation:
        """Return the reservation for a call that fits; else ask everybody to stop.

        Raises:
            Stopped: it does not fit, or that was asked before.
        """
        if self._budget == NO_BUDGET:
            stop.check()
            return _NOTHING_RESERVED
        cost, tokens = self.tariff.bound(configuration, provider, request)
        bound = Spending(cost or Decimal(0), tokens or 0)
        while True:
            stop.check()
            fault = self._find_excess(self._spent, bound, request)
            if fault is not None:
                stop.request(BUDGET, fault)
                raise Stopped
            if self._find_excess(self._spent.plus(self._reserved), bound, request) is None:
                self._reserved = self._reserved.plus(bound)
                return Reservation(bound, is_free=tokens == 0)
            await stop.pause(STEP_S)

    def release(self, reservation: Reservation) -> None:
        """Give back what was reserved for a call that was not made."""
        self._reserved = self._reserved.minus(reservation.bound)

    def settle(
        self,
        reservation: Reservation,
        configuration: Configuration,
        result: SessionResult | SessionFailure | None,
    ) -> None:
        """Count what a call came to; ``None``: it was cut off."""
        self.release(reservation)
        self._spent = self._spent.plus(self._price(reservation, configuration, result))

    def _price(
        self,
        reservation: Reservation,
        configuration: Configuration,
        result: SessionResult | SessionFailure | None,
    ) -> Spending:
        bound = reservation.bound
        if result is None or reservation.is_free:
            return bound
        is_known = result.tokens is not None or result.stated_cost_usd is not None
        if not is_known and isinstance(result, SessionFailure) and result.cause in FREE:
            return Spending()
        cost = self.tariff.charge(configuration, result.tokens)
        if cost is None:
            stated = result.stated_cost_usd
            cost = bound.cost_usd if stated is None else stated
        return Spending(cost, bound.tokens if result.tokens is None else sum(result.tokens))

    def _find_excess(self, spent: Spending, bound: Spending, request: SessionRequest) -> str | None:
        """Return which limit a call would exceed, if any."""
        budget = self._budget
        total = spent.plus(bound)
        if budget.cost_usd_max is not None and total.cost_usd > budget.cost_usd_max:
            return (
                f"the budget is {budget.cost_usd_max:f} USD: up to {_show(spent.cost_usd)} is "
                f"spent, and the next call may cost {_show(bound.cost_usd)}"
            )
        if budget.tokens_max is not None and total.tokens > budget.tokens_max:
            return (
                f"the budget is {budget.tokens_max:,} tokens: up to {spent.tokens:,} are spent, "
                f"and the next call may take {bound.tokens:,}"
            )
        passed = self._clock() - self._begun
        if budget.wall_s_max is not None and passed + request.limits.deadline_s > budget.wall_s_max:
            return (
                f"the budget is {budget.wall_s_max:,.1f} s: {passed:,.1f} s have passed, and the "
                f"next call may take {request.limits.deadline_s:,.1f} s"
            )
        return None


def make_sample(configuration: Configuration) -> SessionRequest:
    """Return a request such as will be sent: whether it has a bound depends on no text."""
    return SessionRequest(
        place=TrialPlace("", "", 1),
        prompt="",
        model=configuration.model,
        effort=configuration.effort,
        limits=configuration.limits,
    )


def check_budget(
    budget: Budget, tariff: Tariff, asked: Iterable[tuple[Configuration, Provider]]
) -> None:
    """Refuse a budget that a call without a bound could exceed.

    Args:
        budget: to be kept.
        tariff: what tokens cost.
        asked: each configuration, and its provider.

    Raises:
        FaultyInput: one line for each configuration at fault.
    """
    faults = []
    for configuration, provider in asked:
        cost, tokens = tariff.bound(configuration, provider, make_sample(configuration))
        name, limits = configuration.name, configuration.limits
        if budget.cost_usd_max is not None and cost is None:
            needed = "limits.cost_usd_max"
            if isinstance(provider, Bounded):
                needed += (
                    ", or limits.output_tokens_max and a row of the suite's prices for "
                    f"{configuration.provider} {configuration.model}"
                )
            faults.append(f"{name}: a budget of money needs {needed}")
        elif budget.cost_usd_max is not None and cost is not None and cost > budget.cost_usd_max:
            faults.append(
                f"{name}: one call may cost {_show(cost)}, the budget is "
                f"{budget.cost_usd_max:f} USD; raise it or lower limits.output_tokens_max"
            )
        if budget.tokens_max is not None and tokens is None:
            faults.append(
                f"{name}: a budget of tokens needs limits.output_tokens_max, and a provider whose "
                "sessions are one call each"
            )
        elif budget.tokens_max is not None and tokens is not None and tokens > budget.tokens_max:
            faults.append(
                f"{name}: one call may take {tokens:,} tokens, the budget is "
                f"{budget.tokens_max:,}; raise it or lower limits.output_tokens_max"
            )
        if budget.wall_s_max is not None and limits.deadline_s > budget.wall_s_max:
            faults.append(
                f"{name}: one call may take {limits.deadline_s:,.1f} s, the budget of time is "
                f"{budget.wall_s_max:,.1f} s; lower limits.deadline_s"
            )
    if faults:
        raise FaultyInput(list(dict.fromkeys(faults)))


def _show(cost: Decimal) -> str:
    return f"{cost.quantize(Decimal('0.0001'), ROUND_HALF_UP):f} USD"
