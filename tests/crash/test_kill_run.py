"""SIGKILL in the middle of a run that pays for its answers: nothing is bought twice unawares.

What was paid is counted by the server (``paid_server``), and compared with what the ledger says.
"""

import random
import sys

import pytest

from ledger.events import GradingCompleted
from tests.crash.paid_runs import (
    finish_run,
    read_account,
    start_run,
    write_judged_suite,
    write_paid_suite,
)
from tests.crash.paid_server import Reply, answer_all, open_paid_server, trouble_a_fifth
from tests.trials.runs import call_verdict, init_ledger
from trials.attempts import CUT_OFF

ANSWERS = 300
SEED = 20_260_714
SPARE = 4
"""Answers that may be on their way when a process is killed."""
RESUME = ("--resume", "last")


@pytest.fixture
def ledger(tmp_path):
    return init_ledger(tmp_path / "ledger")


def kill_at_random(ledger, suite, server, chance, further):
    """Run until the server has seen or answered up to ``further`` more; kill; say what stands."""
    counted = chance.choice((server.seen, server.paid))
    wanted = counted.total() + chance.randint(1, further)
    # So many that it gets there, and not so many that the run ends before it is killed.
    server.permit(further + SPARE)
    concurrency = str(chance.choice((1, 4, 16, 32)))
    resume = RESUME if server.seen else ()
    with start_run(ledger, suite, server, *resume, "--concurrency", concurrency) as run:
        server.wait_until(lambda: counted.total() >= wanted or run.is_over())
        run.kill()
    return {question: server.seen[question] for question in read_account(ledger).list_answered()}


def check_kills(ledger, suite, server, seed, kills):
    """Kill a run that buys ANSWERS answers, let it end, and return what the ledger says."""
    sys.stderr.write(f"seed {seed}\n")
    chance = random.Random(seed)
    further = ANSWERS // kills - SPARE
    stands = [kill_at_random(ledger, suite, server, chance, further) for _ in range(kills)]
    server.permit(ANSWERS)
    code, said = finish_run(ledger, suite, server, *RESUME)
    assert code in (0, 1), said
    for stand in stands:
        assert {question: server.seen[question] for question in stand} == stand
    account = read_account(ledger)
    account.check_paid(server)
    assert len(account.list_answered()) == ANSWERS
    assert set(account.count_causes()) == {"rate_limited", "server_error", CUT_OFF}
    assert call_verdict("--ledger", ledger, "verify").code == 0
    return account


def check_killed_trials(ledger, folder, seed, kills):
    with open_paid_server(trouble_a_fifth) as server:
        suite = write_paid_suite(folder, ANSWERS, server)
        account = check_kills(ledger, suite, server, seed, kills)
    account.check_complete(ANSWERS)


def test_a_run_killed_8_times_pays_for_no_answer_twice_without_a_reason(ledger, tmp_path):
    check_killed_trials(ledger, tmp_path / "suite", SEED, 8)


@pytest.mark.slow
def test_a_run_killed_30_times_pays_for_no_answer_twice_without_a_reason(ledger, tmp_path):
    check_killed_trials(ledger, tmp_path / "suite", SEED + 1, 30)


def test_a_judge_is_paid_for_no_answer_twice_without_a_reason(ledger, tmp_path):
    """Half of the answers are a judge's, so that about half of the kills strike the grading."""
    with open_paid_server(trouble_a_fifth) as server:
        suite = write_judged_suite(tmp_path / "suite", ANSWERS // 2, server)
        account = check_kills(ledger, suite, server, SEED + 2, 6)
    account.check_complete(ANSWERS // 2)
    assert len(account.pick(GradingCompleted)) == 1


def fly_and_kill(ledger, suite, server, answers):
    """Run until 4 requests are held after so many answers, and kill it."""
    server.permit(answers)
    limits = ("--concurrency", "4", "--grader-concurrency", "4")
    with start_run(ledger, suite, server, *limits) as run:
        server.wait_until(lambda: server.seen.total() == answers + 4 or run.is_over())
        run.kill()


def stop_and_finish(ledger, suite, server):
    """Resume with a key that is refused, then with one that is taken; say what is on record."""
    limits = ("--concurrency", "1", "--grader-concurrency", "1")
    server.script = lambda _question, _time: Reply(401)
    assert finish_run(ledger, suite, server, *RESUME, *limits)[0] == 3
    server.script = answer_all
    server.permit(ANSWERS)
    assert finish_run(ledger, suite, server, *RESUME)[0] in (0, 1)
    account = read_account(ledger)
    assert account.list_stops() == ["unauthorized"]
    assert account.count_causes() == {CUT_OFF: 4, "unauthorized": 1}
    account.check_paid(server)


def test_what_was_in_flight_at_a_kill_is_cut_off_though_the_next_run_stops(ledger, tmp_path):
    """A run that stops by itself says nothing of requests that it never came to."""
    with open_paid_server() as server:
        suite = write_paid_suite(tmp_path / "suite", 6, server)
        fly_and_kill(ledger, suite, server, 0)
        stop_and_finish(ledger, suite, server)


def test_what_a_judge_was_asked_at_a_kill_is_cut_off_though_the_next_run_stops(ledger, tmp_path):
    """As with trials."""
    with open_paid_server() as server:
        suite = write_judged_suite(tmp_path / "suite", 6, server)
        fly_and_kill(ledger, suite, server, 6)
        stop_and_finish(ledger, suite, server)
