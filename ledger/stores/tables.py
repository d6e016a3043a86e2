"""The tables, as SQLAlchemy Core sees them; ``migrations`` makes them and reads only this file.

Nothing but ``head`` and the projections is ever updated: an event, an artifact, a tile and a
checkpoint are written once. Triggers made by the first migration refuse anything else, against
accidents; against attackers there is ``verify``.
"""

from sqlalchemy import CheckConstraint, Column, Integer, LargeBinary, MetaData, Table, Text

REVISION = "0001"
"""The alembic revision that this program reads and writes."""

metadata = MetaData()

ledger = Table(
    "ledger",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("verifier", Text, nullable=False),
    sqlite_strict=True,
)

head = Table(
    "head",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("size", Integer, nullable=False),
    Column("root", LargeBinary, nullable=False),
    Column("frontier", LargeBinary, nullable=False),
    sqlite_strict=True,
)

event = Table(
    "event",
    metadata,
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("address", LargeBinary, nullable=False, unique=True),
    Column("leaf", LargeBinary, nullable=False),
    Column("data", LargeBinary, nullable=False),
    sqlite_strict=True,
)

artifact = Table(
    "artifact",
    metadata,
    Column("address", LargeBinary, primary_key=True),
    Column("sha256", LargeBinary, nullable=False),
    Column("size", Integer, nullable=False),
    Column("codec", Text, nullable=False),
    Column("stored", LargeBinary, nullable=False),
    Column("place", Text, nullable=False),
    Column("data", LargeBinary),
    sqlite_strict=True,
)

tile = Table(
    "tile",
    metadata,
    Column("level", Integer, primary_key=True),
    Column("index", Integer, primary_key=True),
    Column("hashes", LargeBinary, nullable=False),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)

checkpoint = Table(
    "checkpoint",
    metadata,
    Column("size", Integer, primary_key=True, autoincrement=False),
    Column("note", Text, nullable=False),
    sqlite_strict=True,
)

projection = Table(
    "projection",
    metadata,
    Column("name", Text, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    sqlite_strict=True,
)

projection_row = Table(
    "projection_row",
    metadata,
    Column("name", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
