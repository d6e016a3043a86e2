"""The order of a window: drawn from a seed, recorded, with its configurations in turn."""

import hashlib
import json
from collections import Counter
from dataclasses import replace

import pytest

from cli.setting import open_ledger
from ledger.digest import parse_digest
from ledger.errors import Damage, FaultyInput
from ledger.events import RunStarted, TrialStarted
from tests.trials.providers import Scripted
from tests.trials.runs import init_ledger, write_suite
from trials.engine import Lane, run_window
from trials.order import draw_order, format_order, parse_order
from trials.plan import plan_trials
from trials.run import resume_run, start_runs
from trials.suite import load_configuration, load_suite
from trials.window import Respondent, Window

ADDRESSES = [parse_digest(f"blake3:{digit * 64}") for digit in "abc"]


@pytest.fixture
def suite(tmp_path):
    return write_suite(tmp_path / "suite", 12, repetitions=2)


def start(opened, folder, names, **options):
    suite = load_suite(folder)
    plain = load_configuration(folder / "configurations" / "m.json")
    return start_runs(opened.ledger, suite, [replace(plain, name=n) for n in names], **options)


def lanes(runs, *providers):
    return [
        Lane(run=run, respondent=Respondent(configuration=run.configuration, provider=provider))
        for run, provider in zip(runs, providers, strict=True)
    ]


def test_an_order_has_every_trial_of_every_configuration_once():
    order = draw_order(7, ADDRESSES, 50)
    assert Counter(order.turns) == {(lane, slot): 1 for lane in range(3) for slot in range(50)}


def test_configurations_take_turns_slot_by_slot_and_none_is_always_first():
    order = draw_order(7, ADDRESSES, 60)
    assert [turn.slot for turn in order.turns] == [slot for slot in range(60) for _ in range(3)]
    first = Counter(turn.lane for turn in order.turns[::3])
    assert min(first.values()) > 10


def test_an_order_is_the_same_for_a_seed_and_another_for_another():
    assert draw_order(1, ADDRESSES, 40) == draw_order(1, ADDRESSES, 40)
    assert draw_order(1, ADDRESSES, 40) != draw_order(2, ADDRESSES, 40)
    assert parse_order(format_order(draw_order(1, ADDRESSES, 40))) == draw_order(1, ADDRESSES, 40)


@pytest.mark.parametrize("data", [b"[]", b"{}", b'{"configurations":[],"seed":1,"turns":[[1]]}'])
def test_other_bytes_are_no_order(data):
    with pytest.raises(Damage):
        parse_order(data)


def test_a_plan_keeps_repetitions_outermost_and_shuffles_within(suite):
    plan = plan_trials(load_suite(suite), seed=3)
    assert [trial.repetition for trial in plan] == [1] * 12 + [2] * 12
    named = [trial.case for trial in plan[:12]]
    assert sorted(named) == sorted(f"c{n}" for n in range(12)) != named
    assert named != [trial.case for trial in plan[12:]]


def test_a_plan_can_be_drawn_again_without_this_program(suite):
    def rank(case):
        text = json.dumps([3, case, "plain", 1], separators=(",", ":"))
        return hashlib.sha256(text.encode()).digest()

    plan = plan_trials(load_suite(suite), seed=3)
    assert [trial.case for trial in plan[:12]] == sorted((f"c{n}" for n in range(12)), key=rank)


def test_runs_of_one_window_are_begun_in_turn_and_all_say_so(tmp_path, suite):
    with open_ledger(init_ledger(tmp_path / "ledger")) as opened:
        runs = start(opened, suite, ["a", "b"], seed=5)
        window = Window()
        providers = Scripted(), Scripted()
        run_window(
            lanes(runs, *providers), opened.ledger, opened.keeper, window=window, concurrency=1
        )
        bodies = [entry.event.body for entry in opened.ledger.read()]
    started = [body for body in bodies if isinstance(body, TrialStarted)]
    addresses = [run.address for run in runs]
    order = [(addresses.index(body.run), body.slot) for body in started]
    assert order == [tuple(turn) for turn in runs[0].order.turns]
    recorded = {(b.seed, b.order.address) for b in bodies if isinstance(b, RunStarted)}
    assert len(recorded) == 1
    assert next(iter(recorded))[0] == 5


def test_one_run_of_a_window_can_be_resumed_without_the_other(tmp_path, suite):
    with open_ledger(init_ledger(tmp_path / "ledger")) as opened:
        _, second = start(opened, suite, ["a", "b"])
        run = resume_run(opened.ledger, second.address, second.suite, second.configuration)
        assert (run.lane, run.order) == (1, second.order)
        (inventory,) = run_window(
            lanes([run], Scripted()), opened.ledger, opened.keeper, window=Window()
        )
        assert (inventory.run, inventory.completed) == (second.address, 24)


def test_a_configuration_that_is_named_twice_is_refused(tmp_path, suite):
    with open_ledger(init_ledger(tmp_path / "ledger")) as opened:
        with pytest.raises(FaultyInput, match="named twice"):
            start(opened, suite, ["a", "a"])
        assert opened.ledger.head().size == 0
