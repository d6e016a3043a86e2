"""Peak memory of the program's own commands, on a short log and on a long one.

1. each command is a process of its own; ``verify`` starts others, and what counts is the sum of
   their peaks, an upper bound;
2. a peak is what the kernel says (``VmHWM``), looked at every few milliseconds while the process
   lives; where there is no ``/proc``, the largest process counts (``getrusage``).
"""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from bench.ledgers import copy_ledger, make_log, make_template
from bench.measurement import Figure, Row, Setting, at_most
from bench.startup import PROGRAM

SHORT, LONG = 100_000, 1_000_000
FEW, MANY = 1_000, 50_000
LOOK_S = 0.02
MEBI = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """Bytes: of all processes of a command together, and of the largest."""

    together: int
    largest: int


def measure(setting: Setting) -> list[Row]:
    if setting.is_quick:
        return _measure_runs(setting, (FEW,))
    return [*_measure_logs(setting), *_measure_runs(setting, (FEW, MANY))]


def _measure_logs(setting: Setting) -> list[Row]:
    rows: list[Row] = []
    logs = [make_log(setting.folder, events) for events in (SHORT, LONG)]
    with as_file(files("examples") / "gsm8k") as example:
        run = ["run", str(example), "-c", "6b_finetuning", "--json"]
        for name, arguments in (("verify", ["verify"]), ("rebuild", ["rebuild"]), ("run", run)):
            peaks = [measure_peak(["--ledger", str(log), *arguments]) for log in logs]
            what = "run of 400 trials" if name == "run" else name
            rows += _report(
                f"memory_{name}", what, "events", dict(zip((SHORT, LONG), peaks, strict=True))
            )
    return rows


def _measure_runs(setting: Setting, sizes: tuple[int, ...]) -> list[Row]:
    """Measure runs that are long themselves: cases and repetitions with a file of answers."""
    peaks: dict[int, Peak] = {}
    template, _ = make_template(setting.folder)
    for trials in sizes:
        suite = write_suite(setting.folder / f"suite-{trials}", trials)
        ledger = copy_ledger(template, setting.folder / f"run-{trials}")
        peaks[trials] = measure_peak(
            ["--ledger", str(ledger), "run", str(suite), "-c", "recorded", "--json"]
        )
    return _report("memory_long_run", "run", "trials", peaks)


def _report(name: str, what: str, noun: str, peaks: dict[int, Peak]) -> list[Row]:
    sizes = list(peaks)
    figures = {
        f"{size:,} {noun}": Figure(unit="MB", samples=[peak.together / MEBI])
        for size, peak in peaks.items()
    }
    last = peaks[sizes[-1]]
    rows = [
        Row(
            name=name,
            what=f"peak memory, {what}, {sizes[-1]:,} {noun}",
            unit="MB",
            samples=[last.together / MEBI],
            bar=at_most(300),
            figures={"largest process": Figure(unit="MB", samples=[last.largest / MEBI])},
        )
    ]
    if len(sizes) > 1:
        rows.append(
            Row(
                name=f"{name}_growth",
                what=f"the same, against {sizes[0]:,} {noun}",
                unit="×",
                samples=[last.together / peaks[sizes[0]].together],
                figures=figures,
            )
        )
    return rows


def measure_peak(arguments: list[str]) -> Peak:
    """Run the program and return how much memory it took at most."""
    command = [*PROGRAM, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peaks: dict[int, int] = {}
    code: int | None = None
    usage = None
    while code is None:
        for pid in _find_family(process.pid):
            peaks[pid] = max(peaks.get(pid, 0), _read_peak(pid))
        time.sleep(LOOK_S)
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status) if pid else None
    process.returncode = code
    # 1 is a gate that failed: a scorecard's matter, not ours.
    assert code in (0, 1), f"{command[-4:]}: exit status {code}"
    if not any(peaks.values()):
        assert usage is not None
        largest = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        return Peak(together=largest, largest=largest)
    return Peak(together=sum(peaks.values()), largest=max(peaks.values()))


def _find_family(pid: int) -> list[int]:
    """Return ``pid`` and all that it started, as far as they live."""
    family = [pid]
    for member in family:
        for path in Path(f"/proc/{member}/task").glob("*/children"):
            try:
                family += [int(child) for child in path.read_text().split()]
            except OSError:
                continue
    return family


def _read_peak(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    lines = (line.split() for line in status.splitlines() if line.startswith("VmHWM:"))
    return next((int(line[1]) * 1024 for line in lines), 0)


def write_suite(folder: Path, trials: int) -> Path:
    """Write a suite of 500 cases, repeated until there are ``trials``, and answers for all."""
    cases = 500
    repetitions = trials // cases
    for name in ("prompts", "configurations", "answers"):
        (folder / name).mkdir(parents=True)
    (folder / "prompts" / "plain.md").write_text("{{question}}\nState the amount last: 'A: 12'.\n")
    check = {"check_name": "final-answer", "grader": "amount", "fact_name": "final_answer"}
    check |= {"pattern": "\\nA:(.*)", "occurrence": "last", "tolerance": "0"}
    suite = {
        "suite_name": "long",
        "description": "A long run.",
        "variants": [{"variant_name": "plain", "prompt_file": "prompts/plain.md"}],
        "gated_variant": "plain",
        "cases": "cases.jsonl",
        "repetitions": repetitions,
        "checks": [{**check, "minimum_pass_rate": 0.5, "description": "The amount of the key."}],
    }
    (folder / "eval_suite.json").write_text(json.dumps(suite))
    with (folder / "cases.jsonl").open("w") as file:
        for n in range(cases):
            question = f"What is {n} plus {n}? " + "Think of it step by step. " * 8
            case = {
                "id": f"case-{n}",
                "question": question,
                "facts": {"final_answer": [str(2 * n)]},
            }
            file.write(json.dumps(case) + "\n")
    with (folder / "answers" / "recorded.jsonl").open("w") as file:
        for k in range(1, repetitions + 1):
            for n in range(cases):
                steps = " ".join(f"Step {i} of {k}: {n} and {i} is {n + i}." for i in range(12))
                line = {"case": f"case-{n}", "repetition": k, "answer": f"{steps}\nA: {2 * n}"}
                file.write(json.dumps(line) + "\n")
    configuration = {
        "provider": "recorded",
        "model": "model-1",
        "settings": {"answers_file": "../answers/recorded.jsonl"},
    }
    (folder / "configurations" / "recorded.json").write_text(json.dumps(configuration))
    return folder
