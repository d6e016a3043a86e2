"""Small suites with recorded answers, and the program itself, for tests of whole runs."""

import contextlib
import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from cli.main import main
from cli.setting import Opened, open_ledger

CHECKS = [
    {
        "check_name": "says",
        "grader": "phrases",
        "minimum_pass_rate": 0.5,
        "description": "Says what it has to.",
    },
    {
        "check_name": "total",
        "grader": "amount",
        "fact_name": "total",
        "pattern": "TOTAL (.*)",
        "minimum_pass_rate": 0.5,
        "description": "States the total.",
    },
]
LARGE = 40_000
"""Characters of an answer that is kept as a file."""


class Called(NamedTuple):
    """What a call of the program came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed for programs."""
        return json.loads(self.out)


def call_verdict(*arguments: str | Path) -> Called:
    """Run the program in this process."""
    out, err = io.StringIO(), io.StringIO()
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as leave:
            code = leave.code
    return Called(code, out.getvalue(), err.getvalue())


def make_case(number: int) -> dict[str, Any]:
    """Return the record of case ``c<number>``."""
    return {
        "id": f"c{number}",
        "question": f"How much is {number}?",
        "must_include": ["total"],
        "facts": {"total": str(number)},
    }


def make_answer(number: int, *, salt: str = "", large_each: int = 10) -> dict[str, Any]:
    """Return the line of an answer; every third is wrong.

    Args:
        number: of the case.
        salt: makes the bytes of large answers others.
        large_each: every so many is too large for a row.
    """
    said = f"TOTAL {number if number % 3 else number + 1}"
    if number % large_each != large_each // 2:
        return {"case": f"c{number}", "answer": said}
    seeds = (f"{salt}{number}/{n}".encode() for n in range(LARGE // 64))
    large = "".join(hashlib.sha256(seed).hexdigest() for seed in seeds)
    return {"case": f"c{number}", "answer": f"{large}\n{said}"}


def write_suite(
    folder: Path,
    cases: int = 8,
    *,
    answers: list[dict[str, Any]] | bytes | None = None,
    checks: list[dict[str, Any]] | None = None,
    repetitions: int = 1,
    records: list[dict[str, Any]] | None = None,
) -> Path:
    """Write a suite of ``cases`` records and a configuration ``m`` of recorded answers.

    Args:
        folder: where to.
        cases: how many.
        answers: lines, or the file's very bytes; the made ones by default.
        checks: ``CHECKS`` by default.
        repetitions: of each case.
        records: the cases, instead of made ones.
    """
    suite = {
        "suite_name": "sums",
        "variants": [{"variant_name": "plain", "prompt_file": "plain.md"}],
        "cases": "cases.jsonl",
        "repetitions": repetitions,
        "checks": CHECKS if checks is None else checks,
    }
    judge = {"provider": "script", "model": "script-1", "effort": "low"}
    if any(check.get("grader") == "one_word" for check in checks or ()):
        suite["grader_configurations"] = {"judge": "judge.json"}
    if answers is None:
        answers = [
            make_answer(number) | {"repetition": repetition}
            for repetition in range(1, repetitions + 1)
            for number in range(cases)
        ]
    lines = answers if isinstance(answers, bytes) else _join(answers)
    configuration = {"provider": "recorded", "model": "m-1"}
    for name, data in (
        ("eval_suite.json", json.dumps(suite).encode()),
        ("plain.md", b"{{question}}\n"),
        ("cases.jsonl", _join(records or [make_case(number) for number in range(cases)])),
        (
            "configurations/m.json",
            json.dumps(configuration | {"settings": {"answers_file": "../answers.jsonl"}}).encode(),
        ),
        ("answers.jsonl", lines),
        ("judge.json", json.dumps(judge).encode()),
    ):
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return folder


def _join(lines: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def run_suite(ledger: Path, suite: Path, *options: str) -> Called:
    """``verdict run`` of a suite of ``write_suite``."""
    return call_verdict("--ledger", ledger, "run", suite, "-c", "m", *options)


def init_ledger(folder: Path) -> Path:
    """``verdict init``."""
    assert call_verdict("--ledger", folder, "init", "--origin", "test.example/log").code == 0
    return folder


@contextlib.contextmanager
def new_ledger(folder: Path) -> Iterator[Opened]:
    """Make a ledger in ``folder`` and open it."""
    init_ledger(folder)
    with open_ledger(folder, actor="ana") as opened:
        yield opened
