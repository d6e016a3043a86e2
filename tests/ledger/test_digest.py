"""Addresses: one spelling, and the hashes that others made of the same bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.digest import (
    compute_digest,
    pack_digest,
    parse_digest,
    shorten_digest,
    unpack_digest,
)
from ledger.errors import MalformedDigest

HELLO = "ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        # The first case of BLAKE3's own test_vectors.json.
        (b"", "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"),
        # What b3sum 1.2.0 of Debian prints.
        (b"hello", HELLO),
    ],
)
def test_an_address_is_the_blake3_hash_that_other_programs_compute(data, expected):
    assert compute_digest(data) == f"blake3:{expected}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        HELLO,
        f"blake3:{HELLO.upper()}",
        f"BLAKE3:{HELLO}",
        f"sha256:{HELLO}",
        f"blake3:{HELLO[:-1]}",
        f"blake3:{HELLO}0",
        f"blake3:{HELLO}\n",
        f" blake3:{HELLO}",
        f"blake3:{HELLO[:-1]}g",
        f"blake3:{HELLO[:-1]}\u0661",
        f"blake3:{HELLO[:-1]}\ud800",
    ],
)
def test_an_address_has_one_spelling(text):
    with pytest.raises(MalformedDigest, match="64 lowercase hex digits"):
        parse_digest(text)


@given(st.binary(min_size=32, max_size=32))
def test_packing_and_unpacking_are_inverse(raw):
    digest = unpack_digest(raw)
    assert parse_digest(digest) == digest
    assert pack_digest(digest) == raw


def test_a_short_address_is_the_beginning_of_the_long_one():
    assert shorten_digest(compute_digest(b"hello")) == HELLO[:12]
