"""The example ``gsm8k``: real answers to 400 questions, and the label published with each.

Four model configurations answered; the demo runs, grades, traces, replays, signs, proves and
verifies.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import click

from cli.demos.story import suggest, tell_title, verify_all
from cli.founding import init_ledger
from cli.prove import prove_event
from cli.render import print_report
from cli.replay import replay
from cli.run import find_configuration, make_models, make_provider, perform_run
from cli.setting import Opened, open_ledger
from cli.trace import print_step
from ledger.digest import shorten_digest
from ledger.outcomes import Verdict
from ledger.projections import TRIALS, VERDICTS, VerdictState
from ledger.signing import sign_head
from trials.plan import count_trials
from trials.run import start_run
from trials.scorecard import Report
from trials.suite import load_configuration, load_suite
from trials.trace import trace_verdict

CONFIGURATIONS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")


def perform(folder: Path, example: Path) -> int:
    """Tell the story on a new ledger in ``folder``; return the exit code.

    Args:
        folder: where the ledger is made.
        example: the example's folder.
    """
    suite = load_suite(example)
    trials = count_trials(suite)
    tell_title(
        f"1. {len(CONFIGURATIONS)} configurations, {trials:,} trials each, recorded and graded"
    )
    init_ledger(folder)
    with open_ledger(folder) as opened:
        models = make_models(suite)
        begun = time.monotonic()
        reports = []
        for name in CONFIGURATIONS:
            configuration = load_configuration(find_configuration(example, name))
            run = start_run(opened.ledger, suite, configuration)
            reports.append(perform_run(opened, run, make_provider(configuration), models))
            print_report(reports[-1])
            click.echo()
        seconds = time.monotonic() - begun
        total = sum(report.inventory.planned for report in reports)
        click.echo(f"{total:,} trials in {seconds:.1f} s, {total / seconds:,.0f} a second")
        agreeing = sum(
            count_agreeing(opened, report, load_labels(example, name))
            for report, name in zip(reports, CONFIGURATIONS, strict=True)
        )
        click.echo(f"{agreeing:,} of {total:,} verdicts equal the label published with the answer")
        failed = _find_failed(opened, reports[-1])
        _show_evidence(opened, reports[-1], failed)
    tell_title("6. everything verified")
    code = verify_all(folder)
    short = shorten_digest(failed.verdict_event)
    grading = shorten_digest(reports[0].card.grading)
    suggest(folder, [f"scorecard {grading} --failed", f"show {short}", f"replay {short}"])
    return code


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
    tell_title("2. one failed verdict, traced down to the bytes")
    for step in trace_verdict(opened.ledger, opened.keeper, failed.verdict_event):
        print_step(step)
    tell_title("3. a grading decided again, from recorded bytes alone")
    outcomes = [replayed.is_same for replayed in replay(opened, report.card.grading)]
    click.echo(f"{sum(outcomes):,} of {len(outcomes):,} verdicts came out the same")
    tell_title("4. the log signed: a checkpoint that other tools can check")
    click.echo(sign_head(opened.records, opened.open_signer()).note, nl=False)
    tell_title("5. proof that the failed verdict is in the signed log")
    click.echo(prove_event(opened, failed.verdict_event), nl=False)


def _find_failed(opened: Opened, report: Report) -> VerdictState:
    verdicts: Iterator[VerdictState] = opened.keeper.scan(VERDICTS, f"{report.card.grading}/")
    return next(state for state in verdicts if state.verdict is Verdict.FAIL)
