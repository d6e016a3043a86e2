"""Addresses: the BLAKE3 hash of some bytes, written one way.

An address is ``blake3:`` and 64 lowercase hex digits, the form of an OCI digest. It is kept as
text, so that it goes into an event and comes out of it unchanged; the raw 32 bytes are for the
database alone.

    >>> compute_digest(b"hello")
    'blake3:ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f'
"""

import re
from typing import NewType

from blake3 import blake3

from ledger.errors import MalformedDigest

Digest = NewType("Digest", str)

PREFIX = "blake3:"
_FORM = re.compile(r"blake3:[0-9a-f]{64}\Z")


def compute_digest(data: bytes) -> Digest:
    """Return the address of ``data``."""
    return Digest("blake3:" + blake3(data).hexdigest())


def parse_digest(text: str) -> Digest:
    """Return the address that ``text`` spells.

    Args:
        text: ``blake3:`` and 64 lowercase hex digits; no other spelling is accepted, so that
            one sequence of bytes has one name (docs/format.md, "Addresses").

    Raises:
        MalformedDigest: ``text`` has another form.
    """
    if not _FORM.match(text):
        raise MalformedDigest(
            f"{text[:80]!r} is not an address: it takes 'blake3:' and 64 lowercase hex digits"
        )
    return Digest(text)


def pack_digest(digest: Digest) -> bytes:
    """Return the raw 32 bytes of ``digest``, as the database keeps them."""
    return bytes.fromhex(digest[len(PREFIX) :])


def unpack_digest(raw: bytes) -> Digest:
    """Return the address whose raw 32 bytes are ``raw``; the inverse of ``pack_digest``."""
    return Digest(PREFIX + raw.hex())


def shorten_digest(digest: Digest) -> str:
    """Return the first 12 hex digits, for people; ``verdict show`` takes it back."""
    return digest[len(PREFIX) : len(PREFIX) + 12]
