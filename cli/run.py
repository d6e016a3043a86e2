"""``verdict run``: trials, grading, scorecard, gate."""

import os
from collections.abc import Mapping
from pathlib import Path

import click

from cli.render import print_json, print_next, print_report, progress, report_to_json
from cli.setting import Opened, find_folder, hold_run, open_ledger
from ledger.digest import Digest, shorten_digest
from ledger.errors import Busy, FaultyInput, RunIncomplete, StoreUnavailable
from ledger.projections import Scorecard
from ledger.signing import check_continues, sign_head
from providers import Provider, Setup, Vault, find_provider
from trials.asking import GraderModel
from trials.grade import find_same, grade_run
from trials.run import CONCURRENCY, Run, find_unfinished, resume_run, run_trials, start_run
from trials.scorecard import Report, make_report
from trials.suite import Configuration, Suite, load_configuration, load_suite
from trials.suite.contents import ENDINGS

CONFIGURATIONS = "configurations"
"""The folder of a suite that has what can be tested."""
EXIT_CODES = {"passed": 0, "failed": 1, "incomplete": 3}


@click.command()
@click.argument("suite", type=click.Path(path_type=Path))
@click.option(
    "--configuration",
    "-c",
    "named",
    required=True,
    metavar="NAME|FILE",
    help="What is under test: a file, or the name of one in the suite's configurations/.",
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
    "--concurrency",
    type=click.IntRange(1, 10_000),
    default=CONCURRENCY,
    show_default=True,
    help="Trials under way at a time.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the scorecard as JSON, for programs.")
@click.pass_obj
def command(
    where: str | None,
    *,
    suite: Path,
    named: str,
    variants: tuple[str, ...],
    resume: str | None,
    concurrency: int,
    as_json: bool,
) -> None:
    """Run SUITE against a configuration, grade the trials, print the scorecard.

    The plan is recorded before the first answer, every answer with its bytes; at the end the log
    is signed. A run that was cut off, by whatever, goes on with --resume last.

    Exit status: 0 gate passed, 1 gate failed, 2 usage or bad input, 3 incomplete.
    """
    if variants and resume:
        raise FaultyInput(["--variant: a run that is resumed has its plan; leave it out"])
    loaded = load_suite(suite)
    vault = Vault(os.environ)
    configuration = load_configuration(find_configuration(suite, named))
    provider, models = make_provider(configuration, vault), make_models(loaded, vault)
    with open_ledger(find_folder(where)) as opened:
        signer = opened.open_signer()
        check_continues(opened.records, signer)
        run = _open_run(opened, loaded, configuration, variants, resume)
        report = perform_run(opened, run, provider, models, concurrency=concurrency)
        sign_head(opened.records, signer)
    if as_json:
        print_json(report_to_json(report))
    else:
        print_report(report)
        print_next(where, report)
    raise SystemExit(EXIT_CODES[report.gate])


def perform_run(
    opened: Opened,
    run: Run,
    provider: Provider,
    models: Mapping[str, GraderModel],
    *,
    concurrency: int = CONCURRENCY,
) -> Report:
    """Make the trials that are missing, grade them, and return the scorecard.

    Args:
        opened: the ledger.
        run: as ``start_run`` or ``resume_run`` returned it.
        provider: answers the trials.
        models: answer the graders' questions; made before the first trial, so that a fault in
            what they are made of is said before any trial is paid for.
        concurrency: trials under way at a time.

    Raises:
        RunIncomplete: it was cut off; what is recorded stands, and the message says how to go on.
    """
    ledger, keeper = opened.ledger, opened.keeper
    with hold_run(opened, run.address):
        try:
            with progress("trials ") as tell:
                run_trials(run, ledger, keeper, provider, concurrency=concurrency, tell=tell)
            card = _grade(opened, run, models)
        except (StoreUnavailable, Busy, RunIncomplete, KeyboardInterrupt) as error:
            short = shorten_digest(run.address)
            why = str(error) or "stopped"
            hint = f"run {short} is incomplete: go on with --resume {short}"
            raise RunIncomplete(f"{why}\n{hint}") from error
    return make_report(ledger, keeper, card.grading)


def _grade(opened: Opened, run: Run, models: Mapping[str, GraderModel]) -> Scorecard:
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


def make_models(suite: Suite, vault: Vault | None = None) -> dict[str, GraderModel]:
    """Return what answers each role of the graders' questions, ready to answer."""
    return {
        role: GraderModel(configuration=configuration, provider=make_provider(configuration, vault))
        for role, configuration in suite.graders
    }


def _open_run(
    opened: Opened,
    suite: Suite,
    configuration: Configuration,
    variants: tuple[str, ...],
    resume: str | None,
) -> Run:
    if resume is None:
        return start_run(opened.ledger, suite, configuration, variants=variants)
    address: Digest | None
    if resume == "last":
        address = find_unfinished(opened.ledger, opened.keeper, suite, configuration)
        if address is None:
            raise FaultyInput(["--resume: no unfinished run of this suite and configuration"])
    else:
        _, address = opened.ledger.resolve(resume)
    return resume_run(opened.ledger, address, suite, configuration)
