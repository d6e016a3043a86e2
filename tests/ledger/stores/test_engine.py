"""SQLite is set so that an acknowledged commit is durable, or it is not used."""

from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from ledger.errors import StoreUnavailable
from ledger.stores import engine as engine_module
from ledger.stores.engine import open_engine
from tests.ledger.stores.sqlite import make_database


def pragma(connection, name):
    return connection.exec_driver_sql(f"PRAGMA {name}").scalar()


def test_every_connection_is_durable_by_what_sqlite_itself_says(tmp_path):
    engine = open_engine(tmp_path / "a.db")
    with engine.connect() as one, engine.connect() as two:
        for connection in (one, two):
            assert pragma(connection, "journal_mode") == "wal"
            assert pragma(connection, "synchronous") == 2
            assert pragma(connection, "foreign_keys") == 1
            assert pragma(connection, "busy_timeout") == 60_000
            assert pragma(connection, "secure_delete") == 1


def test_a_setting_that_sqlite_does_not_take_refuses_the_store(tmp_path, monkeypatch):
    monkeypatch.setattr(engine_module, "_PRAGMAS", (("synchronous", "OFF", 2),))
    with pytest.raises(StoreUnavailable, match=r"did not take synchronous=OFF \(it says 0\)"):
        open_engine(tmp_path / "a.db").connect()


def test_a_file_system_without_shared_memory_refuses_the_store(monkeypatch):
    # WAL is not there for a database in memory; SQLite says "memory" and goes on.
    monkeypatch.setattr(engine_module, "_PRAGMAS", engine_module._PRAGMAS[:1])
    with pytest.raises(StoreUnavailable, match="put the ledger on a local disk"):
        open_engine(Path(":memory:")).connect()


def test_a_write_holds_the_lock_from_its_beginning(tmp_path, monkeypatch):
    database = make_database(tmp_path / "a.db")
    monkeypatch.setattr(engine_module, "_PRAGMAS", (("busy_timeout", "0", 0),))
    database.engine.dispose()
    with database.writing() as one:
        assert one.in_transaction()
        other = database.engine.connect().execution_options(begin="IMMEDIATE")
        with pytest.raises(OperationalError, match="locked"), other.begin():
            pass
        other.close()


@pytest.mark.parametrize("name", ["a?b", "a%20b", "a#b", "a b", "é", "a:b@c"])
def test_a_folder_may_have_any_name(tmp_path, name):
    (tmp_path / name).mkdir()
    make_database(tmp_path / name / "ledger.db").engine.dispose()
    assert [path.name for path in (tmp_path / name).iterdir()] == ["ledger.db"]
    assert [path.name for path in tmp_path.iterdir()] == [name]
