"""A real SQLite ledger in a folder, made by the migrations, for tests to open and to spoil."""

import sqlite3
from contextlib import closing

from sqlalchemy import insert

from ledger.merkle import EMPTY_ROOT
from ledger.stores import tables
from ledger.stores.database import Database
from ledger.stores.engine import open_engine
from migrations import upgrade
from tests.ledger.stores.contract import VKEY


def make_database(path, vkey=VKEY):
    """Make an empty ledger at ``path`` and return it open."""
    engine = open_engine(path)
    upgrade(engine)
    with engine.connect() as connection, connection.begin():
        connection.execute(insert(tables.ledger).values(id=1, verifier=vkey))
        connection.execute(insert(tables.head).values(id=1, size=0, root=EMPTY_ROOT, frontier=b""))
    return Database(engine)


def run_bare(path, *statements):
    """Run statements with no code of the ledger, each committed; return the last rows."""
    rows: list[tuple[object, ...]] = []
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            rows = connection.execute(statement).fetchall()
    return rows
