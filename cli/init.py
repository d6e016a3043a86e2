"""``verdict init``: make a ledger, or bring an older one up to this program."""

from pathlib import Path

import click

from cli.founding import init_ledger, upgrade_ledger
from cli.render import print_json
from cli.setting import DEFAULT_FOLDER, name_folder


@click.command()
@click.option("--origin", help="The log's name in every checkpoint, like a URL without a scheme.")
@click.option("--upgrade", "is_upgrade", is_flag=True, help="Upgrade an older ledger's schema.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@click.pass_obj
def command(where: str | None, origin: str | None, *, is_upgrade: bool, as_json: bool) -> None:
    """Create a ledger in .verdict/ here, or where --ledger or VERDICT_LEDGER says.

    A ledger is a folder: a SQLite database, large artifacts as files, the signing key, and the
    note that was signed last. Keep a copy of the key apart from it.
    """
    folder = name_folder(where) or Path(DEFAULT_FOLDER)
    if is_upgrade:
        changed = upgrade_ledger(folder)
        if as_json:
            print_json({"folder": str(folder), "upgraded": changed})
        else:
            click.echo(f"{folder}: {'upgraded' if changed else 'up to date already'}")
        return
    vkey = init_ledger(folder, origin)
    if as_json:
        print_json({"folder": str(folder), "vkey": vkey})
        return
    click.echo(f"ledger made in {folder}/")
    click.echo(f"its public key, for whoever verifies its checkpoints:\n  {vkey}")
    click.echo("next: verdict run SUITE --configuration NAME")
    click.echo("or see a whole example first: verdict demo")
