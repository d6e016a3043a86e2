"""``verdict checkpoint``: sign the log as it is now."""

import click

from cli.render import print_json
from cli.setting import find_folder, open_ledger
from ledger.checkpoint import format_verifier
from ledger.signing import sign_head


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@click.pass_obj
def command(where: str | None, *, as_json: bool) -> None:
    """Sign size and root of the log, as a C2SP note that other tools can check.

    Nothing is signed that does not provably continue what was signed before: a database that was
    put back from an older copy, or changed, is refused. Hand the note to somebody else; whoever
    holds it can tell later whether the log was cut or rewritten.
    """
    with open_ledger(find_folder(where)) as opened:
        signed = sign_head(opened.records, opened.open_signer())
        vkey = format_verifier(opened.verifier)
    if as_json:
        checkpoint = signed.checkpoint
        root = checkpoint.root.hex()
        print_json({"note": signed.note, "root": root, "size": checkpoint.size, "vkey": vkey})
    else:
        click.echo(signed.note, nl=False)
