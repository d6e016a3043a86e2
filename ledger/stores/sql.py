"""Events, small artifacts, tiles, head and checkpoints in an SQL database.

A write takes the write lock first, then the head row: positions are contiguous and follow commit
order.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import repeat
from typing import Any

from sqlalchemy import (
    Connection,
    Engine,
    Executable,
    bindparam,
    insert,
    literal,
    select,
    text,
    update,
)
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.exc import IntegrityError

from ledger.errors import Damage
from ledger.merkle import TILE_WIDTH, Tile
from ledger.ports import ArtifactRow, Duplicate, EventRow, Head
from ledger.stores import tables
from ledger.stores.database import Database, driver_of

READ_ROWS = 1_000
"""Rows fetched at a time: memory stays flat however long the log is."""
FAULTS_MAX = 100
"""Faults that SQLite lists."""


class SqlTransaction:
    """A write transaction on one connection (``ledger.ports.Transaction``)."""

    def __init__(self, connection: Connection, statements: "_Statements") -> None:
        """Read the head under the lock that the connection holds."""
        self._connection = connection
        self._statements = statements
        (row,) = connection.exec_driver_sql(statements.head).all() or (None,)
        self.head = _head_of(row)
        self.has_redacted = False

    def read_leaves(self, start: int, stop: int) -> list[bytes]:
        """Return leaf hashes of the log, as the transaction sees it."""
        return _read_leaves(self._connection, start, stop)

    def read_tile(self, level: int, index: int) -> bytes | None:
        """Return a full tile, as the transaction sees it."""
        return _read_tile(self._connection, level, index)

    def find_events(self, addresses: Sequence[bytes]) -> dict[bytes, int]:
        """Return the positions of those that are events of the log."""
        run, statement = self._connection.exec_driver_sql, self._statements.find_event
        rows = (run(statement, (address,)).first() for address in addresses)
        return {row[0]: row[1] for row in rows if row is not None}

    def find_artifacts(self, addresses: Sequence[bytes]) -> set[bytes]:
        """Return those that a committed row knows."""
        run, statement = self._connection.exec_driver_sql, self._statements.find_artifact
        return {address for address in addresses if run(statement, (address,)).first() is not None}

    def insert(
        self, *, events: Sequence[EventRow], artifacts: Sequence[ArtifactRow], tiles: Sequence[Tile]
    ) -> None:
        """Add rows; raise ``Duplicate`` where an event is there already."""
        run = self._connection.exec_driver_sql
        # Core would make a dict of each row first, which costs as much as the insert itself.
        try:
            if artifacts:
                run(self._statements.artifact, list(artifacts))
            if tiles:
                run(self._statements.tile, list(tiles))
        except IntegrityError as error:
            raise Damage(f"a tile that the log does not fill yet is there: {error.orig}") from error
        try:
            if events:
                run(self._statements.event, list(events))
        except IntegrityError as error:
            raise Duplicate from error

    def set_head(self, head: Head) -> None:
        """Replace the head row."""
        self._connection.exec_driver_sql(self._statements.set_head, tuple(head))

    def redact(self, address: bytes) -> None:
        """Delete the bytes in a row and mark it."""
        self.has_redacted = True
        table = tables.artifact
        change = update(table).where(table.c.address == address)
        self._connection.execute(change.values(place="redacted", data=None, stored=b""))


class _Statements:
    """The statements of the hot path, compiled once for the driver: each append runs them all."""

    def __init__(self, engine: Engine) -> None:
        artifact = sqlite_insert(tables.artifact).on_conflict_do_nothing()
        self.event = str(insert(tables.event).compile(engine))
        self.artifact = str(artifact.compile(engine))
        self.tile = str(insert(tables.tile).compile(engine))
        table = tables.event
        events = select(table).where(table.c.position.between(bindparam("a"), bindparam("b")))
        read = events.order_by(table.c.position).limit(bindparam("c")).compile(engine)
        self.read = str(read)
        columns = [tables.head.c.size, tables.head.c.root, tables.head.c.frontier]
        self.head = str(select(*columns).compile(engine))
        # One address at a time, since most batches have a new one or two to look up: Core takes
        # 100 µs to compose a list of one, and a list is only then faster.
        found = select(table.c.address, table.c.position).where(table.c.address == bindparam("a"))
        self.find_event = str(found.compile(engine))
        of = tables.artifact.c
        known = select(of.address).where(of.address == bindparam("a"))
        self.find_artifact = str(known.compile(engine))
        whole = select(tables.artifact).where(of.address == bindparam("a"))
        self.read_artifact = str(whole.compile(engine))
        described = select(of.address, of.sha256, of.size).where(of.address == bindparam("a"))
        self.describe_artifact = str(described.compile(engine))
        moved = update(tables.head).values({column.name: bindparam(None) for column in columns})
        self.set_head = str(moved.compile(engine))


class SqlRecords:
    """The rows of a ledger in one database (``ledger.ports.RecordStore``)."""

    def __init__(self, database: Database) -> None:
        """Take a database that has the current schema (``cli/setting``)."""
        self._database = database
        self._statements = _Statements(database.engine)

    @contextmanager
    def begin(self) -> Iterator[SqlTransaction]:
        """Return a write transaction; see the port."""
        with self._database.writing() as connection:
            transaction = SqlTransaction(connection, self._statements)
            yield transaction
        if transaction.has_redacted:
            self._database.empty_wal()

    def snapshot(self) -> AbstractContextManager[None]:
        """Hold one state of the database for the reads of this thread."""
        return self._database.snapshot()

    def head(self) -> Head:
        """Return the committed head."""
        with self._database.reading() as connection:
            return _read_head(connection)

    def read_leaves(self, start: int, stop: int) -> list[bytes]:
        """Return leaf hashes."""
        with self._database.reading() as connection:
            return _read_leaves(connection, start, stop)

    def read_tile(self, level: int, index: int) -> bytes | None:
        """Return a full tile."""
        with self._database.reading() as connection:
            return _read_tile(connection, level, index)

    def read_events(self, start: int, stop: int) -> Iterator[EventRow]:
        """Yield event rows in order of position."""
        while start < stop:
            with self._database.reading() as connection:
                run = driver_of(connection).execute
                rows = run(self._statements.read, (start, stop - 1, READ_ROWS, 0)).fetchall()
            # As ``EventRow._make``, whose check of the length takes longer than the rest.
            yield from map(tuple.__new__, repeat(EventRow), rows)
            if len(rows) < READ_ROWS:
                return
            start = rows[-1][0] + 1

    def find_event(self, address: bytes) -> EventRow | None:
        """Return the event with this address."""
        rows = self._rows(select(tables.event).where(tables.event.c.address == address))
        return EventRow._make(rows[0]) if rows else None

    def find_artifact(self, address: bytes) -> ArtifactRow | None:
        """Return the artifact row with this address."""
        return next(iter(self.find_artifact_rows([address])), None)

    def find_artifact_rows(self, addresses: Sequence[bytes]) -> list[ArtifactRow]:
        """Return the rows of those that have one."""
        rows = self._look_up(self._statements.read_artifact, addresses)
        return [ArtifactRow._make(row) for row in rows]

    def find_events(self, addresses: Sequence[bytes]) -> dict[bytes, int]:
        """Return the positions of those that are events of the log."""
        return dict(self._look_up(self._statements.find_event, addresses))

    def describe_artifacts(self, addresses: Sequence[bytes]) -> dict[bytes, tuple[bytes, int]]:
        """Return SHA-256 and size of those that have a row."""
        rows = self._look_up(self._statements.describe_artifact, addresses)
        return {address: (sha256, size) for address, sha256, size in rows}

    def find_prefix(self, first: bytes, last: bytes, limit: int) -> list[tuple[str, bytes]]:
        """Return what lies in first … last."""
        found: list[tuple[str, bytes]] = []
        for name, table in (("event", tables.event), ("artifact", tables.artifact)):
            query = select(literal(name), table.c.address)
            query = query.where(table.c.address.between(first, last)).limit(limit)
            found.extend(tuple(row) for row in self._rows(query))
        return found

    def read_artifacts(self) -> Iterator[ArtifactRow]:
        """Yield artifact rows in order of address."""
        table = tables.artifact
        query = select(table).where(table.c.address > bindparam("after"))
        after = b""
        while rows := self._rows(query.order_by(table.c.address).limit(100), after=after):
            artifacts = [ArtifactRow._make(row) for row in rows]
            yield from artifacts
            after = artifacts[-1].address

    def read_tiles(self) -> Iterator[Tile]:
        """Yield tile rows in order of level and index."""
        table = tables.tile
        query = select(table).order_by(table.c.level, table.c.index)
        offset = 0
        while rows := self._rows(query.limit(64).offset(offset)):
            for row in rows:
                yield Tile._make(row)
            offset += len(rows)

    def read_checkpoints(self) -> Iterator[tuple[int, str]]:
        """Yield checkpoints in order of size."""
        table = tables.checkpoint.c
        yield from (tuple(r) for r in self._rows(select(table.size, table.note).order_by("size")))

    def add_checkpoint(self, size: int, note: str) -> None:
        """Keep a signed note."""
        statement = sqlite_insert(tables.checkpoint).on_conflict_do_nothing()
        with self._database.writing() as connection:
            connection.execute(statement, {"size": size, "note": note})

    def check_storage(self) -> Iterator[str]:
        """Yield what SQLite says of its pages and indexes: a row may be there and not be found."""
        rows = self._rows(text(f"PRAGMA integrity_check({FAULTS_MAX})"))
        yield from (str(fault) for (fault,) in rows if fault != "ok")

    def verifier(self) -> str:
        """Return the vkey of the log."""
        rows = self._rows(select(tables.ledger.c.verifier))
        if not rows:
            raise Damage("table ledger: the row with the log's public key is missing")
        return str(rows[0][0])

    def _look_up(self, statement: str, addresses: Sequence[bytes]) -> list[Any]:
        """Return the rows of those of ``addresses`` that have one."""
        with self._database.reading() as connection:
            run = driver_of(connection).execute
            rows = [run(statement, (address,)).fetchone() for address in addresses]
        return [row for row in rows if row is not None]

    def _rows(self, query: Executable, **values: object) -> list[tuple]:  # type: ignore[type-arg]
        with self._database.reading() as connection:
            return connection.execute(query, values).all()  # type: ignore[return-value]


def _read_head(connection: Connection) -> Head:
    table = tables.head.c
    return _head_of(connection.execute(select(table.size, table.root, table.frontier)).first())


def _head_of(row: Sequence[Any] | None) -> Head:
    if row is None:
        raise Damage("table head: the row is missing")
    head = Head._make(row)
    if not isinstance(head.size, int):
        raise Damage(f"table head: its size is {head.size!r:.40}")
    return head


def _read_leaves(connection: Connection, start: int, stop: int) -> list[bytes]:
    table = tables.event.c
    query = select(table.leaf).where(table.position.between(start, stop - 1))
    leaves = list(connection.scalars(query.order_by(table.position)))
    if len(leaves) != stop - start:
        raise Damage(f"events {start:,} to {stop - 1:,}: only {len(leaves):,} are there")
    return leaves


def _read_tile(connection: Connection, level: int, index: int) -> bytes | None:
    table = tables.tile.c
    query = select(table.hashes).where(table.level == level, table.index == index)
    hashes = connection.scalar(query)
    if hashes is not None and len(hashes) != TILE_WIDTH * 32:
        raise Damage(f"tile {level}/{index}: {len(hashes):,} bytes instead of 8,192")
    return hashes
