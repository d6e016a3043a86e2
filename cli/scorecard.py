"""``verdict scorecard``: what a grading came to, now or then."""

import base64
import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from cli.render import (
    FORMS,
    Sheet,
    inventory_to_json,
    print_inventory,
    print_json,
    render_sheet,
)
from cli.setting import Opened, find_folder, open_ledger
from ledger.digest import Digest
from ledger.errors import FaultyInput, UnknownAddress
from ledger.events import RunStarted
from ledger.merkle import hash_range
from ledger.projections import INVENTORY, Inventory
from trials.scorecard import Report, find_grading, find_run, list_shortfalls, make_report


@click.command()
@click.argument("address", required=False, metavar="[RUN|GRADING]")
@click.option("--format", "form", type=click.Choice(list(FORMS)), default="text", help="As what.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to this file instead of printing.",
)
@click.option(
    "--failed",
    "is_failed",
    is_flag=True,
    help="List every verdict that is fail or unproven; a page has the first ones unasked.",
)
@click.option(
    "--cases",
    "has_cases",
    is_flag=True,
    help="Show the table by case even of more than 20; JSON and the page always have it.",
)
@click.option(
    "--as-of",
    metavar="POSITION|TIME",
    help="From the log as it was: a number of events, or a time such as 2026-11-30T12:00:00Z.",
)
@click.pass_obj
def command(
    where: str | None,
    address: str | None,
    form: str,
    as_of: str | None,
    output: Path | None,
    *,
    as_json: bool,
    is_failed: bool,
    has_cases: bool,
) -> None:
    """Show the scorecard of a grading, or of a run's newest one; by default the newest of all.

    Rates are pass / (pass + fail + unproven); what does not apply or is unresolved is shown and
    left out. The 95 % interval takes the trials as independent draws, and says nothing about
    other cases. --failed names each verdict by address, for 'verdict trace'.

    --format html makes one file that needs nothing else, to be opened in a browser or sent on.

    Exit status: 0, or 3 for a run that is not graded yet: what became of its trials is shown.
    """
    form = "json" if as_json else form
    with open_ledger(find_folder(where)) as opened:
        position = None if as_of is None else parse_as_of(opened, as_of)
        found = _find(opened, address, position)
        if isinstance(found, Inventory):
            if form == "json":
                print_json(inventory_to_json(found))
            else:
                print_inventory(found)
            raise SystemExit(3)
        report = make_report(opened.ledger, opened.keeper, found, position)
        sheet = make_sheet(opened, report, is_failed=is_failed, has_cases=has_cases)
        if output is None:
            render_sheet(form, sheet, sys.stdout)
        else:
            with output.open("w", encoding="utf-8") as out:
                render_sheet(form, sheet, out)


def make_sheet(opened: Opened, report: Report, *, is_failed: bool, has_cases: bool) -> Sheet:
    """Return what the forms of a scorecard are made from."""
    root = hash_range(opened.records, 0, report.as_of)
    return Sheet(
        report=report,
        shortfalls=list_shortfalls(opened.ledger, opened.keeper, report),
        is_failed=is_failed,
        has_cases=has_cases,
        origin=opened.verifier.name,
        root=base64.b64encode(root).decode("ascii"),
    )


def parse_as_of(opened: Opened, text: str) -> int:
    """Return the number of events that ``text`` means.

    Raises:
        FaultyInput: it is neither a number of events of the log nor a time.
    """
    size = opened.ledger.head().size
    digits = text.replace(",", "")
    if digits.isdecimal():
        position = int(digits[:20])
        if position > size:
            raise FaultyInput([f"--as-of: the log has {size:,} events, not {position:,}"])
        return position
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        what = f"--as-of: {text!r} is neither a number of events nor a time"
        raise FaultyInput([what]) from error
    return opened.ledger.size_at(time if time.tzinfo else time.replace(tzinfo=UTC))


def _find(opened: Opened, text: str | None, as_of: int | None) -> Digest | Inventory:
    """Return the grading to show, or a run that has none yet."""
    keeper = opened.keeper
    if text is None:
        found = find_grading(keeper, None, as_of)
        if found is None and as_of is not None:
            raise UnknownAddress("nothing was graded in this ledger then")
        shown = found or find_run(keeper)
        if shown is None:
            raise UnknownAddress("nothing is graded in this ledger yet: see 'verdict run'")
        return shown
    _, address = opened.ledger.resolve(text)
    if not isinstance(opened.ledger.find(address).event.body, RunStarted):
        return address
    if as_of is None:
        inventory = keeper.get(INVENTORY, address)
    else:
        inventory = keeper.get_as_of(INVENTORY, address, as_of)
    shown = find_grading(keeper, address, as_of) or inventory
    if shown is None:
        raise UnknownAddress(f"run {text} had not begun then")
    return shown
