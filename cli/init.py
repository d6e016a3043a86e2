"""``verdict init``: make a ledger, or bring an older one up to this program."""

from pathlib import Path

import click

from cli.founding import init_ledger, upgrade_ledger
from cli.render import print_json
from cli.setting import DEFAULT_FOLDER


@click.command()
@click.option("--origin", help="The log's name in every checkpoint, like a URL without a scheme.")
@click.option("--upgrade", "is_upgrade", is_flag=True, help="Upgrade an older ledger's schema.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.pass_obj
def command(where: str | None, origin: str | None, *, is_upgrade: bool, as_json: bool) -> None:
    """Create a ledger in .verdict/ here, or where --ledger says.

    A ledger is a folder: a SQLite database, large artifacts as files, the signing key, and the
    note that was signed last. Keep a copy of the key apart from it.
    """
    folder = Path(where or DEFAULT_FOLDER)
    if is_upgrade:
        changed = upgrade_ledger(folder)
        click.echo(f"{folder}: {'upgraded' if changed else 'is up to date'}")
        return
    vkey = init_ledger(folder, origin)
    if as_json:
        print_json({"folder": str(folder), "vkey": vkey})
        return
    click.echo(f"ledger made in {folder}/")
    click.echo(f"its public key, for whoever verifies checkpoints:\n  {vkey}")
