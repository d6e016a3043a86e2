"""Rows in SQLite keep the port's contract, and no statement changes what was recorded."""

import sqlite3

import pytest
from sqlalchemy import event

from ledger.errors import Damage, StoreUnavailable
from ledger.merkle import Tile
from ledger.stores.sql import SqlRecords
from tests.ledger.stores.contract import (
    RecordStoreContract,
    artifact_row,
    commit,
    event_row,
)
from tests.ledger.stores.sqlite import make_database, run_bare


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.db"


@pytest.fixture
def records(path):
    database = make_database(path)
    yield SqlRecords(database)
    database.engine.dispose()


class TestSqlRecords(RecordStoreContract):
    pass


@pytest.fixture
def filled(records):
    tile = Tile(0, 0, bytes(8192))
    commit(records, events=[event_row(0)], artifacts=[artifact_row(b"a")], tiles=[tile])
    records.add_checkpoint(1, "note")
    return records


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ledger SET verifier = 'mine'",
        "DELETE FROM ledger",
        "UPDATE event SET data = x'00'",
        "UPDATE event SET position = 5",
        "DELETE FROM event",
        "UPDATE artifact SET data = x'00'",
        "UPDATE artifact SET place = 'file'",
        "UPDATE artifact SET place = 'redacted'",
        "UPDATE artifact SET place = 'redacted', data = NULL, size = 0",
        "UPDATE artifact SET place = 'redacted', data = NULL, codec = 'zstd'",
        "UPDATE artifact SET place = 'redacted', data = NULL, sha256 = x'00'",
        "UPDATE artifact SET place = 'redacted', data = NULL, address = x'00'",
        "DELETE FROM artifact",
        "UPDATE tile SET hashes = x'00'",
        "DELETE FROM tile",
        "UPDATE checkpoint SET note = 'mine'",
        "DELETE FROM checkpoint",
    ],
)
def test_what_is_recorded_is_not_changed_by_accident(filled, path, statement):
    with pytest.raises(sqlite3.IntegrityError, match="written once"):
        run_bare(path, statement)
    assert list(filled.read_events(0, 9)) == [event_row(0)]
    assert list(filled.read_artifacts()) == [artifact_row(b"a")]


@pytest.mark.parametrize(
    "statement",
    ["INSERT INTO event VALUES (7, 'text', x'00', x'00')", "UPDATE head SET size = 'many'"],
)
def test_a_value_of_another_type_is_not_stored(filled, path, statement):
    with pytest.raises(sqlite3.IntegrityError, match="cannot store"):
        run_bare(path, statement)


def test_a_missing_head_or_key_is_damage(records, path):
    run_bare(path, "DELETE FROM head", "DROP TRIGGER ledger_no_delete", "DELETE FROM ledger")
    for read in (records.head, records.verifier):
        with pytest.raises(Damage, match="is missing"):
            read()
    with pytest.raises(Damage, match="table head"):
        commit(records, events=[event_row(0)])


def test_a_tile_of_another_size_is_damage(records):
    commit(records, tiles=[Tile(1, 0, bytes(8191))])
    with pytest.raises(Damage, match="tile 1/0: 8,191 bytes"):
        records.read_tile(1, 0)


def test_a_file_that_is_no_database_is_damage_for_readers_and_writers(tmp_path):
    path = tmp_path / "ledger.db"
    records = SqlRecords(make_database(path))
    records._database.engine.dispose()
    path.write_bytes(b"not a database" * 1_000)
    with pytest.raises(Damage, match="not a database"):
        records.head()
    with pytest.raises(Damage, match="not a database"):
        commit(records, events=[event_row(0)])


def test_a_full_disk_refuses_a_checkpoint_too(path):
    database = make_database(path)
    records = SqlRecords(database)
    event.listen(database.engine, "connect", lambda raw, _: raw.execute("PRAGMA max_page_count=1"))
    database.engine.dispose()
    with pytest.raises(StoreUnavailable, match="full"):
        records.add_checkpoint(1, "note" * 100_000)
    assert list(records.read_checkpoints()) == []
