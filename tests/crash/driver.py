"""Kills ``verdict run`` again and again, and prints what each kill left: a program for tests.

    python tests/crash/driver.py LEDGER SUITE SEED KILLS

Each run is a process of its own, forked from this one so that it need not import everything
again, with a SUITE that is written anew. It tells through a pipe what it was acknowledged; after a
random number of those, and a random moment more, it gets SIGKILL. Then ``verify`` looks, and the
next process resumes. One line of JSON a process: what ended it (``signal``, ``exit``), what was
``acknowledged`` as position and address, and what ``verify`` says.
"""

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from cli.main import COMMANDS  # noqa: E402 - from the checkout, wherever the program stands
from ledger.log import Ledger  # noqa: E402
from tests.trials.runs import call_verdict, make_answer, write_suite  # noqa: E402

CASES, REPETITIONS = 20, 4
DELAY_S_MAX = 0.004
ACKNOWLEDGED_MAX = 90


def drive(ledger: Path, suite: Path, seed: int, kills: int) -> None:
    """Kill ``kills`` runs, and let the last one end."""
    chance = random.Random(seed)
    tell({"seed": seed})
    resume: tuple[str, ...] = ()
    done = 0
    while done < kills or resume:
        if not resume:
            write_new_suite(suite, chance.getrandbits(32))
        is_last = done >= kills
        concurrency = chance.choice((1, 2, 7, 32))
        options = (*resume, "--concurrency", str(concurrency))
        ended = run_and_kill(ledger, suite, options, None if is_last else chance)
        done += ended["signal"] == signal.SIGKILL
        tell(ended | {"verify": verify(ledger)})
        # Nothing unfinished, or just finished: a new run. Else the same one goes on.
        resume = () if ended["exit"] is not None else ("--resume", "last")


def write_new_suite(suite: Path, salt: int) -> None:
    """Write a suite whose large answers no run has had: each run has files to stage."""
    answers = [
        make_answer(number, salt=f"{salt}/{repetition}/", large_each=3) | {"repetition": repetition}
        for repetition in range(1, REPETITIONS + 1)
        for number in range(CASES)
    ]
    write_suite(suite, CASES, repetitions=REPETITIONS, answers=answers)


def tell(what: dict[str, Any]) -> None:
    """Print a line of JSON."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def run_and_kill(
    ledger: Path, suite: Path, options: tuple[str, ...], chance: random.Random | None
) -> dict[str, Any]:
    """Run, kill at a random point if there is a ``chance``, and say what came of it."""
    out, tell = os.pipe()
    child = fork(lambda: run(ledger, suite, options, tell))
    os.close(tell)
    told = b""
    if chance is not None:
        # A tenth of the kills come before anything was acknowledged.
        wanted = max(0, chance.randint(-ACKNOWLEDGED_MAX // 10, ACKNOWLEDGED_MAX))
        while told.count(b"\n") < wanted and (some := os.read(out, 65536)):
            told += some
        time.sleep(chance.uniform(0, DELAY_S_MAX if wanted else 20 * DELAY_S_MAX))
        os.kill(child, signal.SIGKILL)
    while some := os.read(out, 65536):
        told += some
    os.close(out)
    _, status = os.waitpid(child, 0)
    return {
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        # A line that the kill tore was not told.
        "acknowledged": [line.split() for line in told.decode().split("\n")[:-1]],
    }


def run(ledger: Path, suite: Path, options: tuple[str, ...], tell: int) -> int:
    """``verdict run``, told of what is acknowledged."""
    submit = Ledger.submit

    def submit_and_tell(self, drafts):
        future = submit(self, drafts)
        future.add_done_callback(
            lambda done: os.write(
                tell, "".join(f"{r.position} {r.address}\n" for r in done.result()).encode()
            )
        )
        return future

    Ledger.submit = submit_and_tell  # type: ignore[method-assign]
    called = call_verdict("--ledger", ledger, "run", suite, "-c", "m", *options)
    if called.code not in (0, 1) and "no unfinished run" not in called.err:
        sys.stderr.write(called.err)
    return called.code


def verify(ledger: Path) -> Any:
    """Return what ``verdict verify --json`` prints."""
    out, tell = os.pipe()

    def look() -> int:
        os.write(tell, call_verdict("--ledger", ledger, "verify", "--json").out.encode())
        return 0

    child = fork(look)
    os.close(tell)
    with os.fdopen(out, "rb") as file:
        data = file.read()
    os.waitpid(child, 0)
    return json.loads(data)


def fork(work: Callable[[], int]) -> int:
    """Do ``work`` in another process, which ends with what it returns."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            code = work()
        finally:
            os._exit(code)
    return child


if __name__ == "__main__":
    for module, _ in COMMANDS.values():
        __import__(module)
    drive(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
