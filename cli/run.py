"""``verdict run``: trials, grading, scorecard, gate."""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import click

from cli.interrupt import catch_interrupts
from cli.options import AMOUNT
from cli.render import print_json, print_next, print_report, progress, report_to_json
from cli.setting import Opened, find_folder, hold_run, open_ledger
from ledger.digest import shorten_digest
from ledger.errors import Busy, FaultyInput, RunIncomplete, StoreUnavailable
from ledger.projections import Scorecard
from ledger.signing import check_continues, sign_head
from providers import Provider, Setup, Vault, find_provider
from trials.budget import Budget, Purse, Tariff, check_budget
from trials.engine import CONCURRENCY, Lane, run_window
from trials.grade import find_same, grade_run
from trials.pace import Pace
from trials.plan import SEED
from trials.run import Run, check_secrets, find_newest, resume_run, start_runs
from trials.scorecard import Report, make_report
from trials.spent import read_spent
from trials.suite import Configuration, Suite, load_configuration, load_suite
from trials.suite.contents import ENDINGS
from trials.window import Respondent, Window

CONFIGURATIONS = "configurations"
"""The folder of a suite that has what can be tested."""
EXIT_CODES = {"passed": 0, "failed": 1, "incomplete": 3}
MINUTE_S = 60
CONCURRENCIES = click.IntRange(1, 10_000)


@click.command()
@click.argument("suite", type=click.Path(path_type=Path))
@click.option(
    "--configuration",
    "-c",
    "named",
    required=True,
    multiple=True,
    metavar="NAME|FILE",
    help="What is under test: a file, or the name of one in the suite's configurations/. May be "
    "given several times: the trials of all take turns.",
)
@click.option(
    "--variant",
    "variants",
    multiple=True,
    metavar="NAME",
    help="Try this variant of the prompt and no other; may be given several times.",
)
@click.option("--resume", metavar="RUN|last", help="Go on with a run that was cut off.")
@click.option(
    "--seed",
    type=click.IntRange(0, 2**53 - 1),
    help=f"Draws the order of the trials, which is recorded.  [default: {SEED}]",
)
@click.option(
    "--concurrency",
    type=CONCURRENCIES,
    default=CONCURRENCY,
    show_default=True,
    help="Trials under way at a time.",
)
@click.option(
    "--grader-concurrency",
    type=CONCURRENCIES,
    default=CONCURRENCY,
    show_default=True,
    help="Trials that are graded at a time.",
)
@click.option(
    "--max-cost",
    "cost_usd_max",
    type=AMOUNT,
    help="Stop before the call that could bring the cost above so many US dollars.",
)
@click.option(
    "--max-tokens",
    "tokens_max",
    type=click.IntRange(1),
    help="Stop before the call that could bring the tokens above so many.",
)
@click.option(
    "--max-minutes",
    "minutes_max",
    type=click.FloatRange(0, min_open=True),
    help="Stop before the call that could end later.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the scorecard as JSON, for programs.")
@click.pass_obj
def command(
    where: str | None,
    *,
    suite: Path,
    named: tuple[str, ...],
    variants: tuple[str, ...],
    resume: str | None,
    seed: int | None,
    concurrency: int,
    grader_concurrency: int,
    cost_usd_max: Decimal | None,
    tokens_max: int | None,
    minutes_max: float | None,
    as_json: bool,
) -> None:
    """Run SUITE against a configuration, grade the trials, print the scorecard.

    The plan is recorded before the first answer, every answer with its bytes; at the end the log
    is signed. A run that was cut off, by whatever, goes on with --resume last: by Ctrl-C (which
    first finishes what is in flight), by a budget, by a provider that refuses every call.

    Credentials come from the environment alone (docs/providers.md) and are never recorded.

    Exit status: 0 gate passed, 1 gate failed, 2 usage or bad input, 3 incomplete.
    """
    for option, value in (("--variant", variants), ("--seed", seed)):
        if resume and value not in ((), None):
            raise FaultyInput([f"{option}: a run that is resumed has its plan; leave it out"])
    vault = Vault(os.environ)
    exam = _load(suite, named, vault)
    budget = Budget(
        cost_usd_max=cost_usd_max,
        tokens_max=tokens_max,
        wall_s_max=None if minutes_max is None else minutes_max * MINUTE_S,
    )
    tariff = Tariff(exam.suite.prices)
    check_budget(budget, tariff, [(each.configuration, each.provider) for each in exam.asked])
    with open_ledger(find_folder(where)) as opened:
        signer = opened.open_signer()
        check_continues(opened.records, signer)
        lanes = _open_lanes(opened, exam, variants, resume, seed)
        spent = read_spent(
            opened.ledger,
            {lane.run.address: lane.respondent for lane in lanes},
            exam.models.values(),
            tariff,
        )
        window = Window(
            vault=vault,
            purse=Purse(budget, tariff, spent),
            pace=Pace(each.configuration for each in exam.asked),
        )
        reports = perform_runs(
            opened,
            lanes,
            exam.models,
            window=window,
            concurrency=concurrency,
            grader_concurrency=grader_concurrency,
        )
        sign_head(opened.records, signer)
    if as_json:
        documents = [report_to_json(report) for report in reports]
        print_json(documents[0] if len(documents) == 1 else documents)
    else:
        _print_reports(where, reports)
    raise SystemExit(max(EXIT_CODES[report.gate] for report in reports))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Exam:
    """A suite with all who are asked: those under test, and the graders' models by role."""

    suite: Suite
    respondents: list[Respondent]
    models: dict[str, Respondent]

    @property
    def asked(self) -> list[Respondent]:
        return [*self.respondents, *self.models.values()]


def _load(suite: Path, named: Sequence[str], vault: Vault) -> _Exam:
    """Return what is to be run; nothing of it holds a secret.

    Raises:
        FaultyInput: a line for each fault. A secret is not repeated: a log of a build may keep it.
    """
    try:
        loaded = load_suite(suite)
        configurations = [load_configuration(find_configuration(suite, name)) for name in named]
        exam = _Exam(
            suite=loaded,
            respondents=[make_respondent(each, vault) for each in configurations],
            models=make_models(loaded, vault),
        )
        # Only now is it known which variables hold a credential under another name.
        check_secrets(vault, loaded, configurations)
        return exam
    except FaultyInput as error:
        raise FaultyInput([vault.scrub_text(line) for line in error.faults]) from error


def _open_lanes(
    opened: Opened, exam: _Exam, variants: Sequence[str], resume: str | None, seed: int | None
) -> list[Lane]:
    """Return the runs that are begun, or gone on with, and who answers each."""
    configurations = [each.configuration for each in exam.respondents]
    if resume is None:
        runs = start_runs(
            opened.ledger,
            exam.suite,
            configurations,
            variants=variants,
            seed=SEED if seed is None else seed,
        )
    else:
        runs = _find_runs(opened, exam.suite, configurations, resume)
    return [
        Lane(run=run, respondent=respondent)
        for run, respondent in zip(runs, exam.respondents, strict=True)
    ]


def _print_reports(where: str | None, reports: Sequence[Report]) -> None:
    for index, report in enumerate(reports):
        if index:
            click.echo()
        print_report(report)
        print_next(where, report)


def perform_run(
    opened: Opened, run: Run, provider: Provider, models: Mapping[str, Respondent]
) -> Report:
    """Make the trials of one run that are missing, grade them; as ``perform_runs``."""
    respondent = Respondent(configuration=run.configuration, provider=provider)
    (report,) = perform_runs(opened, [Lane(run=run, respondent=respondent)], models)
    return report


def perform_runs(
    opened: Opened,
    lanes: Sequence[Lane],
    models: Mapping[str, Respondent],
    *,
    window: Window | None = None,
    concurrency: int = CONCURRENCY,
    grader_concurrency: int = CONCURRENCY,
) -> list[Report]:
    """Make the trials that are missing, grade them, and return the scorecard of each run.

    Args:
        opened: the ledger.
        lanes: the runs, and who answers their trials.
        models: answer the graders' questions; made before the first trial, so that a fault in
            what they are made of is said before any trial is paid for.
        window: what all calls share.
        concurrency: trials under way at a time.
        grader_concurrency: trials that are graded at a time.

    Raises:
        RunIncomplete: it was cut off; what is recorded stands, and the message says how to go on.
    """
    ledger, keeper = opened.ledger, opened.keeper
    window = window or Window()
    runs = [lane.run for lane in lanes]
    with ExitStack() as held, catch_interrupts(window.stop):
        for run in runs:
            held.enter_context(hold_run(opened, run.address))
        try:
            with progress("trials ") as tell:
                run_window(lanes, ledger, keeper, window=window, concurrency=concurrency, tell=tell)
            _check_stopped(window)
            cards = [_grade(opened, run, models, window, grader_concurrency) for run in runs]
            if not all(card.is_complete for card in cards):
                _check_stopped(window)
        except (StoreUnavailable, Busy, RunIncomplete, KeyboardInterrupt) as error:
            raise RunIncomplete(_describe_incomplete(str(error) or "stopped", runs)) from error
    return [make_report(ledger, keeper, card.grading) for card in cards]


def _check_stopped(window: Window) -> None:
    if window.stop.cause is not None:
        raise RunIncomplete(f"{window.stop.cause}: {window.stop.detail}")


def _describe_incomplete(why: str, runs: Sequence[Run]) -> str:
    """Return why the runs are incomplete, and how to go on."""
    if len(runs) == 1:
        short = shorten_digest(runs[0].address)
        return f"{why}\nrun {short} is incomplete: go on with --resume {short}"
    named = ", ".join(shorten_digest(run.address) for run in runs)
    return f"{why}\nruns {named} are incomplete: go on with --resume last"


def _grade(
    opened: Opened,
    run: Run,
    models: Mapping[str, Respondent],
    window: Window,
    concurrency: int,
) -> Scorecard:
    """Grade the trials, unless just this was done before."""
    ledger, keeper = opened.ledger, opened.keeper
    same = find_same(ledger, keeper, run.address, run.suite)
    if same is not None and same.is_complete:
        return same
    with progress("grading") as tell:
        return grade_run(
            ledger,
            keeper,
            run.address,
            run.suite_event,
            run.suite,
            models=models,
            window=window,
            concurrency=concurrency,
            tell=tell,
        )


def find_configuration(suite: Path, named: str) -> Path:
    """Return the file that ``named`` means: a path, or a name in the suite's configurations."""
    folder = suite if suite.is_dir() else suite.parent
    places = [Path(named)]
    home = folder / CONFIGURATIONS
    places += [home / f"{named}{ending}" for ending in ENDINGS]
    for place in places:
        if place.is_file():
            return place
    known = sorted(path.stem for path in home.glob("*.*")) if home.is_dir() else []
    there = f"; the suite has {', '.join(known)}" if known else ""
    raise FaultyInput([f"--configuration: no file {named!r}{there}"])


def make_provider(configuration: Configuration, vault: Vault | None = None) -> Provider:
    """Return the provider that ``configuration`` names, ready to answer.

    Args:
        configuration: whose settings are checked.
        vault: the credentials; none by default.
    """
    return find_provider(configuration.provider)(
        Setup(
            name=configuration.name,
            model=configuration.model,
            effort=configuration.effort,
            tools=configuration.tools,
            limits=configuration.limits,
            settings=configuration.settings,
            files={file.path: file.data for file in configuration.files},
            vault=vault or Vault(),
        )
    )


def make_models(suite: Suite, vault: Vault | None = None) -> dict[str, Respondent]:
    """Return what answers each role of the graders' questions, ready to answer."""
    return {role: make_respondent(configuration, vault) for role, configuration in suite.graders}


def make_respondent(configuration: Configuration, vault: Vault | None = None) -> Respondent:
    """Return ``configuration`` with its provider."""
    return Respondent(configuration=configuration, provider=make_provider(configuration, vault))


def _find_runs(
    opened: Opened, suite: Suite, configurations: Sequence[Configuration], resume: str
) -> list[Run]:
    """Return the runs that ``--resume`` names, one for each configuration.

    Of several that were begun in one window some may be done; they are shown with the others.
    """
    ledger, keeper = opened.ledger, opened.keeper
    if resume != "last":
        _, address = ledger.resolve(resume)
        return [resume_run(ledger, address, suite, each) for each in configurations]
    unfinished = [find_newest(ledger, keeper, suite, each) for each in configurations]
    if not any(unfinished):
        raise FaultyInput(["--resume: no unfinished run of this suite and configuration"])
    runs = []
    for found, each in zip(unfinished, configurations, strict=True):
        newest = found or find_newest(ledger, keeper, suite, each, is_unfinished=False)
        if newest is None:
            raise FaultyInput([f"--resume: there is no run of this suite and {each.name}"])
        runs.append(resume_run(ledger, newest, suite, each))
    return runs
