"""Budgets: no call begins that could exceed one, and what earlier windows spent counts."""

import asyncio
from dataclasses import replace
from decimal import Decimal

import pytest

from cli.setting import open_ledger
from ledger.errors import FaultyInput
from ledger.events import AttemptFailed, RunStopped, TrialCompleted, TrialStarted
from providers import FRAME_TOKENS, Limits, SessionRequest, Tokens, TrialPlace
from tests.trials.providers import Scripted, answer, fail
from tests.trials.runs import init_ledger, write_suite
from trials.budget import Budget, Purse, Spending, Tariff, check_budget
from trials.engine import run_trials
from trials.run import start_run
from trials.spent import read_spent
from trials.stop import Stop, Stopped
from trials.suite import Price, load_configuration, load_suite
from trials.window import Respondent, Window

PRICE = Price(
    provider="recorded",
    model="m-1",
    input=Decimal(3),
    output=Decimal(15),
    cache_read=Decimal("0.3"),
    cache_write=Decimal("3.75"),
)
BOUND = Tokens(input=1_000, output=100)
"""At most 0.00375 + 0.0015 = 0.00525 USD: what is read may be written to the cache."""
SPENT = Tokens(input=800, cache_read=200, output=50)
"""0.0024 + 0.00006 + 0.00075 = 0.00321 USD."""


@pytest.fixture
def opened(tmp_path):
    with open_ledger(init_ledger(tmp_path / "ledger")) as ledger:
        yield ledger


@pytest.fixture
def configuration(tmp_path):
    suite = write_suite(tmp_path / "suite", 10)
    return load_configuration(suite / "configurations" / "m.json")


@pytest.fixture
def run(opened, tmp_path, configuration):
    return start_run(opened.ledger, load_suite(tmp_path / "suite"), configuration)


def go(opened, run, provider, budget, **options):
    """Make the trials under ``budget``; return the window and the inventory."""
    tariff = Tariff([PRICE])
    respondent = Respondent(configuration=run.configuration, provider=provider)
    spent = read_spent(opened.ledger, {run.address: respondent}, [], tariff)
    window = Window(purse=Purse(budget, tariff, spent))
    inventory = run_trials(run, opened.ledger, opened.keeper, provider, window=window, **options)
    return window, inventory


def bodies(opened, kind):
    return [e.event.body for e in opened.ledger.read() if isinstance(e.event.body, kind)]


def paying(*script, **options):
    results = script or [answer(tokens=SPENT)]
    return Scripted(*results, bound=BOUND, **options)


def make_request(**limits):
    place = TrialPlace("c", "v", 1)
    return SessionRequest(place=place, prompt="", model="", effort=None, limits=Limits(**limits))


def test_tokens_are_charged_exactly_by_the_table(configuration):
    tariff = Tariff([PRICE])
    assert tariff.charge(configuration, SPENT) == Decimal("0.00321")
    assert tariff.charge(configuration, None) is None
    assert tariff.charge(replace(configuration, model="m-2"), SPENT) is None


def test_a_call_is_bounded_by_its_price_and_not_by_a_limit_that_nobody_keeps(configuration):
    limited = replace(configuration, limits=Limits(cost_usd_max=Decimal("0.001")))
    assert Tariff([PRICE]).price_bound(limited, BOUND) == Decimal("0.00525")
    assert Tariff([PRICE]).price_bound(limited, None) == Decimal("0.001")
    assert Tariff().price_bound(limited, BOUND) == Decimal("0.001")


def test_what_a_trial_cost_is_on_record(opened, run):
    go(opened, run, paying(), Budget())
    assert {body.cost_usd for body in bodies(opened, TrialCompleted)} == {"0.00321"}


@pytest.mark.parametrize("concurrency", [1, 4, 32])
def test_a_run_stops_before_the_call_that_could_exceed_its_budget(opened, run, concurrency):
    provider = paying(delay_s=0.001)
    # Three are spent at 0.00963; a fourth could bring it to 0.01488, a fifth to 0.01809.
    budget = Budget(cost_usd_max=Decimal("0.0150"))
    window, inventory = go(opened, run, provider, budget, concurrency=concurrency)
    assert (inventory.completed, inventory.missing, len(provider.seen)) == (4, 6, 4)
    assert window.stop.cause == "budget"
    (stopped,) = bodies(opened, RunStopped)
    assert stopped.detail == (
        "the budget is 0.0150 USD: up to 0.0128 USD is spent, and the next call may cost 0.0053 USD"
    )


def test_what_is_in_flight_is_counted(opened, run):
    provider = paying(delay_s=0.01)
    # Two calls in flight could cost 0.0105; a third beside them would not fit.
    go(opened, run, provider, Budget(cost_usd_max=Decimal("0.0105")), concurrency=8)
    assert provider.most == 2


def test_a_budget_of_tokens_stops_too_and_a_resumed_run_goes_on_within_a_larger_one(opened, run):
    _, inventory = go(opened, run, paying(), Budget(tokens_max=5_000), concurrency=1)
    assert inventory.completed == 4  # 1,050 each; a fifth could bring it to 5,300
    _, inventory = go(opened, run, paying(), Budget(tokens_max=5_000), concurrency=1)
    assert inventory.completed == 4
    _, inventory = go(opened, run, paying(), Budget(tokens_max=11_000))
    assert (inventory.completed, inventory.is_complete) == (10, True)


def test_no_call_begins_that_could_end_after_the_time_is_over():
    now = [0.0]
    purse = Purse(Budget(wall_s_max=100.0), clock=lambda: now[0])
    configuration, provider, stop = None, Scripted(), Stop()

    async def reserve():
        return await purse.reserve(configuration, provider, make_request(deadline_s=30.0), stop)  # type: ignore[arg-type]

    class Plain:
        async def respond(self, request): ...

    provider = Plain()  # type: ignore[assignment]
    purse.tariff.bound = lambda *_: (None, None)  # type: ignore[method-assign]
    asyncio.run(reserve())
    now[0] = 71.0
    with pytest.raises(Stopped):
        asyncio.run(reserve())
    assert (
        stop.detail
        == "the budget is 100.0 s: 71.0 s have passed, and the next call may take 30.0 s"
    )


def test_a_call_that_was_cut_in_the_middle_counts_as_all_that_it_may_have_cost(opened, run):
    provider = paying(fail("response_cut"))
    budget = Budget(cost_usd_max=Decimal("0.0105"))
    _, inventory = go(opened, run, provider, budget, concurrency=1)
    # 0.00525 for the cut one and 0.00045 for the answer: a further one could bring it to 0.01095.
    assert [body.cost_usd for body in bodies(opened, AttemptFailed)] == [None]
    assert inventory.completed == 1


@pytest.mark.parametrize("cause", ["truncated", "empty_answer", "connection_failed", "unfinished"])
def test_a_failure_of_unknown_cost_counts_as_its_bound(opened, run, cause):
    provider = paying(fail(cause, is_transient=False))
    window = Window(reached={run.address}, purse=Purse(Budget(tokens_max=2_300), Tariff([PRICE])))
    run_trials(run, opened.ledger, opened.keeper, provider, window=window, concurrency=1)
    assert len(provider.seen) == 2
    assert window.stop.cause == "budget"


def test_a_refused_call_costs_nothing(opened, run):
    provider = paying(fail("rate_limited"), answer(tokens=SPENT))
    _, inventory = go(opened, run, provider, Budget(cost_usd_max=Decimal("0.04")), concurrency=1)
    assert inventory.completed == 10


def test_what_the_provider_says_is_taken_where_the_table_says_nothing(opened, run):
    provider = Scripted(answer(stated_cost_usd=Decimal("0.25")))
    window, _ = go(opened, run, provider, Budget())
    assert window.purse._spent == Spending(Decimal("2.50"), 0)
    respondent = Respondent(configuration=run.configuration, provider=provider)
    spent = read_spent(opened.ledger, {run.address: respondent}, [], Tariff())
    assert spent.cost_usd == Decimal("2.50")


def test_a_call_that_was_under_way_when_the_program_ended_counts(opened, run):
    class Ended(Scripted):
        async def respond(self, request):
            raise KeyboardInterrupt

    provider = Ended(bound=BOUND)
    with pytest.raises(KeyboardInterrupt):
        go(opened, run, provider, Budget(), concurrency=1)
    respondent = Respondent(configuration=run.configuration, provider=provider)
    spent = read_spent(opened.ledger, {run.address: respondent}, [], Tariff([PRICE]))
    size = bodies(opened, TrialStarted)[0].prompt.size
    assert spent.tokens == size + FRAME_TOKENS + BOUND.output
    go(opened, run, paying(), Budget(), concurrency=1)
    again = read_spent(opened.ledger, {run.address: respondent}, [], Tariff([PRICE]))
    assert again.tokens == spent.tokens + 10 * sum(SPENT)


def test_what_is_on_file_costs_nothing_whatever_it_once_cost(opened, run):
    provider = Scripted(answer(stated_cost_usd=Decimal("0.25"), tokens=SPENT), bound=Tokens())
    window, inventory = go(opened, run, provider, Budget(cost_usd_max=Decimal("0.01")))
    assert (inventory.completed, window.purse._spent) == (10, Spending())
    respondent = Respondent(configuration=run.configuration, provider=provider)
    spent = read_spent(opened.ledger, {run.address: respondent}, [], Tariff([PRICE]))
    assert spent == Spending()


@pytest.mark.parametrize(
    ("budget", "limits", "bound", "line"),
    [
        (Budget(cost_usd_max=Decimal(1)), {}, None, "a budget of money needs limits.cost_usd_max"),
        (Budget(tokens_max=1), {}, None, "a budget of tokens needs limits.output_tokens_max"),
        (
            Budget(wall_s_max=60.0),
            {},
            BOUND,
            "one call may take 600.0 s, the budget of time",
        ),
        (Budget(cost_usd_max=Decimal(1)), {"cost_usd_max": Decimal("0.5")}, None, None),
        (Budget(cost_usd_max=Decimal(1), tokens_max=1_100), {}, BOUND, None),
        (Budget(tokens_max=9), {}, BOUND, "one call may take 1,100 tokens, the budget is 9"),
        (Budget(cost_usd_max=Decimal("0.005")), {}, BOUND, "one call may cost 0.0053 USD, the"),
    ],
)
def test_a_budget_that_could_not_be_kept_is_refused(configuration, budget, limits, bound, line):
    configuration = replace(configuration, limits=Limits(**limits))
    asked = [(configuration, Scripted(bound=bound))]
    if line is None:
        check_budget(budget, Tariff([PRICE]), asked)
        return
    with pytest.raises(FaultyInput) as refused:
        check_budget(budget, Tariff([PRICE]), asked)
    assert refused.value.faults[0].startswith(f"m: {line}")
