"""What somebody with the ledger's folder in hand can do to it, with no code of the ledger."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from blake3 import blake3

from cli.setting import open_stores
from ledger import merkle
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.digest import unpack_digest
from ledger.stores.keys import FileSigner
from ledger.verify import Finding, Tally, verify_ledger

TABLES = {
    "ledger": ("id",),
    "head": ("id",),
    "event": ("position",),
    "artifact": ("address",),
    "tile": ("level", "index"),
    "checkpoint": ("size",),
    "projection": ("name",),
    "projection_row": ("name", "key"),
}
"""Name to the columns of the primary key."""


def tamper(ledger: Path, *statements: str | tuple[str, tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Run statements on the database, whose triggers are dropped first; return the last rows."""
    rows: list[tuple[Any, ...]] = []
    with closing(sqlite3.connect(ledger / "ledger.db", isolation_level=None)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in names.fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            text, values = (statement, ()) if isinstance(statement, str) else statement
            rows = connection.execute(text, values).fetchall()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return rows


def change(
    ledger: Path, table: str, column: str, key: tuple[Any, ...], new: Callable[[Any], Any]
) -> None:
    """Put ``new`` of the old value into one column of one row."""
    where = " AND ".join(f'"{name}" = ?' for name in TABLES[table])
    ((old,),) = tamper(ledger, (f'SELECT "{column}" FROM {table} WHERE {where}', key))
    tamper(ledger, (f'UPDATE {table} SET "{column}" = ? WHERE {where}', (new(old), *key)))


def flip(value: Any, at: int = 0) -> Any:
    """Return ``value`` with one bit of one byte, character or number changed."""
    if isinstance(value, int):
        return value ^ 1
    if isinstance(value, str):
        return value[:at] + chr(ord(value[at]) ^ 1) + value[at + 1 :]
    changed = bytearray(value or b"\0")
    changed[at % len(changed)] ^= 1
    return bytes(changed)


def flip_file(path: Path, at: int = 0) -> None:
    """Change one bit of a file that may be write-protected."""
    path.chmod(0o644)
    path.write_bytes(flip(path.read_bytes(), at))


def dump(ledger: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table of ours."""
    with closing(sqlite3.connect(ledger / "ledger.db")) as connection:
        return {
            table: connection.execute(
                'SELECT * FROM {} ORDER BY "{}"'.format(table, '", "'.join(key))
            ).fetchall()
            for table, key in TABLES.items()
        }


def find(ledger: Path) -> list[Finding]:
    """Return the faults that a verification finds; redactions and the like are left out."""
    findings = verify_ledger(partial(open_stores, ledger), Tally())
    return [finding for finding in findings if finding.outcome not in ("redacted", "unknown")]


def said(ledger: Path) -> list[tuple[str, str]]:
    """Return outcome and place of every fault."""
    return [(finding.outcome.value, finding.where) for finding in find(ledger)]


def regrow(ledger: Path) -> None:
    """Make leaves, tiles and head those of the events that are there, as a careful forger would."""
    rows = tamper(ledger, "SELECT data FROM event ORDER BY position")
    frontier: list[bytes] = []
    level: list[bytes] = []
    tiles: list[tuple[int, int, bytes]] = []
    for size, (data,) in enumerate(rows):
        leaf = merkle.hash_leaf(data)
        merkle.push_leaf(frontier, size, leaf)
        level.append(leaf)
        if len(level) == merkle.TILE_WIDTH:
            tiles.append((0, len(tiles), b"".join(level)))
            level.clear()
    head = (len(rows), merkle.compute_root(frontier), b"".join(frontier))
    tamper(
        ledger,
        "DELETE FROM tile",
        *[("INSERT INTO tile VALUES (?, ?, ?)", tile) for tile in tiles],
        ("UPDATE head SET size = ?, root = ?, frontier = ?", head),
        *[
            (
                "UPDATE event SET address = ?, leaf = ? WHERE position = ?",
                (blake3(data).digest(), merkle.hash_leaf(data), position),
            )
            for position, (data,) in enumerate(rows)
        ],
    )


def sign_as_owner(ledger: Path, origin: str = "test.example/log") -> None:
    """Sign the head as it is with the log's own key, as somebody who holds it can."""
    ((size, root),) = tamper(ledger, "SELECT size, root FROM head")
    signer = FileSigner(ledger, origin)
    note = sign_checkpoint(Checkpoint(origin=origin, size=size, root=root), signer._key)
    (ledger / "last-signed").write_text(note)
    tamper(ledger, ("INSERT OR REPLACE INTO checkpoint VALUES (?, ?)", (size, note)))


def sweep(ledger: Path, table: str) -> list[tuple[str, list[str]]]:
    """Flip each value of a table in turn, the database put back each time.

    Returns:
        For each value, what it is and the findings that name the row that it stands in.
    """
    tamper(ledger)
    path = ledger / "ledger.db"
    whole = path.read_bytes()
    key = TABLES[table]
    with closing(sqlite3.connect(path)) as connection:
        cursor = connection.execute(f"SELECT * FROM {table}")
        columns = [description[0] for description in cursor.description]
        rows = [dict(zip(columns, row, strict=True)) for row in cursor]
    swept = []
    for row in rows:
        for column, value in row.items():
            if value is None or (table, column) in _WITHOUT_MEANING:
                continue
            spoil = _far if (table, column) == ("projection", "position") else flip
            changed = spoil(value)
            change(ledger, table, column, tuple(row[name] for name in key), spoil)
            places = _places(table, row) | _places(table, row | {column: changed})
            named = [finding.what for finding in find(ledger) if finding.where in places]
            swept.append((f"{table} {row[key[0]]!r} {column}", named))
            path.write_bytes(whole)
    return swept


_WITHOUT_MEANING = {
    ("ledger", "id"),
    ("head", "id"),
    ("event", "position"),  # Another position is another order: test_order.
}


def _far(position: int) -> int:
    """Return a much earlier position; one event back may be one that nobody folds."""
    return position // 5


def _places(table: str, row: dict[str, Any]) -> set[str]:
    """Return by what a finding names ``row``."""
    return {
        "ledger": lambda: {"public key"},
        "head": lambda: {"head"},
        "event": lambda: {f"event {row['position']:,}"},
        "artifact": lambda: {f"artifact {unpack_digest(row['address'])}"},
        "tile": lambda: {f"tile {row['level']}/{row['index']}"},
        "checkpoint": lambda: {f"checkpoint {row['size']:,}"},
        "projection": lambda: {f"projection {row['name']}"},
        "projection_row": lambda: {f"projection {row['name']}"},
    }[table]()
