"""Pace: calls are spread over the minute, and all of them wait where the provider asks for it."""

import asyncio
from dataclasses import replace

import pytest

from tests.trials.runs import write_suite
from trials.pace import Pace
from trials.stop import Stop, Stopped
from trials.suite import load_configuration


@pytest.fixture
def configuration(tmp_path):
    suite = write_suite(tmp_path / "suite", 1)
    return load_configuration(suite / "configurations" / "m.json")


def count_waits(pace, calls, provider="recorded"):
    """Return how long ``calls`` calls have to wait, in seconds, by a clock that stands still."""
    waits: list[float] = []

    class Still(Stop):
        async def pause(self, seconds):
            waits.append(seconds)

    async def run():
        stop = Still()
        loop = asyncio.get_running_loop()
        loop.time = lambda: 1_000.0  # type: ignore[method-assign]
        for _ in range(calls):
            await pace.wait(provider, stop)
        return waits

    return asyncio.run(run())


def test_calls_of_one_provider_are_spread_evenly(configuration):
    pace = Pace([replace(configuration, requests_per_minute=120)])
    assert count_waits(pace, 4) == [0.0, 0.5, 1.0, 1.5]


def test_the_lowest_rate_of_a_provider_holds_for_all_its_configurations(configuration):
    rates = [600, 60, None]
    pace = Pace([replace(configuration, requests_per_minute=rate) for rate in rates])
    assert count_waits(pace, 3) == [0.0, 1.0, 2.0]


def test_a_provider_without_a_rate_waits_for_nothing(configuration):
    pace = Pace([replace(configuration, requests_per_minute=1)])
    assert count_waits(pace, 3, "other") == []


def test_everybody_waits_where_a_provider_asked_to():
    async def run():
        pace, stop = Pace(), Stop()
        loop = asyncio.get_running_loop()
        begun = loop.time()
        pace.hold("openai", 0.05)
        await asyncio.gather(*(pace.wait("openai", stop) for _ in range(3)))
        await pace.wait("anthropic", stop)
        return loop.time() - begun

    assert asyncio.run(run()) >= 0.05


def test_calls_that_wait_already_wait_longer_where_the_provider_asks_for_it(configuration):
    async def run():
        pace, stop = Pace([replace(configuration, requests_per_minute=6_000)]), Stop()
        loop = asyncio.get_running_loop()
        waiting = [asyncio.create_task(pace.wait("recorded", stop)) for _ in range(3)]
        await asyncio.sleep(0)
        begun = loop.time()
        pace.hold("recorded", 0.2)
        await asyncio.gather(*waiting[1:])
        return loop.time() - begun

    assert asyncio.run(run()) >= 0.2


def test_a_stop_ends_a_wait():
    async def run():
        pace, stop = Pace(), Stop()
        pace.hold("openai", 3_600.0)
        waiting = asyncio.create_task(pace.wait("openai", stop))
        await asyncio.sleep(0)
        stop.request("interrupted", "")
        with pytest.raises(Stopped):
            await waiting

    asyncio.run(run())
