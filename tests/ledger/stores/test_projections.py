"""Projections in SQL keep the port's contract, in the ledger's database and in a scratch file."""

import pytest

from ledger.errors import Damage, StoreUnavailable
from ledger.ports import Change
from ledger.stores.projections import SqlProjections, open_scratch
from tests.ledger.stores.contract import ProjectionStoreContract
from tests.ledger.stores.sqlite import make_database, run_bare


class TestSqlProjections(ProjectionStoreContract):
    @pytest.fixture
    def projections(self, tmp_path):
        database = make_database(tmp_path / "ledger.db")
        yield SqlProjections(database)
        database.engine.dispose()


class TestScratchProjections(ProjectionStoreContract):
    @pytest.fixture
    def projections(self):
        with open_scratch() as scratch:
            yield scratch


@pytest.mark.parametrize("table", ["projection", "projection_row"])
def test_a_dropped_table_is_damage_and_clearing_makes_it_again(tmp_path, table):
    projections = SqlProjections(make_database(tmp_path / "ledger.db"))
    run_bare(tmp_path / "ledger.db", f"DROP TABLE {table}")
    with pytest.raises((Damage, StoreUnavailable), match="no such table"):
        projections.save([Change("p", 1, 0, 1, {"a": b"1"})])
    projections.clear_all()
    assert projections.save([Change("p", 1, 0, 1, {"a": b"1"})])
    assert list(projections.rows("p")) == [("a", b"1")]


def test_rows_are_not_kept_without_their_position(tmp_path):
    projections = SqlProjections(make_database(tmp_path / "ledger.db"))
    run_bare(
        tmp_path / "ledger.db",
        "CREATE TRIGGER fault BEFORE INSERT ON projection_row WHEN NEW.key = 'z' "
        "BEGIN SELECT RAISE(ABORT, 'fault'); END",
    )
    with pytest.raises(Exception, match="fault"):
        projections.save([Change("p", 1, 0, 5, {"a": b"1", "z": b"2"})])
    assert projections.position("p") is None
    assert list(projections.rows("p")) == []
