"""The bytes of artifacts: how they are stored, and how they are read and compared again."""

import threading
from typing import Any

import zstandard
from blake3 import blake3

from ledger.artifact import ArtifactRef, describe_artifact
from ledger.canonical import parse_canonical
from ledger.digest import unpack_digest
from ledger.errors import Damage
from ledger.ports import ArtifactRow, BlobStore

CODECS = ("plain", "zstd")
_OWN = threading.local()
_COMPRESS_MIN = 1_024
"""Bytes below which zstd saves a few hundred at most.

Each call gives up the interpreter's lock, and beside a busy writer an event loop waits longer for
it than the saving is worth: of a trial with four artifacts of 300 bytes that was a quarter of its
time.
"""


def compress_artifact(data: bytes) -> tuple[str, bytes]:
    """Return codec and stored bytes: zstd where it shrinks them."""
    if len(data) >= _COMPRESS_MIN:
        compressed = _find_compressor().compress(data)
        if len(compressed) < len(data):
            return "zstd", compressed
    return "plain", data


def _find_compressor() -> zstandard.ZstdCompressor:
    """Return this thread's: making one takes longer than most artifacts."""
    found: zstandard.ZstdCompressor | None = getattr(_OWN, "compressor", None)
    if found is None:
        found = _OWN.compressor = zstandard.ZstdCompressor(level=3)
    return found


def read_artifact(row: ArtifactRow, blobs: BlobStore) -> bytes:
    """Return the plain bytes of an artifact that is present, hashed again and compared.

    Raises:
        Damage: the bytes are missing, cannot be read, or hash to something else.
    """
    address = unpack_digest(row.address)
    stored = row.data if row.place == "row" else blobs.read(row.address, row.codec)
    if stored is None:
        raise Damage(f"artifact {address}: its bytes are missing")
    # A plain artifact is stored as its bytes, whose own hash is compared below.
    is_packed = row.codec == "zstd"
    if (blake3(stored).digest() if is_packed else row.address) != row.stored:
        raise Damage(f"artifact {address}: its stored bytes are not those that were written")
    data = _decompress(stored, row) if is_packed else stored
    actual = describe_artifact(data, media="")
    if actual.address != address:
        raise Damage(f"artifact {address}: its bytes hash to {actual.address}")
    if (actual.sha256, actual.size) != (row.sha256.hex(), row.size):
        raise Damage(f"artifact {address}: its row has another SHA-256 or size than its bytes")
    return data


def read_listing(data: bytes) -> list[ArtifactRef]:
    """Return the artifacts that a listing names.

    Raises:
        NotCanonical: ``data`` is not canonical.
        Damage: it is no listing.
    """
    rows: Any = parse_canonical(data)
    try:
        return [
            ArtifactRef(address=address, media=media, sha256=sha256, size=size)
            for address, media, sha256, size in rows
        ]
    except (TypeError, ValueError) as error:
        raise Damage("not a listing: rows of address, media, sha256 and size") from error


def _decompress(stored: bytes, row: ArtifactRow) -> bytes:
    damage = Damage(f"artifact {unpack_digest(row.address)}: its stored bytes cannot be unpacked")
    try:
        announced = zstandard.get_frame_parameters(stored).content_size
    except zstandard.ZstdError as error:
        raise damage from error
    if announced != row.size:  # it may be more than there is memory for
        raise damage
    try:
        return zstandard.ZstdDecompressor().decompress(stored, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise damage from error
