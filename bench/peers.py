"""What stands beside ours: ``sqlite3`` with nothing around it, and ``eventsourcing``."""

import json
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from bench.measurement import Rate, measure_rate
from cli.setting import DATABASE
from ledger.stores.engine import open_engine

Values = tuple[Any, ...]


def read_rows(ledger: Path, table: str) -> tuple[str, list[Values]]:
    """Return the statement that makes ``table``, and its rows in order, as they are stored."""
    engine = open_engine(ledger / DATABASE)
    with engine.connect() as connection:
        (made,) = connection.exec_driver_sql(
            "SELECT sql FROM sqlite_master WHERE name = ?", (table,)
        ).one()
        rows = connection.exec_driver_sql(f"SELECT * FROM {table} ORDER BY rowid").all()  # noqa: S608 - our own names
    engine.dispose()
    return made, [tuple(row) for row in rows]


def insert_rows(folder: Path, made: str, rows: Sequence[Values], batch: int) -> Rate:
    """Return how fast bare ``sqlite3`` inserts ``rows``, a commit per ``batch``.

    The table is made by the same statement as ours, and the connection is one that our engine has
    prepared: the same WAL, the same ``synchronous``, the same pages before a checkpoint.
    """
    table = made.split()[2]
    marks = ", ".join("?" * len(rows[0]))

    def insert(connection: Connection) -> None:
        for at in range(0, len(rows), batch):
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                f"INSERT INTO {table} VALUES ({marks})",  # noqa: S608 - our own names
                rows[at : at + batch],
            )
            connection.execute("COMMIT")

    return _measure_on_bare(folder, made, len(rows), insert)


def _measure_on_bare(
    folder: Path, made: str, amount: int, task: Callable[[Connection], None]
) -> Rate:
    folder.mkdir()
    engine = open_engine(folder / "bare.db")
    raw = engine.raw_connection()
    connection = raw.driver_connection
    assert isinstance(connection, Connection)
    try:
        connection.execute(made)
        return measure_rate(amount, lambda: task(connection))
    finally:
        raw.close()
        engine.dispose()
        shutil.rmtree(folder)


class Record(Aggregate):
    """An aggregate of ``eventsourcing`` that is told facts."""

    @event("Opened")
    def __init__(self) -> None:
        self.told = 0

    @event("Told")
    def tell(self, kind: str, body: dict[str, object]) -> None:
        self.told += 1


def save_events(folder: Path, events: Sequence[bytes], batch: int) -> tuple[Rate, Rate]:
    """Return how fast ``eventsourcing`` takes our ``events``, in all and in ``save`` alone.

    Its application, SQLite recorder and mapper as they come; ``batch`` events a save, which is a
    commit. In all: raising each event on the aggregate, and saving.
    """
    folder.mkdir()
    told = [(event["kind"], event["body"]) for event in map(json.loads, events)]
    environment = {
        "PERSISTENCE_MODULE": "eventsourcing.sqlite",
        "SQLITE_DBNAME": str(folder / "peer.db"),
    }
    application: Application[Any] = Application(env=environment)
    record = Record()
    application.save(record)
    wall = cpu = 0.0

    def save() -> None:
        nonlocal wall, cpu
        for at in range(0, len(told), batch):
            for kind, body in told[at : at + batch]:
                record.tell(kind, body)
            begun = time.perf_counter(), time.process_time()
            application.save(record)
            wall += time.perf_counter() - begun[0]
            cpu += time.process_time() - begun[1]

    try:
        whole = measure_rate(len(told), save)
        return whole, Rate(len(told) / wall, len(told) / cpu)
    finally:
        application.close()
        shutil.rmtree(folder)
