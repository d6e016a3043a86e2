"""SQLite through SQLAlchemy, set so that an acknowledged commit survives a power cut.

1. WAL, and ``synchronous=FULL``: NORMAL in WAL may lose acknowledged commits; the setting belongs
   to a connection, not to the file, so each connection sets it and reads it back;
2. a write begins with ``BEGIN IMMEDIATE``: a deferred one that read first is refused at once when
   it wants to write, whatever the timeout (measured: most of its writes);
3. what is deleted is overwritten (``secure_delete``): a redacted artifact leaves no bytes behind;
4. the driver's own idea of when a transaction begins is off.
"""

from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event

from ledger.errors import Damage, StoreUnavailable

BUSY_TIMEOUT_MS = 60_000
WAL_PAGES = 4_000
"""Pages before SQLite moves the log file into the database: 16 MB, so that a batch of 1,000
events does not pay for it each time."""

_PRAGMAS = (
    ("journal_mode", "WAL", "wal"),
    ("synchronous", "FULL", 2),
    ("fullfsync", "1", 1),
    ("foreign_keys", "ON", 1),
    ("busy_timeout", str(BUSY_TIMEOUT_MS), BUSY_TIMEOUT_MS),
    ("wal_autocheckpoint", str(WAL_PAGES), WAL_PAGES),
    ("temp_store", "FILE", 1),
    ("secure_delete", "ON", 1),
)


def open_engine(path: Path) -> Engine:
    """Return an engine for the SQLite file ``path``; the file is made on the first connection."""
    engine = create_engine(_url_of(path), connect_args={"timeout": BUSY_TIMEOUT_MS / 1000})
    event.listen(engine, "connect", _prepare_connection)
    event.listen(engine, "begin", _begin)
    return engine


def open_frozen_engine(path: Path) -> Engine:
    """Return an engine for a SQLite file on a medium that cannot be written.

    Raises:
        StoreUnavailable: the newest commits are still in the log file beside it, which only a
            writer can read.
    """
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size > 0:
        raise StoreUnavailable(
            f"{log}: its commits are not in the database yet: copy the folder to where it can be "
            "written"
        )
    place = f"file:{quote(str(path.absolute()))}"
    query = {"mode": "ro", "immutable": "1", "uri": "true"}
    engine = create_engine(URL.create("sqlite", database=place, query=query))
    event.listen(engine, "begin", _begin)
    return engine


def open_scratch_engine(path: Path) -> Engine:
    """Return an engine for a throw-away SQLite file: fast, and nothing survives a crash."""
    engine = create_engine(_url_of(path))
    event.listen(engine, "connect", _prepare_scratch)
    event.listen(engine, "begin", _begin)
    return engine


def _url_of(path: Path) -> URL:
    # Not a formatted text: a folder's name may hold what a URL gives a meaning to, such as "?".
    return URL.create("sqlite", database=str(path))


def _prepare_scratch(connection: Any, _record: object) -> None:
    connection.isolation_level = None
    connection.execute("PRAGMA journal_mode=MEMORY")
    connection.execute("PRAGMA synchronous=OFF")


def _prepare_connection(connection: Any, _record: object) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    for name, value, expected in _PRAGMAS:
        try:
            cursor.execute(f"PRAGMA {name}={value}").fetchone()
            (actual,) = cursor.execute(f"PRAGMA {name}").fetchone()
        except UnicodeDecodeError as error:
            # SQLite quotes the damaged bytes in its message, and the driver cannot read that.
            raise Damage("the database cannot be read: malformed schema") from error
        if actual != expected:
            cursor.close()
            raise StoreUnavailable(
                f"SQLite did not take {name}={value} (it says {actual}): a commit would not be "
                "durable on this file system; put the ledger on a local disk"
            )
    cursor.close()


def _begin(connection: Connection) -> None:
    mode = connection.get_execution_options().get("begin", "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {mode}")
