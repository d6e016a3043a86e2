"""The example ``expense``: a household's expenses, analysed by six configurations, sixteen checks.

The sessions are scripted (``examples/expense_analysis``): nobody asked a model. They are graded by
the first answer key, and the same answers again by the revised one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import click
from rich.table import Table

from cli.demos.story import suggest, tell_title, verify_all
from cli.founding import init_ledger
from cli.render import console, format_count, format_rate, start_table
from cli.run import find_configuration, make_models, make_provider, perform_run
from cli.setting import Opened, open_ledger
from ledger.digest import Digest, shorten_digest
from ledger.events import DiagnosisMade
from ledger.projections import DIAGNOSES
from ledger.signing import sign_head
from trials.grade import grade_run
from trials.run import Run, draft_suite, start_run
from trials.scorecard import Report, Row, make_report
from trials.suite import Suite, load_configuration, load_suite
from trials.window import Respondent

CONFIGURATIONS = {
    "opus": True,
    "sonnet": True,
    "haiku": False,
    "sol": False,
    "astra": False,
    "luna": False,
}
"""Name to whether all three prompts are tried on it, or the gated one alone."""
FIRST_KEY = "eval_suite.first_key.json"
FINDINGS = "three-supported-findings"
"""The check whose verdicts the revised key moves."""
DIAGNOSED = (("haiku", "travel-august-total"), ("sonnet", "travel-august-total"))
"""Configuration and check of the wrong totals that part 5 explains, by the revised key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A configuration's run and its scorecards by the first and by the revised key."""

    name: str
    first: Report
    revised: Report


@dataclass(frozen=True, slots=True, kw_only=True)
class _Keys:
    """The suite with the first key and with the revised one.

    Attributes:
        registered: the event of the revised one.
        models: answer the graders' questions; both suites name the same.
    """

    first: Suite
    revised: Suite
    registered: Digest
    models: Mapping[str, Respondent]


def perform(folder: Path, example: Path) -> int:
    """Tell the story on a new ledger in ``folder``; return the exit code.

    Args:
        folder: where the ledger is made.
        example: the example's folder.
    """
    first, revised = load_suite(example / FIRST_KEY), load_suite(example)
    init_ledger(folder)
    click.echo("The sessions of this example are scripted, the graders' too: no model was asked.")
    with open_ledger(folder) as opened:
        tell_title("1. six configurations, five trials each, graded by the first answer key")
        registered = opened.ledger.append([draft_suite(opened.ledger, revised)])[0].address
        models = make_models(revised)
        keys = _Keys(first=first, revised=revised, registered=registered, models=models)
        graded = [_grade_twice(opened, example, name, keys) for name in CONFIGURATIONS]
        total = sum(one.first.inventory.planned for one in graded)
        verdicts = sum(one.first.card.given for one in graded)
        click.echo(
            f"{total:,} trials, {verdicts:,} verdicts; three prompts on two of the "
            "configurations, the last prompt on all"
        )
        tell_title(f"2. by the first key: {FINDINGS}")
        _show_findings(opened, graded)
        tell_title("3. the same answers graded again, by the revised key: Steam may be Shopping")
        _show_lowest(graded)
        tell_title("4. three prompts, one examination")
        _show_prompts([one for one in graded if CONFIGURATIONS[one.name]], revised)
        tell_title("5. wrong totals, and what may have led to them")
        _show_diagnoses(opened, graded)
        sign_head(opened.records, opened.open_signer())
    tell_title("6. everything verified")
    code = verify_all(folder)
    haiku = shorten_digest(next(one for one in graded if one.name == "haiku").revised.card.grading)
    suggest(
        folder,
        [
            f"scorecard {haiku} --failed",
            f"scorecard {haiku} --format html > haiku.html",
            f"replay {haiku}",
        ],
    )
    return code


def _grade_twice(opened: Opened, example: Path, name: str, keys: _Keys) -> Graded:
    configuration = load_configuration(find_configuration(example, name))
    variants = () if CONFIGURATIONS[name] else (keys.first.gated_variant,)
    run = start_run(opened.ledger, keys.first, configuration, variants=variants)
    report = perform_run(opened, run, make_provider(configuration), keys.models)
    return Graded(name=name, first=report, revised=_grade_again(opened, run, keys))


def _grade_again(opened: Opened, run: Run, keys: _Keys) -> Report:
    """Grade the recorded answers of ``run`` by the revised key."""
    ledger, keeper, suite = opened.ledger, opened.keeper, keys.revised
    card = grade_run(ledger, keeper, run.address, keys.registered, suite, models=keys.models)
    return make_report(ledger, keeper, card.grading)


def _show_findings(opened: Opened, graded: list[Graded]) -> None:
    table = _make_table("configuration", "model", "passed")
    for one in graded:
        row = _find_row(one.first, FINDINGS)
        passed = f"{_format_passed(row)} = {format_rate(row.rate)}"
        table.add_row(one.name, one.first.inventory.model, passed)
    console().print(table)
    for name in ("sol", "astra"):
        one = next(one for one in graded if one.name == name)
        _print_statements(name, _read_statements(opened, one.first, FINDINGS))


def _show_lowest(graded: list[Graded]) -> None:
    table = _make_table(
        "configuration", "model", "effort", "first key", "revised", "checks", "gate"
    )
    for one in graded:
        first, revised = (find_lowest(report) for report in (one.first, one.revised))
        names = [row.counts.check for row in revised if not _is_full(row)]
        inventory = one.revised.inventory
        table.add_row(
            one.name,
            inventory.model,
            inventory.effort or "",
            _format_passed(first[0]),
            _format_passed(revised[0]),
            ", ".join(names) or "all",
            one.revised.gate,
        )
    console().print(table)
    click.echo(
        "the lowest pass rate of the sixteen checks on the last prompt, and which checks have it"
    )


def _show_prompts(graded: list[Graded], suite: Suite) -> None:
    table = _make_table("configuration", "prompt", "did not pass in every trial")
    for one in graded:
        for variant in suite.variants:
            rows = [row for row in one.revised.rows if row.counts.variant == variant.name]
            short = [row for row in rows if not _is_full(row)]
            told = ", ".join(f"{row.counts.check} {_format_passed(row)}" for row in short)
            table.add_row(one.name, variant.name, told or "nothing")
    console().print(table)


def _show_diagnoses(opened: Opened, graded: list[Graded]) -> None:
    for name, check in DIAGNOSED:
        one = next(one for one in graded if one.name == name)
        _print_statements(name, _read_statements(opened, one.revised, check))
    click.echo(
        "A candidate is arithmetic, not an observation: open the session to see what happened."
    )


def find_lowest(report: Report) -> list[Row]:
    """Return the rows of the gated variant whose pass rate is the lowest, at least one."""
    rows = [row for row in report.rows if row.is_gated]
    lowest = min(row.rate or Fraction(0) for row in rows)
    return [row for row in rows if (row.rate or Fraction(0)) == lowest]


def _find_row(report: Report, check: str) -> Row:
    return next(row for row in report.rows if row.is_gated and row.counts.check == check)


def _is_full(row: Row) -> bool:
    return row.ratio.passed == row.ratio.counted


def _format_passed(row: Row) -> str:
    return f"{row.ratio.passed}/{row.ratio.counted}"


def _read_statements(opened: Opened, report: Report, check: str) -> list[str]:
    """Return each statement of a diagnosis of ``check`` in a grading, once, with its count."""
    statements: Counter[str] = Counter()
    for state in opened.keeper.scan(DIAGNOSES, f"{report.card.grading}/"):
        if state.check == check:
            body = opened.ledger.find(state.diagnosis_event).event.body
            assert isinstance(body, DiagnosisMade)  # noqa: S101 - what the projection folds
            statements[body.statement] += 1
    return [f"{text} ({format_count(count, 'trial')})" for text, count in statements.items()]


def _print_statements(name: str, statements: Iterable[str]) -> None:
    for statement in statements:
        click.echo(f"{name}: {statement}")


def _make_table(*columns: str) -> Table:
    table = start_table()
    for column in columns:
        table.add_column(column)
    return table
