"""``verdict demo``: the main job on real answers, end to end, offline.

Four model configurations answered 400 questions each; the answers and the correctness published
beside them are real (examples/gsm8k). The demo runs, grades, traces, replays, signs, proves and
verifies, and leaves its ledger to go on looking.
"""

import json
import shlex
import shutil
import sys
import time
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path

import click

from cli.founding import init_ledger
from cli.prove import prove_event
from cli.render import print_report
from cli.replay import replay
from cli.run import find_configuration, make_provider, perform_run
from cli.setting import DATABASE, Opened, name_folder, open_ledger
from cli.trace import print_step
from cli.verify import exit_code, print_finding, print_tally, verify_folder
from ledger.digest import shorten_digest
from ledger.errors import NoLedger
from ledger.outcomes import Verdict
from ledger.projections import TRIALS, VERDICTS, VerdictState
from ledger.signing import sign_head
from trials.run import start_run
from trials.scorecard import Report
from trials.suite import load_configuration, load_suite
from trials.trace import trace_verdict

DEMOS = {
    "gsm8k": ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"),
}
"""Name of the example to the configurations that it runs."""

LEDGER_NAMES = {DATABASE, f"{DATABASE}-shm", f"{DATABASE}-wal"} | {
    *("artifacts", "last-signed", "locks", "signing.key", "staging")
}
"""What a ledger's folder may hold."""


@click.command()
@click.argument("name", type=click.Choice(sorted(DEMOS)), default="gsm8k", metavar="[NAME]")
@click.pass_obj
def command(where: str | None, name: str) -> None:
    """Run the worked example NAME; its ledger stays in .demo/NAME/.

    Real answers of four model configurations to 400 questions: 1,600 trials run and graded, a
    failed verdict traced to the bytes, a grading decided again, the log signed, an inclusion
    proved, everything verified. Nothing is asked of any network.
    """
    # VERDICT_LEDGER names a ledger to keep; an example is not written into it.
    folder = (name_folder(where) if where else None) or Path(".demo") / name
    _clear(folder)
    with as_file(files("examples") / name) as example:
        _perform(folder, example, DEMOS[name])


def _clear(folder: Path) -> None:
    """Remove the ledger of an earlier demo; nothing but a ledger is ever removed."""
    if not folder.exists():
        return
    is_ledger = not folder.is_symlink() and (folder / DATABASE).is_file()
    if folder.parent.name != ".demo" or not is_ledger or not _names(folder) <= LEDGER_NAMES:
        raise NoLedger(
            f"{folder}: it is there and holds more or less than a demo leaves: move it away, or "
            "name another folder with --ledger"
        )
    shutil.rmtree(folder)


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def _perform(folder: Path, example: Path, names: tuple[str, ...]) -> None:
    suite = load_suite(example)
    trials = len(suite.cases) * len(suite.variants) * suite.repetitions
    _say(f"1. {len(names)} configurations, {trials:,} trials each, recorded and graded")
    init_ledger(folder)
    with open_ledger(folder) as opened:
        begun = time.monotonic()
        reports = []
        for name in names:
            configuration = load_configuration(find_configuration(example, name))
            run = start_run(opened.ledger, suite, configuration)
            reports.append(perform_run(opened, run, make_provider(configuration)))
            print_report(reports[-1])
            click.echo()
        seconds = time.monotonic() - begun
        total = sum(report.inventory.planned for report in reports)
        click.echo(f"{total:,} trials in {seconds:.1f} s, {total / seconds:,.0f} a second")
        agreeing = sum(
            count_agreeing(opened, report, load_labels(example, name))
            for report, name in zip(reports, names, strict=True)
        )
        click.echo(f"{agreeing:,} of {total:,} verdicts equal the label published with the answer")
        failed = _find_failed(opened, reports[-1])
        _show_evidence(opened, reports[-1], failed)
    _say("6. everything verified")
    tally, findings = verify_folder(folder, tell=print_finding)
    print_tally(tally, findings)
    _say("what to try next")
    short = shorten_digest(failed.verdict_event)
    call = f"{name_program()} --ledger {shlex.quote(str(folder))}"
    for text in (
        f"scorecard {shorten_digest(reports[0].card.grading)} --failed",
        f"show {short}",
        f"replay {short}",
    ):
        click.echo(f"  {call} {text}")
    raise SystemExit(0 if exit_code(findings) == 0 else 1)


def name_program() -> str:
    """Return what calls this program again from here: its name, or its path if that is needed."""
    path = Path(sys.argv[0])
    if shutil.which("verdict") or path.name != "verdict":
        return "verdict"
    here = Path.cwd()
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))


def load_labels(example: Path, name: str) -> dict[str, bool]:
    """Return case and published correctness of the recorded answers of a configuration.

    No grader sees them: they stand in the ``metadata`` of the answers' lines.
    """
    lines = (example / "answers" / f"{name}.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return {record["case"]: record["metadata"]["is_correct"] for record in records}


def count_agreeing(opened: Opened, report: Report, labels: dict[str, bool]) -> int:
    """Return on how many trials the verdict says the same as the label."""
    card = report.card
    cases = {trial.slot: trial.case for trial in opened.keeper.scan(TRIALS, f"{card.run}/")}
    return sum(
        (state.verdict is Verdict.PASS) == labels[cases[state.slot]]
        for state in opened.keeper.scan(VERDICTS, f"{card.grading}/")
    )


def _show_evidence(opened: Opened, report: Report, failed: VerdictState) -> None:
    _say("2. one failed verdict, traced down to the bytes")
    for step in trace_verdict(opened.ledger, opened.keeper, failed.verdict_event):
        print_step(step)
    _say("3. a grading decided again, from recorded bytes alone")
    outcomes = [replayed.is_same for replayed in replay(opened, report.card.grading)]
    click.echo(f"{sum(outcomes):,} of {len(outcomes):,} verdicts came out the same")
    _say("4. the log signed: a checkpoint that other tools can check")
    click.echo(sign_head(opened.records, opened.open_signer()).note, nl=False)
    _say("5. proof that the failed verdict is in the signed log")
    click.echo(prove_event(opened, failed.verdict_event), nl=False)


def _find_failed(opened: Opened, report: Report) -> VerdictState:
    verdicts: Iterator[VerdictState] = opened.keeper.scan(VERDICTS, f"{report.card.grading}/")
    return next(state for state in verdicts if state.verdict is Verdict.FAIL)


def _say(title: str) -> None:
    click.secho(f"\n{title}", bold=True)
