"""Several configurations in one window, its order, its budget; from the command line."""

import json

import pytest

from cli.setting import open_ledger
from ledger.events import RunStarted, TrialStarted
from tests.cli.program import call
from tests.trials.runs import write_suite


def read(home, kind):
    with open_ledger(home / ".verdict") as opened:
        return [e.event.body for e in opened.ledger.read() if isinstance(e.event.body, kind)]


def test_two_configurations_are_run_in_turn_and_shown_one_after_the_other(home):
    done = call("run", "suite", "-c", "good", "-c", "bad")
    assert done.code == 1
    assert done.out.index("configuration good") < done.out.index("configuration bad")
    assert "gate passed" in done.out
    assert "gate failed" in done.out
    first, second = read(home, RunStarted)
    assert (first.order, first.seed) == (second.order, 0)
    started = read(home, TrialStarted)
    assert len({body.run for body in started[:2]}) == 2


def test_for_programs_two_configurations_are_a_list(home):
    documents = call("run", "suite", "-c", "good", "-c", "bad", "--json").json()
    assert [document["gate"] for document in documents] == ["passed", "failed"]


def test_the_seed_is_recorded_and_draws_the_order(home):
    call("run", "suite", "-c", "good", "--seed", "1", "--concurrency", "1")
    call("run", "suite", "-c", "good", "--seed", "4", "--concurrency", "1")
    assert [body.seed for body in read(home, RunStarted)] == [1, 4]
    cases = [body.case for body in read(home, TrialStarted)]
    assert sorted(cases[:3]) == sorted(cases[3:])
    assert cases[:3] != cases[3:]


def test_both_runs_of_a_window_that_was_stopped_go_on_together(home, monkeypatch):
    def interrupt(*_args, **_kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("cli.run.run_window", interrupt)
        done = call("run", "suite", "-c", "good", "-c", "bad")
    assert done.code == 3
    assert done.err.splitlines()[1].endswith("are incomplete: go on with --resume last")
    assert call("run", "suite", "-c", "good", "-c", "bad", "--resume", "last").code == 1
    assert len(read(home, RunStarted)) == 2


def test_a_configuration_that_is_named_twice_is_refused(home):
    done = call("run", "suite", "-c", "good", "-c", "good")
    line = "error: --configuration: one of them is named twice; name each once\n"
    assert done == (2, "", line)


@pytest.mark.parametrize("amount", ["0", "-1", "nan", "many", "1e999999"])
def test_an_amount_that_is_none_is_refused(home, amount):
    done = call("run", "suite", "-c", "good", "--max-cost", amount)
    assert done.code == 2
    assert done.out == ""


def test_a_budget_without_a_bound_is_refused_before_anything_is_recorded(tmp_path, home):
    suite = write_suite(tmp_path / "live", 1)
    place = suite / "configurations" / "live.json"
    settings = {"argv": ["true"]}
    place.write_text(json.dumps({"provider": "command", "model": "m", "settings": settings}))
    done = call("run", str(suite), "-c", "live", "--max-cost", "1")
    assert done.code == 2
    assert done.err == "error: live: a budget of money needs limits.cost_usd_max\n"
    assert not read(home, RunStarted)
