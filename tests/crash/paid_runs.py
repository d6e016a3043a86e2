"""``verdict run`` as a process that asks a ``PaidServer``, and what its ledger says was paid.

with start_run(ledger, suite) as run:
    run.interrupt()
read_account(ledger).check(server)
"""

import json
import signal
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from cli.setting import open_ledger
from ledger.artifact import decode_text
from ledger.canonical import parse_canonical
from ledger.digest import Digest
from ledger.events import (
    AttemptFailed,
    Body,
    GraderAnswered,
    GraderAsked,
    RunCompleted,
    RunStopped,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
)
from tests.crash.paid_server import PATIENCE_S, PaidServer
from tests.trials.runs import write_suite
from trials.attempts import CUT_OFF

PROGRAM = (sys.executable, "-c", "from cli.main import main; main()")
ROOT = Path(__file__).parents[2]
CONFIGURATION = "paid"
ATTEMPTS_MAX = 8

Picked = TypeVar("Picked", bound=Body)


def write_paid_suite(folder: Path, cases: int, server: PaidServer, **options: Any) -> Path:
    """Write a suite of ``cases`` questions, each another, and a configuration that asks ``server``.

    The other options are those of ``write_suite``.
    """
    write_suite(folder, cases, **options)
    configuration = describe_configuration(server)
    (folder / "configurations" / f"{CONFIGURATION}.json").write_text(json.dumps(configuration))
    return folder


def write_judged_suite(folder: Path, cases: int, server: PaidServer) -> Path:
    """Write a suite whose answers a judge grades: ``server`` is both, and is asked twice a case."""
    check = {
        "check_name": "good",
        "grader": "judge",
        "rubric_file": "rubric.md",
        "minimum_pass_rate": 1,
        "description": "Is good.",
    }
    write_paid_suite(folder, cases, server, checks=[check])
    document = json.loads((folder / "eval_suite.json").read_bytes())
    document["grader_configurations"] = {"judge": "judge.json"}
    (folder / "eval_suite.json").write_text(json.dumps(document))
    (folder / "rubric.md").write_text("Pass whatever there is.\n")
    (folder / "judge.json").write_text(json.dumps(describe_configuration(server)))
    return folder


def describe_configuration(server: PaidServer) -> dict[str, Any]:
    """Return the document of a configuration that asks ``server``."""
    return {
        "provider": "http",
        "model": "app-1",
        "limits": {"attempts_max": ATTEMPTS_MAX},
        "settings": {
            "url": f"http://127.0.0.1:{server.server_port}/answers",
            "body": {"question": "{{prompt}}"},
            "answer": "/answer",
        },
    }


@dataclass(slots=True)
class RunProcess:
    """``verdict run`` under way."""

    process: subprocess.Popen[str]
    server: PaidServer
    said: list[str] = field(default_factory=list)

    def is_over(self) -> bool:
        """Return whether it has ended."""
        return self.process.poll() is not None

    def kill(self) -> None:
        """End it with SIGKILL, in the middle of whatever it does."""
        assert not self.is_over(), self.read()
        self.process.kill()
        self.process.wait()
        self.server.let_go()

    def interrupt(self) -> None:
        """Send what Ctrl-C sends."""
        self.process.send_signal(signal.SIGINT)

    def await_line(self, text: str) -> None:
        """Return when it has said a line with ``text`` on its standard error."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            if text in line:
                return
        raise AssertionError(self.said)

    def read(self) -> str:
        """Wait until it ends, and return all that it said on its standard error."""
        return "".join([*self.said, self.process.communicate()[1]])


@contextmanager
def start_run(ledger: Path, suite: Path, server: PaidServer, *options: str) -> Iterator[RunProcess]:
    """Start ``verdict run``; it is ended at the end of the block, or where it hangs."""
    arguments = ["--ledger", str(ledger), "run", str(suite), "-c", CONFIGURATION, *options]
    with subprocess.Popen(
        [*PROGRAM, *arguments],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        limit = threading.Timer(PATIENCE_S, process.kill)
        limit.start()
        try:
            yield RunProcess(process, server)
        finally:
            limit.cancel()
            process.kill()
            server.let_go()


def finish_run(ledger: Path, suite: Path, server: PaidServer, *options: str) -> tuple[int, str]:
    """Run to the end, and return the exit code with what was said on the standard error."""
    with start_run(ledger, suite, server, *options) as run:
        said = run.read()
        return run.process.returncode, said


@dataclass(frozen=True, slots=True)
class Account:
    """What a ledger of one run says.

    Attributes:
        bodies: of all events, in order.
        questions: of each trial, and of each question of a grader: what was asked.
        failures: of each question: the causes of ``attempt.failed``, in order.
        attempts: of each question: the numbers of all attempts that are on record; the answer
            of a grader has none.
    """

    bodies: list[Body]
    questions: dict[Digest, str]
    failures: defaultdict[str, list[str]]
    attempts: defaultdict[str, list[int]]

    def pick(self, kind: type[Picked]) -> list[Picked]:
        """Return the bodies of ``kind``."""
        return [body for body in self.bodies if isinstance(body, kind)]

    def list_answered(self) -> set[str]:
        """Return the questions whose answer is on record."""
        answered = {body.trial for body in self.pick(TrialCompleted)}
        answered |= {body.asked for body in self.pick(GraderAnswered)}
        return {self.questions[subject] for subject in answered}

    def count_causes(self) -> Counter[str]:
        """Return how often an attempt failed for each cause."""
        return Counter(cause for causes in self.failures.values() for cause in causes)

    def check_paid(self, server: PaidServer) -> None:
        """Check that nothing was sent twice without a reason on record for just this question."""
        for question in self.questions.values():
            causes = self.failures[question]
            assert server.seen[question] <= 1 + len(causes), (question, causes)
            assert server.paid[question] <= 1 + causes.count(CUT_OFF), (question, causes)
            numbers = self.attempts[question]
            assert numbers == list(range(1, len(numbers) + 1)), question
        assert set(server.seen) <= set(self.questions.values())

    def check_complete(self, planned: int) -> None:
        """Check that each slot has one trial and one answer, and that the run says so."""
        slots = dict.fromkeys(range(planned), 1)
        assert Counter(body.slot for body in self.pick(TrialStarted)) == slots
        assert Counter(body.slot for body in self.pick(TrialCompleted)) == slots
        assert self.pick(TrialFailed) == []
        (completed,) = self.pick(RunCompleted)
        assert (completed.completed, completed.failed) == (planned, 0)

    def list_stops(self) -> list[str]:
        """Return why work was stopped, each time."""
        return [body.cause for body in self.pick(RunStopped)]


def read_account(ledger: Path) -> Account:
    """Return what the ledger says by now."""
    account = Account([], {}, defaultdict(list), defaultdict(list))
    with open_ledger(ledger) as opened:
        for entry in opened.ledger.read():
            body = entry.event.body
            account.bodies.append(body)
            if isinstance(body, TrialStarted):
                question = decode_text(opened.ledger.get(body.prompt.address))
                account.questions[entry.address] = question
            elif isinstance(body, GraderAsked):
                request: Any = parse_canonical(opened.ledger.get(body.request.address))
                account.questions[entry.address] = request["prompt"]
            elif isinstance(body, AttemptFailed):
                account.failures[account.questions[body.subject]].append(body.cause)
                account.attempts[account.questions[body.subject]].append(body.attempt)
            elif isinstance(body, TrialCompleted | TrialFailed):
                account.attempts[account.questions[body.trial]].append(body.attempt)
    return account
