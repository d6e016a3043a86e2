"""The program as a user runs it: a call, what it printed, and a small suite to call it on."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from cli.main import main

ROOT = Path(__file__).parents[2]

CASES = (
    {"id": "eggs", "question": "How many eggs are 2 and 3?", "facts": {"total": ["5"]}},
    {"id": "cups", "question": "How many cups are 2 and 2?", "facts": {"total": ["4"]}},
    {"id": "pens", "question": "How many pens are 4 and 3?", "facts": {"total": ["7"]}},
)
CHECK = {
    "check_name": "total",
    "grader": "amount",
    "fact_name": "total",
    "pattern": "A: (.*)",
    "minimum_pass_rate": 0.6,
    "description": "The line 'A:' states the total.",
}
ANSWERS = {
    "good": {"eggs": "A: 5", "cups": "2 + 2\nA: 4", "pens": "A: 7"},
    "bad": {"eggs": "A: 5", "cups": "A: 22", "pens": "I do not know."},
    "absent": {"eggs": "A: 5", "cups": "A: 4"},
}


class Done(NamedTuple):
    """A call that came to its end."""

    code: int
    out: str
    err: str

    def json(self):
        return json.loads(self.out)


class _Stream(io.TextIOWrapper):
    """Standard output in memory; bytes written to its buffer are kept as they are."""

    def __init__(self):
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def text(self):
        return self.buffer.getvalue().decode()  # type: ignore[attr-defined]


def call(*arguments):
    """Run the program in this process."""
    out, err = _Stream(), _Stream()
    code = None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as left:
            code = left.code
    assert isinstance(code, int)
    return Done(code, out.text(), err.text())


def spawn(*arguments, cwd=None, **variables):
    """Run the program in a process of its own, its output in a pipe."""
    command = [sys.executable, "-c", "from cli.main import main; main()"]
    done = subprocess.run(
        [*command, *(str(argument) for argument in arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def write_suite(folder, **changes):
    """Write the suite to ``folder``, with a configuration for each set of ``ANSWERS``."""
    document = {
        "suite_name": "sums",
        "variants": [{"variant_name": "plain", "prompt_file": "prompt.md"}],
        "cases": "cases.jsonl",
        "checks": [CHECK],
        **changes,
    }
    for name in ("configurations", "answers"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "eval_suite.json").write_text(json.dumps(document))
    (folder / "prompt.md").write_text("{{question}}\n")
    write_lines(folder / "cases.jsonl", CASES)
    for name, answers in ANSWERS.items():
        lines = [{"case": case, "answer": answer} for case, answer in answers.items()]
        write_lines(folder / "answers" / f"{name}.jsonl", lines)
        settings = {"answers_file": f"../answers/{name}.jsonl"}
        configuration = {"provider": "recorded", "model": "m-1", "settings": settings}
        (folder / "configurations" / f"{name}.json").write_text(json.dumps(configuration))
    return folder


def write_lines(path, records):
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
