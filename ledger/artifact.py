"""The name that an event gives to some bytes: address, SHA-256, size and media type.

BLAKE3 is the address; the SHA-256 stands beside it so that ``sha256sum`` and S3 checksums can
check the same bytes, and since the event is a leaf of the tree, a proof rests on SHA-256 alone.

    >>> describe_artifact(b"hello", media=TEXT).size
    5
"""

import hashlib
from dataclasses import dataclass

from ledger.canonical import Count
from ledger.digest import Digest, compute_digest

TEXT = "text/plain; charset=utf-8"
WTF8 = "text/plain; charset=wtf-8"
"""Text with a lone surrogate, which UTF-8 cannot hold: kept as Python's ``surrogatepass``."""
JSON = "application/json"
JSONL = "application/jsonl"
OCTETS = "application/octet-stream"
LISTING = "application/vnd.verdict.listing+json"
"""Canonical JSON ``[[address, media, sha256, size], …]``: an artifact that names artifacts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactRef:
    """Immutable bytes by name.

    Attributes:
        address: BLAKE3 address of the plain bytes.
        media: media type (RFC 6838), as the writer knew it; says nothing about the address.
        sha256: 64 lowercase hex digits, over the same bytes.
        size: bytes, 0 or more.
    """

    address: Digest
    media: str
    sha256: str
    size: Count


def describe_artifact(data: bytes, *, media: str) -> ArtifactRef:
    """Return the name of ``data``; nothing is stored."""
    return ArtifactRef(
        address=compute_digest(data),
        media=media,
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
    )


def encode_text(text: str) -> tuple[bytes, str]:
    """Return the bytes and the media type that keep ``text`` exactly, lone surrogates and all."""
    try:
        return text.encode(), TEXT
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass"), WTF8


def decode_text(data: bytes) -> str:
    """Return the text that ``encode_text`` made ``data`` of; the inverse of ``encode_text``.

    Raises:
        UnicodeDecodeError: ``data`` was never such a text.
    """
    return data.decode("utf-8", "surrogatepass")
