"""Artifacts: each one read again and compared with its three names; present, redacted, missing."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from ledger.contents import CODECS, read_artifact, read_listing
from ledger.digest import pack_digest, unpack_digest
from ledger.errors import LedgerError
from ledger.ports import ArtifactRow, BlobStore, RecordStore
from ledger.verify.events import is_stated
from ledger.verify.findings import Finding, Outcome, Tally, damage, missing

_PLACES = frozenset({"row", "file", "redacted"})


def check_artifacts(
    records: RecordStore,
    blobs: BlobStore,
    redactions: Mapping[bytes, int],
    listings: AbstractSet[bytes],
    tally: Tally,
) -> Iterator[Finding]:
    """Yield what is to be said of the artifacts.

    Args:
        records: has the rows, and small bytes.
        blobs: has large bytes.
        redactions: raw address to the position of the event that redacted it.
        listings: raw addresses of those that events name as listings; what merely looks like one,
            such as an answer, names nothing.
        tally: counted up.
    """
    for row in records.read_artifacts():
        tally.artifacts += 1
        if not _is_sound(row):
            yield damage(
                "artifact", f"the row with address {row.address!r:.80} holds no such thing"
            )
            continue
        where = f"artifact {unpack_digest(row.address)}"
        redacted_by = redactions.get(row.address)
        if row.place not in _PLACES or row.codec not in CODECS:
            yield damage(where, f"its row says {row.place!r} and {row.codec!r}")
        elif row.place == "redacted" and redacted_by is None:
            yield damage(where, "its row says that it was redacted, and no event does")
        elif redacted_by is not None:
            tally.redacted += 1
            yield _check_redacted(row, blobs, where, redacted_by)
        else:
            is_listing = row.address in listings
            yield from _check_present(row, records, blobs, where, is_listing=is_listing)


def _is_sound(row: ArtifactRow) -> bool:
    """Return whether the columns hold what they should: a damaged database may give anything."""
    are_bytes = type(row.address) is type(row.sha256) is type(row.stored) is bytes
    return are_bytes and type(row.size) is int and isinstance(row.data, bytes | None)


def _check_redacted(row: ArtifactRow, blobs: BlobStore, where: str, redacted_by: int) -> Finding:
    try:
        has_bytes = row.data is not None or blobs.read(row.address, row.codec) is not None
    except (LedgerError, OSError):
        has_bytes = True
    if row.place != "redacted" or has_bytes:
        return damage(where, f"event {redacted_by:,} redacted it and its bytes are still there")
    if row.stored:
        return damage(where, "its row is not that of a redacted artifact")
    return Finding(
        outcome=Outcome.REDACTED, where=where, what=f"gone on purpose, says event {redacted_by:,}"
    )


def _check_present(
    row: ArtifactRow, records: RecordStore, blobs: BlobStore, where: str, *, is_listing: bool
) -> Iterator[Finding]:
    if row.place == "row" and row.data is None:
        yield missing(where, "its row has no bytes")
        return
    try:
        if row.place == "file" and blobs.read(row.address, row.codec) is None:
            yield missing(where, "its file is not there")
            return
        data = read_artifact(row, blobs)
    except (LedgerError, OSError) as error:
        yield damage(where, str(error).removeprefix(f"{where}: "))
        return
    if is_listing:
        yield from _check_listing(data, records, where)


def _check_listing(data: bytes, records: RecordStore, where: str) -> Iterator[Finding]:
    """Check that what a listing names is there."""
    try:
        refs = read_listing(data)
        rows = records.describe_artifacts([pack_digest(ref.address) for ref in refs])
    except (LedgerError, TypeError, ValueError) as error:
        yield damage(where, f"an event names it as a listing: {error}")
        return
    for ref in refs:
        row = rows.get(pack_digest(ref.address))
        if row is None:
            yield missing(f"artifact {ref.address}", f"the listing {where} names it")
        elif not is_stated(row, ref.sha256, ref.size):
            what = f"its row has another SHA-256 or size than the listing {where} states"
            yield damage(f"artifact {ref.address}", what)
