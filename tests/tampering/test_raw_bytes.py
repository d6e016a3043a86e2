"""Bits changed anywhere in the database file: never called whole when a row has changed."""

import contextlib
import random
import secrets
import sqlite3
import sys

import pytest

from tests.tampering.forgery import dump
from tests.trials.runs import call_verdict


def put(ledger, data):
    """Make ``data`` the database, with nothing in its log."""
    (ledger / "ledger.db").write_bytes(data)
    for ending in ("-wal", "-shm"):
        (ledger / f"ledger.db{ending}").unlink(missing_ok=True)


def rows(ledger):
    """Return all rows, ``None`` where they cannot be read."""
    with contextlib.suppress(sqlite3.Error, UnicodeDecodeError):
        return dump(ledger)
    return None


def spoil(ledger, seed, changes):
    whole, before = (ledger / "ledger.db").read_bytes(), dump(ledger)
    sys.stderr.write(f"seed {seed}\n")
    chance = random.Random(seed)
    ended = set()
    for _ in range(changes):
        changed = bytearray(whole)
        at, bit = chance.randrange(len(whole)), 1 << chance.randrange(8)
        changed[at] ^= bit
        put(ledger, changed)
        called = call_verdict("--ledger", ledger, "verify", "--json")
        put(ledger, changed)
        ended.add(called.code)
        place = f"byte {at}, bit {bit}: {called.out} {called.err}"
        assert called.code in (0, 1, 2), place
        assert called.code != 0 or rows(ledger) == before, place
        assert called.code != 2 or called.err or "unfinished" in called.out, place
    return ended


@pytest.mark.parametrize("number", range(4))
def test_a_changed_bit_of_the_database_is_never_called_whole(small, number):
    assert spoil(small, secrets.randbits(32), 75) >= {0, 1}


@pytest.mark.slow
@pytest.mark.parametrize("number", range(20))
def test_many_a_changed_bit_of_the_database_is_never_called_whole(small, number):
    spoil(small, secrets.randbits(32), 500)


@pytest.mark.parametrize("data", [b"", b"no database at all" * 500])
def test_what_is_no_database_cannot_be_verified(small, data):
    put(small, data)
    called = call_verdict("--ledger", small, "verify")
    assert called.code == 2
    assert called.err.startswith("error: ")


def test_half_a_database_is_never_called_whole(small):
    whole = (small / "ledger.db").read_bytes()
    put(small, whole[: len(whole) // 2])
    assert call_verdict("--ledger", small, "verify").code in (1, 2)
