"""Rows of projections in an SQL database; the same one as the events, or a scratch file."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

from sqlalchemy import BindParameter, Connection, bindparam, delete, select
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from ledger.errors import Damage
from ledger.ports import Change
from ledger.stores import tables
from ledger.stores.database import Database, driver_of
from ledger.stores.engine import open_scratch_engine

READ_ROWS = 2_000
_LOOKUP_MAX = 500


class SqlProjections:
    """Projections in one database (``ledger.ports.ProjectionStore``)."""

    def __init__(self, database: Database) -> None:
        """Take a database that has the tables."""
        self._database = database
        upsert = sqlite_insert(tables.projection_row)
        upsert = upsert.on_conflict_do_update(
            index_elements=["name", "key"], set_={"value": upsert.excluded.value}
        )
        self._upsert = str(upsert.compile(database.engine))
        table = tables.projection_row.c
        read = select(table.key, table.value).where(table.name == bindparam("a"))
        read = read.order_by(table.key).limit(bindparam("c"))
        start: BindParameter[str] = bindparam("b")
        self._read_from = str(read.where(table.key >= start).compile(database.engine))
        self._read_after = str(read.where(table.key > start).compile(database.engine))

    def position(self, name: str) -> tuple[int, int] | None:
        """Return version and next position."""
        with self._reading() as connection:
            return _read_position(connection, name)

    def load(self, name: str, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the rows that exist."""
        table = tables.projection_row.c
        found: dict[str, bytes] = {}
        with self._reading() as connection:
            for at in range(0, len(keys), _LOOKUP_MAX):
                query = select(table.key, table.value).where(table.name == name)
                query = query.where(table.key.in_(keys[at : at + _LOOKUP_MAX]))
                found.update(tuple(row) for row in connection.execute(query))
        return found

    def save(self, changes: Sequence[Change]) -> bool:
        """Write rows and positions together."""
        with self._database.writing() as connection:
            for change in changes:
                kept = _read_position(connection, change.name) or (change.version, 0)
                if kept != (change.version, change.expected):
                    return False
            for change in changes:
                values = {"version": change.version, "position": change.position}
                statement = sqlite_insert(tables.projection).values(name=change.name, **values)
                connection.execute(
                    statement.on_conflict_do_update(index_elements=["name"], set_=values)
                )
                rows = [(change.name, key, value) for key, value in change.rows.items()]
                if rows:
                    connection.exec_driver_sql(self._upsert, rows)
        return True

    def clear_all(self) -> None:
        """Delete all rows and positions."""
        with self._database.writing() as connection:
            for table in (tables.projection_row, tables.projection):
                table.create(connection, checkfirst=True)  # rebuilding mends a dropped table too
                connection.execute(delete(table))  # SQLite empties a whole table at once

    def clear(self, name: str) -> None:
        """Delete rows and position."""
        with self._database.writing() as connection:
            for table in (tables.projection_row, tables.projection):
                connection.execute(delete(table).where(table.c.name == name))

    def rows(self, name: str, prefix: str = "") -> Iterator[tuple[str, bytes]]:
        """Yield rows in order of key."""
        read, start = self._read_from, prefix
        while True:
            with self._reading() as connection:
                run = driver_of(connection).execute
                some = run(read, (name, start, READ_ROWS, 0)).fetchall()
            yield from takewhile(lambda row: row[0].startswith(prefix), some)
            if len(some) < READ_ROWS or not some[-1][0].startswith(prefix):
                return
            read, start = self._read_after, some[-1][0]

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        try:
            with self._database.reading() as connection:
                yield connection
        except Damage as error:
            raise Damage(f"{error}; 'verdict rebuild' folds the projections again") from error


@contextmanager
def open_scratch() -> Iterator[SqlProjections]:
    """Return an empty store in a temporary file, not durable, gone on exit."""
    with tempfile.TemporaryDirectory(prefix="verdict-") as folder:
        engine = open_scratch_engine(Path(folder) / "scratch.db")
        tables.metadata.create_all(engine, tables=[tables.projection, tables.projection_row])
        try:
            yield SqlProjections(Database(engine))
        finally:
            engine.dispose()


def _read_position(connection: Connection, name: str) -> tuple[int, int] | None:
    table = tables.projection.c
    row = connection.execute(
        select(table.version, table.position).where(table.name == name)
    ).first()
    return None if row is None else (row.version, row.position)
