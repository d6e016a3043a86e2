"""``verdict prove``: inclusion and consistency proofs."""

import base64

import click

from cli.render import print_json
from cli.setting import Opened, find_folder, open_ledger
from ledger.checkpoint import format_proof
from ledger.errors import FaultyInput, UnknownAddress
from ledger.merkle import check_consistency, check_inclusion, hash_leaf, hash_range
from ledger.signing import find_signed


@click.command()
@click.argument("address", required=False)
@click.option("--from", "old", type=click.IntRange(1), metavar="SIZE", help="The older size.")
@click.option(
    "--to", "new", type=click.IntRange(1), metavar="SIZE", help="The newer. [default: now]"
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@click.pass_obj
def command(
    where: str | None, address: str | None, old: int | None, new: int | None, *, as_json: bool
) -> None:
    """Prove that the event at ADDRESS is in the log, or that the log grew from one size to another.

    An inclusion proof is printed as a C2SP tlog-proof with the newest checkpoint, so that it can be
    checked offline: its leaf is SHA-256 of a zero byte and 'verdict show --raw ADDRESS'.
    """
    if (address is None) == (old is None) or (address is not None and new is not None):
        raise FaultyInput(["prove: give either the address of an event, or --from SIZE"])
    with open_ledger(find_folder(where)) as opened:
        if address is not None:
            proof = prove_event(opened, address)
            if as_json:
                print_json({"proof": proof})
            else:
                click.echo(proof, nl=False)
        elif old is not None:
            _print_consistency(opened, old, new or opened.ledger.head().size, as_json=as_json)


def prove_event(opened: Opened, text: str) -> str:
    """Return the tlog-proof of the event that ``text`` names, checked before it is handed out."""
    what, address = opened.ledger.resolve(text)
    if what != "event":
        raise UnknownAddress(f"{address} is an artifact: prove an event that names it")
    position, data = opened.ledger.read_bytes(address)
    checkpoint, note = find_signed(opened.records, opened.verifier, position)
    path = opened.ledger.prove_inclusion(position, checkpoint.size)
    check_inclusion(hash_leaf(data), position, checkpoint.size, path, checkpoint.root)
    return format_proof(position, path, note)


def _print_consistency(opened: Opened, old: int, new: int, *, as_json: bool) -> None:
    size = opened.ledger.head().size
    if not old <= new <= size:
        raise FaultyInput([f"prove: from {old:,} to {new:,}: the log has {size:,} events"])
    proof = opened.ledger.prove_consistency(old, new)
    old_root, new_root = (hash_range(opened.records, 0, end) for end in (old, new))
    check_consistency(old, new, old_root, new_root, proof)
    hashes = [base64.b64encode(part).decode() for part in proof]
    if as_json:
        print_json(
            {
                "new_root": new_root.hex(),
                "new_size": new,
                "old_root": old_root.hex(),
                "old_size": old,
                "proof": hashes,
            }
        )
        return
    for line in (f"old {old}", f"new {new}", *hashes):
        click.echo(line)
