"""``verdict verify``: is the record what it was?"""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path

import click

from cli.render import format_count, print_json, progress
from cli.setting import find_folder, open_stores
from ledger.errors import StoreUnavailable
from ledger.verify import FAULTS, Finding, Outcome, Tally, verify_ledger

STYLES = {Outcome.REDACTED: "cyan", Outcome.UNKNOWN: "yellow"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@click.pass_obj
def command(where: str | None, *, as_json: bool) -> None:
    """Check every hash, the tree, every checkpoint, every artifact, every projection.

    Nothing is changed, and nothing stops at the first fault: all of them are listed.

    Exit status: 0 clean and complete, 1 damage, 2 could not finish.
    """
    folder = find_folder(where)
    try:
        tally, findings = verify_folder(folder, tell=_pass_by if as_json else print_finding)
    except StoreUnavailable as error:  # not read at all: no verdict on the record, and no retry
        click.echo(f"error: {error}", err=True)
        raise SystemExit(2) from error
    code = exit_code(findings)
    if as_json:
        counted = {name: getattr(tally, name) for name in tally.__slots__}
        print_json({"checked": counted, "findings": [asdict(f) for f in findings], "exit": code})
    else:
        print_tally(tally, findings)
    raise SystemExit(code)


def verify_folder(folder: Path, *, tell: Callable[[Finding], None]) -> tuple[Tally, list[Finding]]:
    """Return what was checked of the ledger in ``folder``, and every finding, told as it comes."""
    tally = Tally()
    findings = []
    with progress("verify ") as show:
        for finding in verify_ledger(partial(open_stores, folder), tally, show):
            findings.append(finding)
            tell(finding)
    return tally, findings


def exit_code(findings: list[Finding]) -> int:
    """Return 2 if something could not be checked, else 1 for a fault, else 0."""
    outcomes = {finding.outcome for finding in findings}
    if Outcome.UNFINISHED in outcomes:
        return 2
    return 1 if outcomes & FAULTS else 0


def _pass_by(_finding: Finding) -> None:
    """Say nothing of a finding: a program gets them all at the end."""


def print_finding(finding: Finding) -> None:
    """Print one finding."""
    word = click.style(finding.outcome.value, fg=STYLES.get(finding.outcome, "red"), bold=True)
    click.echo(f"{word}  {finding.where}: {finding.what}")


def print_tally(tally: Tally, findings: list[Finding]) -> None:
    """Print what was checked and what came of it."""
    click.echo(
        f"checked {format_count(tally.events, 'event')}, {format_count(tally.tiles, 'tile')}, "
        f"{format_count(tally.checkpoints, 'checkpoint')}, "
        f"{format_count(tally.artifacts, 'artifact')} ({tally.redacted:,} redacted), "
        f"{format_count(tally.projection_rows, 'projection row')}"
    )
    faults = sum(finding.outcome in FAULTS for finding in findings)
    code = exit_code(findings)
    if code == 0:
        click.echo(click.style("the record is whole", fg="green", bold=True))
    else:
        unfinished = "; not everything could be checked" if code == 2 else ""  # noqa: PLR2004
        click.echo(click.style(f"{format_count(faults, 'fault')}{unfinished}", fg="red", bold=True))
