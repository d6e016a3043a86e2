"""``verdict rebuild``: fold every projection again from the first event."""

import click

from cli.render import progress
from cli.setting import find_folder, hold_projections, open_ledger


@click.command()
@click.pass_obj
def command(where: str | None) -> None:
    """Throw all projections away and fold the log again.

    The log is only read. Scorecards and lists come out to the same bytes; this mends projections
    that 'verdict verify' found damaged. It is refused while a run is under way, and where an event
    itself is damaged.
    """
    with open_ledger(find_folder(where)) as opened:
        size = opened.ledger.head().size
        with hold_projections(opened), progress("rebuild") as tell:
            position = opened.keeper.rebuild(lambda done: tell(done, size))
    click.echo(f"folded {position:,} events")
