"""Bits changed anywhere in the database file: never called whole when a row has changed."""

import contextlib
import random
import re
import secrets
import sqlite3
import sys

import pytest

from tests.tampering.forgery import dump, find, flip, tamper
from tests.trials.runs import call_verdict


def put(ledger, data):
    """Make ``data`` the database, with nothing in its log."""
    (ledger / "ledger.db").write_bytes(data)
    for ending in ("-wal", "-shm"):
        (ledger / f"ledger.db{ending}").unlink(missing_ok=True)


def rows(ledger):
    """Return all that rows say, ``None`` where they cannot be read.

    Left out: the number of a table's only row, and how far a projection has read. That may go back
    by an event that the projection does not fold; its rows are then a true state all the same.
    """
    with contextlib.suppress(sqlite3.Error, UnicodeDecodeError):
        found = dump(ledger)
        found["ledger"] = [row[1:] for row in found["ledger"]]
        found["head"] = [row[1:] for row in found["head"]]
        found["projection"] = [row[:2] for row in found["projection"]]
        return found
    return None


def spoil(ledger, seed, changes):
    whole, before = (ledger / "ledger.db").read_bytes(), rows(ledger)
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


def test_a_schema_that_is_no_text_cannot_be_verified(small):
    put(
        small,
        (small / "ledger.db").read_bytes().replace(b"CREATE TABLE head", b"CREATE TABL\xcc head"),
    )
    called = call_verdict("--ledger", small, "verify")
    assert called.code == 2
    assert called.err.startswith("error: ")


def test_an_index_that_no_longer_leads_to_its_row_is_damage(small):
    whole = (small / "ledger.db").read_bytes()
    ((address,),) = tamper(small, "SELECT address FROM event WHERE position = 20")
    places = [match.start() for match in re.finditer(re.escape(address), whole)]
    assert len(places) >= 2  # in the row, and in the index over addresses
    for at in places:
        put(small, flip(whole, at))
        assert find(small) != [], at


@pytest.mark.parametrize("value", ["NULL", "'text'", "5", "x''", "1.5"])
@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("event", "address"),
        ("event", "leaf"),
        ("event", "data"),
        ("artifact", "address"),
        ("artifact", "sha256"),
        ("artifact", "size"),
        ("artifact", "codec"),
        ("artifact", "stored"),
        ("artifact", "place"),
        ("artifact", "data"),
        ("tile", "hashes"),
        ("head", "size"),
        ("head", "root"),
        ("head", "frontier"),
        ("checkpoint", "note"),
        ("projection", "position"),
        ("projection_row", "value"),
        ("ledger", "verifier"),
    ],
)
def test_a_value_of_another_kind_is_never_called_whole(large, table, column, value):
    tamper(
        large,
        f"CREATE TABLE loose AS SELECT * FROM {table}",
        f"DROP TABLE {table}",
        f"ALTER TABLE loose RENAME TO {table}",
        f"UPDATE {table} SET {column} = {value} WHERE rowid = (SELECT max(rowid) FROM {table})",
    )
    called = call_verdict("--ledger", large, "verify")
    assert called.code in (1, 2), called


def test_half_a_database_is_never_called_whole(small):
    whole = (small / "ledger.db").read_bytes()
    put(small, whole[: len(whole) // 2])
    assert call_verdict("--ledger", small, "verify").code in (1, 2)
