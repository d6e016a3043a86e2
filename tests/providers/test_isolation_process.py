import asyncio
import os
import signal
import sys

import pytest

from providers.isolation import Ending, open_workspace, run_process
from tests.providers.processes import is_alive, read_number, run, run_python

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
SLEEP = f"[{sys.executable!r}, '-ISc', {STUBBORN + 'print(1, flush=True); time.sleep(60)'!r}]"
"""A child that ignores SIGTERM, and writes a line when it does."""
START_CHILD = (
    "import os, subprocess, sys, time\n"
    f"child = subprocess.Popen({SLEEP}, stdout=subprocess.PIPE)\n"
    "child.stdout.readline()\n"
    "print(child.pid, flush=True)\n"
)
DAEMON = (
    "import subprocess, sys\n"
    f"child = subprocess.Popen({SLEEP}, start_new_session=True, stdout=subprocess.PIPE)\n"
    "child.stdout.readline()\n"
    "print(child.pid)\n"
)


@pytest.fixture
def workspace():
    with open_workspace(()) as opened:
        yield opened


def test_a_process_ends_with_its_output_and_its_exit_code(workspace):
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    ending = run(workspace, code)
    assert (ending.exit_code, ending.stdout, ending.stderr) == (3, b"out\n", b"err\n")
    assert (ending.was_killed, ending.error, ending.notes) == (None, None, ())
    assert ending.duration_us > 0


def test_a_process_that_kills_itself_ends_with_the_signals_number(workspace):
    assert run(workspace, "import os; os.kill(os.getpid(), 9)").exit_code == -signal.SIGKILL


def test_what_is_given_is_read_to_its_end(workspace):
    given = b"\x00\xff" * 200_000
    code = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    assert run(workspace, code, stdin=given).stdout == given


def test_a_process_may_leave_what_it_is_given_unread(workspace):
    ending = run(workspace, "print('done')", stdin=b"x" * 5_000_000)
    assert (ending.exit_code, ending.stdout) == (0, b"done\n")


def test_a_process_that_is_given_nothing_reads_nothing(workspace):
    assert run(workspace, "import sys; print(repr(sys.stdin.read()))").stdout == b"''\n"


def test_both_outputs_are_read_while_the_process_runs(workspace):
    code = "import os\nfor _ in range(30):\n    for n in 1, 2: os.write(n, b'x' * 65536)"
    ending = run(workspace, code)
    assert (len(ending.stdout), len(ending.stderr)) == (30 * 65536, 30 * 65536)


@pytest.mark.parametrize("stream", [1, 2])
def test_a_process_that_writes_too_much_is_ended_with_what_it_wrote_so_far(workspace, stream):
    code = f"import os\nwhile True: os.write({stream}, b'x' * 65536)"
    ending = run(workspace, code, output_bytes_max=100_000)
    assert ending.was_killed == "output"
    assert max(ending.stdout, ending.stderr) == b"x" * 100_000


def test_as_much_as_is_allowed_is_not_too_much(workspace):
    ending = run(workspace, "print('x' * 99, end='')", output_bytes_max=99)
    assert (ending.was_killed, len(ending.stdout)) == (None, 99)


def test_the_deadline_ends_a_process_and_keeps_what_it_wrote(workspace):
    code = "import time; print('first', flush=True); time.sleep(60)"
    ending = run(workspace, code, deadline_s=1)
    assert (ending.was_killed, ending.exit_code) == ("deadline", -signal.SIGTERM)
    assert ending.stdout == b"first\n"


def test_a_process_may_end_in_its_own_way_at_the_deadline(workspace):
    code = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('report'), sys.exit(4)))\n"
        "time.sleep(60)"
    )
    ending = run(workspace, code, deadline_s=1)
    assert (ending.was_killed, ending.exit_code, ending.stdout) == ("deadline", 4, b"report\n")


def test_the_deadline_ends_a_process_and_children_that_ignore_sigterm(workspace):
    ending = run(workspace, STUBBORN + START_CHILD + "time.sleep(60)", deadline_s=1)
    assert (ending.was_killed, ending.exit_code) == ("deadline", -signal.SIGKILL)
    assert not is_alive(int(ending.stdout))


def test_a_child_left_in_the_background_is_ended_and_noted(workspace):
    ending = run(workspace, START_CHILD)
    assert (ending.exit_code, ending.was_killed) == (0, None)
    assert ending.notes == ("1 process outlived the session and was ended",)
    assert not is_alive(int(ending.stdout))


def test_a_child_that_holds_the_output_open_does_not_hang_the_reader(workspace):
    ending = run(workspace, "import subprocess; print(subprocess.Popen(['sleep', '60']).pid)")
    assert (ending.exit_code, ending.was_killed) == (0, None)
    assert not is_alive(int(ending.stdout))


def test_a_daemon_in_a_session_of_its_own_is_found_and_ended(workspace):
    ending = run(workspace, DAEMON)
    assert ending.notes == ("1 process outlived the session and was ended",)
    assert not is_alive(int(ending.stdout))


def test_a_job_in_a_process_group_of_its_own_is_ended_even_without_its_environment(workspace):
    code = (
        "import subprocess\n"
        "child = subprocess.Popen(['sleep', '60'], process_group=0, env={}, stdout=-3)\n"
        "print(child.pid)"
    )
    ending = run(workspace, code)
    assert len(ending.notes) == 1
    assert not is_alive(int(ending.stdout))


def test_a_process_of_another_session_is_left_alone(workspace):
    async def run_two() -> tuple[Ending, bool]:
        with open_workspace(()) as other:
            code = "import os, time; print(os.getpid(), file=open('pid', 'w')); time.sleep(60)"
            longer = asyncio.create_task(run_python(other, code))
            number = await read_number(other.folder / "pid")
            ending = await run_python(workspace, START_CHILD)
            was_alive = is_alive(number)
            longer.cancel()
            await asyncio.wait([longer])
            return ending, was_alive

    ending, was_alive = asyncio.run(run_two())
    assert was_alive
    assert len(ending.notes) == 1


def test_cancelling_leaves_no_process(workspace):
    code = STUBBORN + DAEMON + "print(child.pid, file=open('pid', 'w'))\ntime.sleep(60)"

    async def cancel() -> tuple[bool, int]:
        task = asyncio.create_task(run_python(workspace, code))
        number = await read_number(workspace.folder / "pid")
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled(), number

    is_cancelled, number = asyncio.run(cancel())
    assert is_cancelled
    assert not is_alive(number)


@pytest.mark.parametrize("deadline_s", [0.02, 0.05, 0.1])
def test_a_deadline_during_the_start_ends_the_process(workspace, deadline_s):
    ending = run(workspace, "import time; time.sleep(60)", deadline_s=deadline_s)
    assert ending.was_killed == "deadline"


def test_many_sessions_run_at_a_time(workspace):
    async def run_many() -> list[Ending]:
        jobs = [run_python(workspace_of, "print(1)") for workspace_of in [workspace] * 20]
        return await asyncio.gather(*jobs)

    assert [ending.stdout for ending in asyncio.run(run_many())] == [b"1\n"] * 20


@pytest.mark.parametrize("program", ["no-such-program", "/no/such/program", "/etc", "/etc/passwd"])
def test_a_program_that_cannot_be_started_is_an_ending(workspace, program):
    ending = asyncio.run(_run_program(workspace, program))
    assert ending.exit_code is None
    assert ending.error is not None
    assert ending.error.startswith(f"{program} cannot be started: ")
    assert not ending.is_transient


def test_an_argument_that_no_program_can_take_is_an_ending(workspace):
    ending = asyncio.run(_run_program(workspace, "a\0b"))
    assert ending.error == "a\\x00b cannot be started: embedded null byte"


def test_a_program_that_is_too_long_to_call_is_an_ending(workspace):
    ending = asyncio.run(_run_program(workspace, "/bin/true", "x" * 3_000_000))
    assert ending.error == "/bin/true cannot be started: Argument list too long"


async def _run_program(workspace, *argv: str) -> Ending:
    environment = {"PATH": os.environ["PATH"]}
    return await run_process(
        argv, workspace=workspace, environment=environment, stdin=b"", deadline_s=5
    )
