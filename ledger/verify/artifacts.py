"""Artifacts: each one read again and compared with its three names; present, redacted, missing."""

from collections.abc import Iterator, Mapping

from ledger.contents import CODECS, read_artifact, read_listing
from ledger.digest import pack_digest, unpack_digest
from ledger.errors import Damage, LedgerError
from ledger.ports import ArtifactRow, BlobStore, RecordStore
from ledger.verify.findings import Finding, Outcome, Tally, damage, missing

_PLACES = frozenset({"row", "file", "redacted"})


def check_artifacts(
    records: RecordStore, blobs: BlobStore, redactions: Mapping[bytes, int], tally: Tally
) -> Iterator[Finding]:
    """Yield what is to be said of the artifacts.

    Args:
        records: has the rows, and small bytes.
        blobs: has large bytes.
        redactions: raw address to the position of the event that redacted it.
        tally: counted up.
    """
    for row in records.read_artifacts():
        tally.artifacts += 1
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
            yield from _check_present(row, records, blobs, where)


def _check_redacted(row: ArtifactRow, blobs: BlobStore, where: str, redacted_by: int) -> Finding:
    if row.place != "redacted" or row.data is not None or blobs.read(row.address, row.codec):
        return damage(where, f"event {redacted_by:,} redacted it and its bytes are still there")
    if row.stored:
        return damage(where, "its row is not that of a redacted artifact")
    return Finding(
        outcome=Outcome.REDACTED, where=where, what=f"gone on purpose, says event {redacted_by:,}"
    )


def _check_present(
    row: ArtifactRow, records: RecordStore, blobs: BlobStore, where: str
) -> Iterator[Finding]:
    if row.place == "row" and row.data is None:
        yield missing(where, "its row has no bytes")
        return
    if row.place == "file" and blobs.read(row.address, row.codec) is None:
        yield missing(where, "its file is not there")
        return
    try:
        data = read_artifact(row, blobs)
    except Damage as error:
        yield damage(where, str(error).removeprefix(f"{where}: "))
        return
    if data.startswith(b'[["blake3:'):
        yield from _check_listing(data, records, where)


def _check_listing(data: bytes, records: RecordStore, where: str) -> Iterator[Finding]:
    """Check that what a listing names is there; whatever has that form is taken for one."""
    try:
        refs = read_listing(data)
        rows = records.describe_artifacts([pack_digest(ref.address) for ref in refs])
    except (LedgerError, ValueError):
        return
    for ref in refs:
        row = rows.get(pack_digest(ref.address))
        if row is None:
            yield missing(f"artifact {ref.address}", f"the listing {where} names it")
        elif (row[0].hex(), row[1]) != (ref.sha256, ref.size):
            what = f"its row has another SHA-256 or size than the listing {where} states"
            yield damage(f"artifact {ref.address}", what)
