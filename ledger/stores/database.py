"""One SQL database: how its connections read and write.

A read outside ``snapshot`` sees what is committed at that moment; inside, all reads of the thread
share one transaction and so see one state. A write takes the write lock when it begins.
"""

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from ledger.errors import Damage, StoreUnavailable

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_MOMENTARY = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
    }
)
"""What SQLite says of the machine, not of the stored bytes."""


class Database:
    """An engine, and the two ways to use it."""

    def __init__(self, engine: Engine) -> None:
        """Take an engine (``ledger.stores.engine``)."""
        self.engine = engine
        self._local = threading.local()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Hold one state of the database for the reads of this thread."""
        with self.reading() as connection:
            if not connection.in_transaction():
                # A deferred transaction begins with its first read.
                connection.execute(text("SELECT 1 FROM ledger"))
            outer = getattr(self._local, "connection", None)
            self._local.connection = connection
            try:
                yield
            finally:
                self._local.connection = outer

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Return a connection to read from.

        Raises:
            Damage: the database is not what it was.
            StoreUnavailable: it cannot be read now.
        """
        held = getattr(self._local, "connection", None)
        try:
            if held is not None:
                yield held
            else:
                with self.engine.connect() as connection:
                    yield connection
        except DBAPIError as error:
            place = f"{self.engine.url.database}: {error.orig}"
            if _code_of(error) in _MOMENTARY:
                raise StoreUnavailable(f"{place}: it cannot be read now") from error
            raise Damage(place) from error
        except self.engine.dialect.loaded_dbapi.Error as error:
            # From rows that were fetched past Core (``SqlRecords.read_events``).
            place = f"{self.engine.url.database}: {error}"
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _MOMENTARY:
                raise StoreUnavailable(f"{place}: it cannot be read now") from error
            raise Damage(place) from error
        except UnicodeDecodeError as error:
            # SQLite quotes the damaged bytes in its message, and the driver cannot read that.
            raise Damage(f"{self.engine.url.database}: malformed database schema") from error

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Return a connection in a transaction that holds the write lock; commit on exit.

        Raises:
            StoreUnavailable: the database did not take it; nothing of it counts as recorded.
            Damage: the database is not what it was.
        """
        try:
            with (
                self.engine.connect().execution_options(begin="IMMEDIATE") as connection,
                connection.begin(),
            ):
                yield connection
        except IntegrityError:
            raise
        except DBAPIError as error:
            # After a failed write or sync nothing may be tried again on the same handles.
            self.engine.dispose()
            if _code_of(error) in _DAMAGED:
                raise Damage(f"{self.engine.url.database}: {error.orig}") from error
            raise StoreUnavailable(
                f"{self.engine.url.database}: {error.orig}: nothing of this write counts as "
                "recorded; make room or free the file, then resume"
            ) from error

    def empty_wal(self) -> None:
        """Cut off the write-ahead log, which still has old pages, so that what was deleted is gone.

        Whoever is reading an older state keeps it from that; then a later write does it.
        """
        connection = self.engine.raw_connection()
        try:
            with contextlib.suppress(sqlite3.Error):
                cursor = connection.cursor()
                cursor.execute("PRAGMA busy_timeout=1000").fetchall()
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        finally:
            # Its timeout is not the pool's: the next one to write gets a new connection.
            connection.invalidate()


def driver_of(connection: Connection) -> Any:
    """Return the driver's connection, for rows as the driver has them: Core's take twice the time.

    ``Database.reading`` alone translates its errors: it is not for writing.
    """
    driver = connection.connection.driver_connection
    assert driver is not None  # noqa: S101 - connected
    return driver


def _code_of(error: DBAPIError) -> int | None:
    """Return SQLite's primary result code."""
    code: int | None = getattr(error.orig, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
