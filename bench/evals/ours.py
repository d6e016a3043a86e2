"""The workload by this program, in one process: suite, ledger, trials, grading; all recorded.

    python -m bench.evals.ours FOLDER TRIALS REPETITIONS

What a caller of the Python API writes: a folder with a suite, a provider of one's own, and
``start_run``, ``run_trials``, ``grade_run``. The ledger is made in FOLDER with the settings that
every ledger has: each commit is on the disk before anybody is told of it.
"""

import json
import sys
from pathlib import Path

from bench.evals.workload import INPUT_TOKENS, OUTPUT_TOKENS, count_passes, make_items
from cli.founding import init_ledger
from cli.setting import open_ledger
from ledger.outcomes import Verdict
from providers import SessionRequest, SessionResult, Tokens
from trials.engine import run_trials
from trials.grade import grade_run
from trials.run import start_run
from trials.suite import load_configuration, load_suite

SUITE = {
    "suite_name": "echo",
    "variants": [{"variant_name": "plain", "prompt_file": "prompt.md"}],
    "cases": "cases.jsonl",
    "checks": [
        {
            "check_name": "says-the-word",
            "grader": "phrases",
            "minimum_pass_rate": 0.9,
            "description": "The word of the key stands in the answer.",
        }
    ],
}
CONFIGURATION = {"provider": "echo", "model": "echo-1"}
ACTOR = "bench"
CONCURRENCY = 64


class Echo:
    """Answers with the prompt, and leaves the bytes of a request and of a response behind."""

    async def respond(self, request: SessionRequest) -> SessionResult:
        """Return the prompt as the answer."""
        sent = {"model": request.model, "input": request.prompt}
        usage = {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS}
        came = {"model": request.model, "output": request.prompt, "usage": usage}
        return SessionResult(
            answer=request.prompt,
            sent=json.dumps(sent).encode(),
            response=json.dumps(came).encode(),
            media="application/json",
            resolved_model=request.model,
            stop_reason="stop",
            usage=tuple(usage.items()),
            tokens=Tokens(input=INPUT_TOKENS, output=OUTPUT_TOKENS),
        )


def write_suite(folder: Path, cases: int, repetitions: int) -> Path:
    """Write the suite and its configuration; return the configuration's file."""
    folder.mkdir()
    (folder / "eval_suite.json").write_text(json.dumps(SUITE | {"repetitions": repetitions}))
    (folder / "prompt.md").write_text("{{question}}")
    with (folder / "cases.jsonl").open("w") as file:
        for item in make_items(cases):
            case = {"id": item.name, "question": item.prompt, "must_include": [item.word]}
            file.write(json.dumps(case) + "\n")
    configuration = folder / "echo.json"
    configuration.write_text(json.dumps(CONFIGURATION))
    return configuration


def perform(folder: Path, trials: int, repetitions: int) -> int:
    """Make ``trials`` trials, so many of each item, in a new ledger; return how many passed."""
    cases = trials // repetitions
    configuration = load_configuration(write_suite(folder / "suite", cases, repetitions))
    suite = load_suite(folder / "suite")
    init_ledger(folder / "ledger")
    with open_ledger(folder / "ledger", ACTOR) as opened:
        ledger, keeper = opened.ledger, opened.keeper
        run = start_run(ledger, suite, configuration)
        run_trials(run, ledger, keeper, Echo(), concurrency=CONCURRENCY)
        card = grade_run(ledger, keeper, run.address, run.suite_event, suite)
        assert ledger.head().size > 3 * trials, "a start, an outcome and a verdict for each trial"
    return sum(row.count(Verdict.PASS) for row in card.rows)


def main() -> None:
    trials, repetitions = int(sys.argv[2]), int(sys.argv[3])
    passes = perform(Path(sys.argv[1]), trials, repetitions)
    assert passes == repetitions * count_passes(trials // repetitions), f"{passes:,} passes"


if __name__ == "__main__":
    main()
