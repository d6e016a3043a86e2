"""Ctrl-C and a refused key in a run that pays for its answers: it stops, says so, and goes on.

The server (``paid_server``) holds its answers until it is told to give them.
"""

import pytest

from ledger.events import AttemptFailed, RunStopped, TrialFailed, TrialStarted
from tests.crash.paid_runs import (
    finish_run,
    read_account,
    start_run,
    write_judged_suite,
    write_paid_suite,
)
from tests.crash.paid_server import Reply, answer_all, open_paid_server
from tests.trials.runs import init_ledger
from trials.attempts import CUT_OFF

CASES = 10
IN_FLIGHT = 4
CONCURRENCY = ("--concurrency", str(IN_FLIGHT))
RESUME = ("--resume", "last")
LATER = Reply(429, (("retry-after", "300"),))
"""Less than what stops a run, and more than a process may take here."""


@pytest.fixture
def ledger(tmp_path):
    return init_ledger(tmp_path / "ledger")


@pytest.fixture
def server():
    with open_paid_server() as server:
        server.permit(0)
        yield server


@pytest.fixture
def suite(tmp_path, server):
    return write_paid_suite(tmp_path / "suite", CASES, server)


def await_flight(server, run):
    """Wait until as many requests are held as may be under way."""
    server.wait_until(lambda: server.seen.total() == IN_FLIGHT or run.is_over())


def await_failures(ledger, server, run, count):
    """Wait until so many failed attempts are on record."""
    server.wait_until(
        lambda: run.is_over() or len(read_account(ledger).pick(AttemptFailed)) >= count
    )


def resume(ledger, suite, server):
    """Let the server answer, go on to the end, and return what the ledger says."""
    server.script = answer_all
    server.permit(100)
    code, said = finish_run(ledger, suite, server, *RESUME)
    assert code in (0, 1), said
    account = read_account(ledger)
    account.check_complete(CASES)
    account.check_paid(server)
    return account


def test_one_interrupt_lets_what_is_in_flight_be_answered_and_begins_nothing_else(
    ledger, server, suite
):
    with start_run(ledger, suite, server, *CONCURRENCY) as run:
        await_flight(server, run)
        run.interrupt()
        run.await_line("finishing what is in flight")
        server.permit(100)
        said = run.read()
    account = read_account(ledger)
    assert run.process.returncode == 3, said
    assert "is incomplete: go on with --resume " in said
    assert account.list_answered() == set(server.seen)
    assert len(account.pick(TrialStarted)) == server.seen.total() == IN_FLIGHT
    assert account.list_stops() == ["interrupted"]


def test_a_run_that_was_interrupted_once_is_completed_with_each_question_asked_once(
    ledger, server, suite
):
    with start_run(ledger, suite, server, *CONCURRENCY) as run:
        await_flight(server, run)
        run.interrupt()
        run.await_line("finishing what is in flight")
        server.permit(100)
        run.read()
    account = resume(ledger, suite, server)
    assert account.count_causes() == {}
    assert set(server.seen.values()) == {1}
    assert len(server.seen) == CASES


def test_the_line_that_an_interrupted_run_ends_with_names_the_run(ledger, server, suite):
    with start_run(ledger, suite, server, *CONCURRENCY) as run:
        await_flight(server, run)
        run.interrupt()
        run.await_line("finishing what is in flight")
        server.permit(100)
        said = run.read()
    (named,) = [line.split("--resume ")[1] for line in said.splitlines() if "--resume" in line]
    assert finish_run(ledger, suite, server, "--resume", named)[0] in (0, 1)
    read_account(ledger).check_complete(CASES)


def test_a_retry_that_waits_does_not_delay_an_interrupt(ledger, server, suite):
    server.script = lambda _question, _time: LATER
    with start_run(ledger, suite, server, *CONCURRENCY) as run:
        await_failures(ledger, server, run, 1)
        run.interrupt()
        said = run.read()
    asked = server.seen.total()
    assert run.process.returncode == 3, said
    assert read_account(ledger).list_stops() == ["interrupted"]
    assert resume(ledger, suite, server).count_causes() == {"rate_limited": asked}


def test_a_second_interrupt_ends_the_run_while_the_server_still_holds(ledger, server, suite):
    with start_run(ledger, suite, server, *CONCURRENCY) as run:
        await_flight(server, run)
        run.interrupt()
        run.await_line("finishing what is in flight")
        run.interrupt()
        said = run.read()
    assert run.process.returncode == 3, said
    assert "is incomplete: go on with --resume " in said
    assert "Traceback" not in said
    assert server.paid.total() == 0
    assert read_account(ledger).pick(TrialFailed) == []
    account = resume(ledger, suite, server)
    assert account.count_causes() == {CUT_OFF: IN_FLIGHT}


def test_any_number_of_interrupts_leaves_a_run_that_can_be_resumed(ledger, server, suite):
    """Whatever Python makes of those that strike while it ends: what is recorded stands."""
    with start_run(ledger, suite, server, *CONCURRENCY) as run:
        await_flight(server, run)
        while not run.is_over():
            run.interrupt()
        said = run.read()
    assert run.process.returncode in (3, 130, -2), said
    account = resume(ledger, suite, server)
    assert account.count_causes() == {CUT_OFF: IN_FLIGHT}


@pytest.mark.parametrize(("interrupts", "cut_off"), [(1, 0), (2, IN_FLIGHT)])
def test_a_grading_is_interrupted_and_completed_like_the_trials(
    ledger, server, tmp_path, interrupts, cut_off
):
    judged = write_judged_suite(tmp_path / "judged", CASES, server)
    server.permit(CASES)
    with start_run(ledger, judged, server, "--grader-concurrency", str(IN_FLIGHT)) as run:
        server.wait_until(lambda: server.seen.total() == CASES + IN_FLIGHT or run.is_over())
        run.interrupt()
        run.await_line("finishing what is in flight")
        if interrupts > 1:
            run.interrupt()
        else:
            server.permit(100)
        said = run.read()
    assert run.process.returncode == 3, said
    assert "is incomplete: go on with --resume " in said
    account = resume(ledger, judged, server)
    assert account.count_causes().total() == cut_off
    assert server.paid.total() == len(account.list_answered()) == 2 * CASES


def test_a_run_that_stops_for_another_reason_is_ended_by_two_interrupts(ledger, server, suite):
    """One key is refused while other requests are held: whoever waits for them may give up."""
    refused: list[str] = []

    def refuse_one(question, _time):
        refused[:] = refused or [question]
        return Reply(401) if refused == [question] else Reply()

    server.script = refuse_one
    with start_run(ledger, suite, server, *CONCURRENCY) as run:
        await_failures(ledger, server, run, 1)
        run.interrupt()
        run.await_line("once more stops at once")
        run.interrupt()
        said = run.read()
    assert run.process.returncode == 3, said
    assert server.paid.total() == 0
    resume(ledger, suite, server)


def test_a_refused_key_stops_the_run_and_fails_no_trial(ledger, server, suite):
    server.script = lambda _question, _time: Reply(401)
    code, said = finish_run(ledger, suite, server, *CONCURRENCY)
    account = read_account(ledger)
    (stopped,) = account.pick(RunStopped)
    assert code == 3, said
    assert (stopped.cause, stopped.detail[:14]) == ("unauthorized", "http: HTTP 401")
    assert "unauthorized" in said
    assert "go on with --resume " in said
    assert account.pick(TrialFailed) == []
    assert set(account.count_causes()) == {"unauthorized"}
    assert server.seen.total() <= IN_FLIGHT


def test_a_run_whose_key_was_refused_is_completed_when_it_is_set_right(ledger, server, suite):
    server.script = lambda _question, _time: Reply(401)
    assert finish_run(ledger, suite, server, *CONCURRENCY)[0] == 3
    assert finish_run(ledger, suite, server, *RESUME, *CONCURRENCY)[0] == 3
    account = resume(ledger, suite, server)
    assert account.list_stops() == ["unauthorized"] * 2
    assert CUT_OFF not in account.count_causes()
    assert server.paid.total() == CASES
