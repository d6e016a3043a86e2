"""``verdict scorecard``: what a grading came to, now or then."""

from collections.abc import Iterable
from datetime import UTC, datetime

import click

from cli.render import (
    inventory_to_json,
    print_inventory,
    print_json,
    print_report,
    print_shortfalls,
    report_to_json,
    report_to_markdown,
    shortfall_to_json,
)
from cli.setting import Opened, find_folder, open_ledger
from ledger.digest import Digest
from ledger.errors import FaultyInput, UnknownAddress
from ledger.events import RunStarted
from ledger.projections import INVENTORY, Inventory
from trials.scorecard import (
    Report,
    Shortfall,
    find_grading,
    find_run,
    list_shortfalls,
    make_report,
)


@click.command()
@click.argument("address", required=False, metavar="[RUN|GRADING]")
@click.option(
    "--format", "form", type=click.Choice(["text", "md", "json"]), default="text", help="As what."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--failed", "is_failed", is_flag=True, help="List the verdicts that are fail or unproven too."
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
    *,
    as_json: bool,
    is_failed: bool,
) -> None:
    """Show the scorecard of a grading, or of a run's newest one; by default the newest of all.

    Rates are pass / (pass + fail + unproven); what does not apply or is unresolved is shown and
    left out. --failed names each verdict by address, for 'verdict trace'.

    Exit status: 0, or 3 for a run that is not graded yet: what became of its trials is shown.
    """
    if is_failed and form == "md":
        raise FaultyInput(["scorecard: --failed goes with --format text or json"])
    with open_ledger(find_folder(where)) as opened:
        position = None if as_of is None else parse_as_of(opened, as_of)
        found = _find(opened, address, position)
        if isinstance(found, Inventory):
            if as_json or form == "json":
                print_json(inventory_to_json(found))
            else:
                print_inventory(found)
            raise SystemExit(3)
        report = make_report(opened.ledger, opened.keeper, found, position)
        shortfalls = list_shortfalls(opened.ledger, opened.keeper, report) if is_failed else None
        _print(report, shortfalls, "json" if as_json else form)


def _print(report: Report, shortfalls: Iterable[Shortfall] | None, form: str) -> None:
    if form == "md":
        click.echo(report_to_markdown(report), nl=False)
    elif form == "json":
        document = report_to_json(report)
        if shortfalls is not None:
            document["failed"] = [shortfall_to_json(short) for short in shortfalls]
        print_json(document)
    else:
        print_report(report)
        if shortfalls is not None:
            print_shortfalls(shortfalls)


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
