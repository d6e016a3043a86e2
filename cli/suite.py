"""``verdict suite``: check a suite, begin one, and describe its files to an editor."""

import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeVar

import click
from rich.table import Table
from rich.text import Text

from cli.render import console, format_count, format_minimum, print_json, start_table
from cli.run import CONFIGURATIONS, make_provider
from cli.setting import DATABASE, find_folder
from ledger.digest import compute_digest
from ledger.errors import FaultyInput, NoLedger
from providers import Vault
from trials.plan import count_trials
from trials.run import check_secrets
from trials.suite import (
    Check,
    Configuration,
    Suite,
    format_manifest,
    load_configuration,
    load_suite,
)
from trials.suite.contents import ENDINGS
from trials.suite.faults import Faults
from trials.suite.manifest import format_decimal
from trials.suite.shapes import FileKind, make_shape

P = TypeVar("P")
T = TypeVar("T")


@click.group()
def command() -> None:
    """Check a suite, begin one, or describe its files to an editor."""


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
def check(path: Path, *, as_json: bool) -> None:
    """Load a suite and its configurations, and say what it is.

    PATH is a suite's folder or a suite file. Nothing is recorded, no ledger is needed, and no model
    is asked. Every fault is a line on stderr: the file, the field, what is wrong, what to do.

    Exit status: 0 the suite can be run, 2 it has a fault.
    """
    suite, configurations = load_all(path)
    if as_json:
        print_json(suite_to_json(suite, configurations))
    else:
        print_suite(suite, configurations)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.pass_obj
def new(where: str | None, folder: Path) -> None:
    """Lay out a first suite in FOLDER, that runs as it is.

    It has three cases with their answer keys, two checks, and a configuration of recorded answers,
    and a README that says what to change first. FOLDER is new or empty.
    """
    names = lay_out(folder)
    quoted = shlex.quote(str(folder))
    ledger = f"--ledger {shlex.quote(where)} " if where else ""
    click.echo(f"a first suite in {folder}/")
    for name in names:
        click.echo(f"  {name}")
    click.echo("next:")
    click.echo(f"  verdict suite check {quoted}")
    if not has_ledger(where):
        click.echo(f"  verdict {ledger}init")
    click.echo(f"  verdict {ledger}run {quoted} -c example")


@click.command()
@click.option(
    "--of",
    "kind",
    type=click.Choice([kind.value for kind in FileKind]),
    default=FileKind.SUITE.value,
    show_default=True,
    help="Which file: eval_suite.json, a configuration, case.json or reference_ledger.json.",
)
def schema(kind: str) -> None:
    """Print a JSON Schema of a suite's file, for editors.

    The draft is 2020-12. With it an editor completes fields, says what they mean and marks unknown
    ones. What takes more than one file to see is left to 'verdict suite check'.
    """
    print_json(make_shape(FileKind(kind)))


for member in (check, new, schema):
    command.add_command(member)


def load_all(path: Path) -> tuple[Suite, list[Configuration]]:
    """Return the suite at ``path`` and the configurations beside it; each has a provider.

    Raises:
        FaultyInput: a line for each fault of any of them.
    """
    faults = Faults()
    vault = Vault(os.environ, is_dry=True)
    try_provider = partial(make_provider, vault=vault)
    suite = faults.attempt(load_suite, path)
    for role, grader in suite.graders if suite else ():
        _attempt(faults, f"grader_configurations.{role}: ", try_provider, grader)
    configurations = []
    home = (path if path.is_dir() else path.parent) / CONFIGURATIONS
    for place in sorted(home.iterdir()) if home.is_dir() else ():
        if place.suffix not in ENDINGS:
            continue
        loaded = _attempt(faults, f"{CONFIGURATIONS}/", load_configuration, place)
        if loaded is not None:
            _attempt(faults, f"{CONFIGURATIONS}/{place.name}: ", try_provider, loaded)
            configurations.append(loaded)
    if suite is not None:
        faults.attempt(check_secrets, vault, suite, configurations)
    # A line may quote what stands in a file, and a log of a build may keep it.
    faults.lines[:] = [vault.scrub_text(line) for line in faults.lines]
    faults.settle()
    if suite is None:  # Then a fault was noted, and settle has raised.
        raise AssertionError(path)
    return suite, configurations


def _attempt(faults: Faults, prefix: str, call: Callable[[P], T], argument: P) -> T | None:
    """Return what ``call`` returns, or ``None`` after noting its faults, each with ``prefix``."""
    try:
        return call(argument)
    except FaultyInput as error:
        faults.lines += [f"{prefix}{line}" for line in error.faults]
        return None


def suite_to_json(suite: Suite, configurations: Sequence[Configuration]) -> dict[str, object]:
    """Return what a suite is, for a program."""
    return {
        "address": compute_digest(format_manifest(suite)),
        "cases": len(suite.cases),
        "checks": [
            {
                "grader": check.grader.name,
                "is_critical": check.critical,
                "minimum_pass_rate": format_decimal(check.minimum_pass_rate),
                "name": check.name,
                "roles": list(check.grader.roles),
            }
            for check in suite.checks
        ],
        "configurations": [_configuration_to_json(item) for item in configurations],
        "critical_cases": sum(case.critical for case in suite.cases),
        "facts": _count_facts(suite),
        "files": len(suite.files),
        "gated_variant": suite.gated_variant,
        "graders": {role: _configuration_to_json(item) for role, item in suite.graders},
        "name": suite.name,
        "repetitions": suite.repetitions,
        "trials": count_trials(suite),
        "variants": [variant.name for variant in suite.variants],
    }


def _configuration_to_json(configuration: Configuration) -> dict[str, object]:
    return {
        "effort": configuration.effort,
        "model": configuration.model,
        "name": configuration.name,
        "provider": configuration.provider,
    }


def print_suite(suite: Suite, configurations: Sequence[Configuration]) -> None:
    """Print what a suite is, as text."""
    out = console()
    for name, value in _describe(suite):
        out.print(Text.assemble((f"{name:<14}", "bold"), value), soft_wrap=True)
    tables = (
        _make_table(("check", "grader", "minimum", "asks", ""), map(_list_check, suite.checks)),
        _make_table(
            ("role", "configuration", "provider", "model", "effort"),
            ([role, *_list_configuration(item)] for role, item in suite.graders),
        ),
        _make_table(
            ("configuration", "provider", "model", "effort"),
            map(_list_configuration, configurations),
        ),
    )
    for table in tables:
        if table.row_count:
            out.print()
            out.print(table)


def _describe(suite: Suite) -> list[tuple[str, str]]:
    variants = [
        f"{variant.name} (gated)" if variant.name == suite.gated_variant else variant.name
        for variant in suite.variants
    ]
    critical = sum(case.critical for case in suite.cases)
    trials = (
        f"{count_trials(suite):,} for each configuration: "
        f"{format_count(len(suite.variants), 'variant')} × "
        f"{format_count(len(suite.cases), 'case')} × "
        f"{format_count(suite.repetitions, 'repetition')}"
    )
    cases = f"{len(suite.cases):,}" + (f", {critical:,} of them critical" if critical else "")
    without = sum(case.key is None for case in suite.cases)
    keys = format_count(_count_facts(suite), "fact")
    keys += f"; {format_count(without, 'case')} without a key" if without else ""
    return [
        ("suite", suite.name),
        ("address", compute_digest(format_manifest(suite))),
        ("variants", ", ".join(variants)),
        ("cases", cases),
        ("keys", keys),
        ("trials", trials),
    ]


def _list_check(check: Check) -> list[str]:
    minimum = format_minimum(check.minimum_pass_rate)
    roles = ", ".join(check.grader.roles) or "-"
    return [check.name, check.grader.name, minimum, roles, "critical" if check.critical else ""]


def _list_configuration(configuration: Configuration) -> list[str]:
    return [
        configuration.name,
        configuration.provider,
        configuration.model,
        configuration.effort or "-",
    ]


def _make_table(names: Iterable[str], rows: Iterable[list[str]]) -> Table:
    table = start_table()
    for name in names:
        table.add_column(name, justify="right" if name == "minimum" else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _count_facts(suite: Suite) -> int:
    return sum(len(case.key.facts) for case in suite.cases if case.key)


def has_ledger(where: str | None) -> bool:
    """Return whether a run would find a ledger from here."""
    try:
        return (find_folder(where) / DATABASE).is_file()
    except NoLedger:
        return False


def lay_out(folder: Path) -> list[str]:
    """Write the first suite to ``folder`` and return the names of its files.

    It is written under another name and put into place as a whole; where it cannot be, nothing is
    left behind.

    Raises:
        FaultyInput: ``folder`` is there and not empty, or is a file.
    """
    if folder.exists() or folder.is_symlink():
        if not folder.is_dir():
            raise FaultyInput([f"{folder}: is a file; name a folder that is new or empty"])
        if any(folder.iterdir()):
            raise FaultyInput([f"{folder}: is not empty; name a folder that is new or empty"])
    else:
        folder.parent.mkdir(parents=True, exist_ok=True)
    is_there = folder.is_dir()
    # Beside the place, or within it where it is there already: never on another file system.
    draft = Path(
        tempfile.mkdtemp(prefix=".first_suite-", dir=folder if is_there else folder.parent)
    )
    try:
        made = draft / "suite"
        names = _copy(files("cli") / "first_suite", made)
        if is_there:
            for path in sorted(made.iterdir()):
                path.rename(folder / path.name)
        else:
            made.rename(folder)
    finally:
        shutil.rmtree(draft)
    return names


def _copy(source: Traversable, target: Path) -> list[str]:
    """Copy a folder's files, with the rights that new files have; return their names, sorted."""
    target.mkdir()
    names = []
    for item in source.iterdir():
        if item.is_dir():
            names += [f"{item.name}/{name}" for name in _copy(item, target / item.name)]
        else:
            (target / item.name).write_bytes(item.read_bytes())
            names.append(item.name)
    return sorted(names)
