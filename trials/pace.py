"""Pace: how often calls are begun, for each provider by itself, and how long a retry waits."""

import asyncio
from collections.abc import Iterable

from ledger.digest import Digest, compute_digest
from trials.stop import Stop
from trials.suite import Configuration

BACKOFF_FIRST_S = 0.5
BACKOFF_MAX_S = 60.0
RETRY_AFTER_MAX_S = 600.0
"""A provider that asks for more is not waited for: the run stops and can be resumed."""
MINUTE_S = 60.0


def compute_backoff(subject: Digest, failed: int) -> float:
    """Return how many seconds to wait after ``failed`` failures, 1 or more, of one request.

    It doubles from BACKOFF_FIRST_S to BACKOFF_MAX_S; of that, half to all is taken, by the hash of
    the request's event, so that requests that failed together do not come back together.
    """
    # The exponent is bounded: a float overflows at about a thousand.
    whole: float = min(BACKOFF_MAX_S, BACKOFF_FIRST_S * 2 ** min(failed - 1, 20))
    share = int(compute_digest(f"{subject} {failed}".encode())[-4:], 16) / 0xFFFF
    return whole * (0.5 + share / 2)


class Pace:
    """The calls of one window; those of one provider are spread evenly over the minute."""

    def __init__(self, configurations: Iterable[Configuration] = ()) -> None:
        """Take the rate of each provider: the lowest that one of ``configurations`` states."""
        self._interval_s: dict[str, float] = {}
        self._next: dict[str, float] = {}
        self._held: dict[str, float] = {}
        for configuration in configurations:
            rate = configuration.requests_per_minute
            if rate is not None:
                name = configuration.provider
                self._interval_s[name] = max(self._interval_s.get(name, 0.0), MINUTE_S / rate)

    async def wait(self, provider: str, stop: Stop) -> None:
        """Wait until a call to ``provider`` may begin; raise ``Stopped`` where that comes first."""
        stop.check()
        interval = self._interval_s.get(provider, 0.0)
        if not interval and provider not in self._next:
            return
        now = asyncio.get_running_loop().time()
        begin = max(now, self._next.get(provider, now))
        self._next[provider] = begin + interval
        await stop.pause(begin - now)
        # Whoever was waiting already when the provider asked for more waits for that, too.
        while (left := self._held.get(provider, 0.0) - asyncio.get_running_loop().time()) > 0:
            await stop.pause(left)

    def hold(self, provider: str, seconds: float) -> None:
        """Let no call to ``provider`` begin for so long: it asked all of us to wait."""
        until = asyncio.get_running_loop().time() + seconds
        self._next[provider] = max(until, self._next.get(provider, until))
        self._held[provider] = max(until, self._held.get(provider, until))
