"""Signing: nothing is signed that does not provably continue what was signed before.

1. the root in the head is computed again by another path, from tiles and from the bytes of the
   events that no tile holds yet: a flipped bit is found before it is signed;
2. the last signed note, which is kept outside the database, has to be a prefix of the log by a
   consistency proof; an older log is a rollback, another one is damage;
3. the note is remembered durably before it is handed out or entered in the database.
"""

from typing import NamedTuple

from ledger import merkle
from ledger.checkpoint import Checkpoint, Verifier, open_note
from ledger.errors import Damage, InvalidProof, Rollback, UnknownAddress
from ledger.ports import Head, RecordStore, Signer


class Signed(NamedTuple):
    """A checkpoint, and the signed note that states it."""

    checkpoint: Checkpoint
    note: str


def sign_head(records: RecordStore, signer: Signer) -> Signed:
    """Sign the log as it is now, keep the note, and return it.

    Raises:
        Rollback: more was signed than the log holds now.
        Damage: the log is not what was signed, or the stored tree is not that of the events.
    """
    with signer.hold():
        with records.snapshot():
            head = records.head()
            _check_head(records, head)
            last = _check_last(records, signer, head)
            is_lost = last is not None and last.checkpoint.size not in dict(
                records.read_checkpoints()
            )
        if last is not None and is_lost:
            # A signing that was cut off after it was remembered, or a row that was removed.
            records.add_checkpoint(last.checkpoint.size, last.note)
        checkpoint = Checkpoint(origin=signer.verifier.name, size=head.size, root=head.root)
        note = signer.sign(checkpoint)
        records.add_checkpoint(head.size, note)
        return Signed(checkpoint, note)


def check_continues(records: RecordStore, signer: Signer) -> None:
    """Check that the log continues what was signed last, before anything is added to it.

    Raises:
        Rollback: more was signed than the log holds now.
        Damage: the log is not what was signed.
    """
    with signer.hold(), records.snapshot():
        _check_last(records, signer, records.head())


def find_signed(records: RecordStore, verifier: Verifier, position: int) -> Signed:
    """Return the newest checkpoint, if it holds the event at ``position``.

    Raises:
        UnknownAddress: no checkpoint holds it yet.
        InvalidProof: the newest one is not soundly signed.
    """
    newest: tuple[int, str] | None = None
    for size, note in records.read_checkpoints():
        newest = size, note
    if newest is None or newest[0] <= position:
        raise UnknownAddress(
            f"no checkpoint holds event {position:,} yet: sign one with 'verdict checkpoint'"
        )
    return Signed(open_note(newest[1], verifier), newest[1])


def _check_head(records: RecordStore, head: Head) -> None:
    """Compute the root again, by another path than the one that led to it."""
    start = head.size - head.size % merkle.TILE_WIDTH
    for row in records.read_events(start, head.size):
        if merkle.hash_leaf(row.data) != row.leaf:
            raise Damage(f"event {row.position:,}: its leaf hash is not that of its bytes")
    if merkle.hash_range(records, 0, head.size) != head.root:
        raise Damage("head: its root is not that of the stored tiles; see 'verdict verify'")


def _check_last(records: RecordStore, signer: Signer, head: Head) -> Signed | None:
    """Return what was signed last, if the log continues it, ``None`` if nothing was signed."""
    note = signer.last_signed()
    if note is None:
        if any(True for _ in records.read_checkpoints()):
            raise Damage("last-signed: it is not there, and checkpoints were signed; put it back")
        return None
    try:
        last = open_note(note, signer.verifier)
    except InvalidProof as error:
        raise Damage(f"last-signed: {error}") from error
    if last.size > head.size:
        raise Rollback(
            f"{last.size:,} events were signed and the log has {head.size:,}: an older copy of the "
            "database was put back; put the newest copy in its place before anything is signed"
        )
    if last.size == 0:
        return Signed(last, note)
    proof = merkle.prove_consistency(records, last.size, head.size)
    try:
        merkle.check_consistency(last.size, head.size, last.root, head.root, proof)
    except InvalidProof as error:
        raise Damage(
            f"the first {last.size:,} events are not those that were signed: they were changed, or "
            "an older copy was put back and written on; see 'verdict verify'"
        ) from error
    return Signed(last, note)
