"""``verdict show``: any event or artifact, by any unambiguous prefix."""

import json
import sys

import click
import orjson

from cli.render import make_printable
from cli.setting import find_folder, open_ledger
from ledger.artifact import decode_text
from ledger.digest import Digest
from ledger.log import Ledger


@click.command()
@click.argument("address")
@click.option("--raw", "is_raw", is_flag=True, help="The stored bytes and nothing else.")
@click.pass_obj
def command(where: str | None, address: str, *, is_raw: bool) -> None:
    """Show the event or artifact whose ADDRESS begins so (4 hex digits or more).

    An event is shown as JSON with its address and position. An artifact is shown as it is; --raw,
    and any output that is not a terminal, gives its bytes exactly.
    """
    with open_ledger(find_folder(where)) as opened:
        what, found = opened.ledger.resolve(address)
        if what == "event":
            _show_event(opened.ledger, found, is_raw=is_raw)
        else:
            _show_artifact(opened.ledger, found, is_raw=is_raw or not sys.stdout.isatty())


def _show_event(ledger: Ledger, address: Digest, *, is_raw: bool) -> None:
    position, data = ledger.read_bytes(address)
    if is_raw:
        click.echo(data, nl=False)
        return
    shown = {"address": address, "position": position, **orjson.loads(data)}
    click.echo(make_printable(json.dumps(shown, indent=2, ensure_ascii=False)))


def _show_artifact(ledger: Ledger, address: Digest, *, is_raw: bool) -> None:
    data = ledger.get(address)
    if is_raw:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()  # here, where a reader who has left is no error
        return
    row = ledger.describe(address)
    click.secho(f"{address}\nsha256:{row.sha256.hex()}\n{row.size:,} bytes\n", dim=True)
    try:
        click.echo(make_printable(decode_text(data)))
    except UnicodeDecodeError:
        click.echo("(not text: --raw gives the bytes)")
