"""The first schema, and the triggers that refuse to change what was recorded."""

from alembic import op
from sqlalchemy import CheckConstraint, Column, Integer, LargeBinary, Text

revision = "0001"
down_revision = None

_ONCE = ("ledger", "event", "tile", "checkpoint")


def upgrade() -> None:
    """Make the tables."""
    _make_record_tables()
    _make_projection_tables()
    _make_triggers()


def _make_record_tables() -> None:
    strict = {"sqlite_strict": True}
    op.create_table(
        "ledger",
        Column("id", Integer, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
        Column("verifier", Text, nullable=False),
        **strict,
    )
    op.create_table(
        "head",
        Column("id", Integer, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
        Column("size", Integer, nullable=False),
        Column("root", LargeBinary, nullable=False),
        Column("frontier", LargeBinary, nullable=False),
        **strict,
    )
    op.create_table(
        "event",
        Column("position", Integer, primary_key=True, autoincrement=False),
        Column("address", LargeBinary, nullable=False, unique=True),
        Column("leaf", LargeBinary, nullable=False),
        Column("data", LargeBinary, nullable=False),
        **strict,
    )
    op.create_table(
        "artifact",
        Column("address", LargeBinary, primary_key=True),
        Column("sha256", LargeBinary, nullable=False),
        Column("size", Integer, nullable=False),
        Column("codec", Text, nullable=False),
        Column("stored", LargeBinary, nullable=False),
        Column("place", Text, nullable=False),
        Column("data", LargeBinary),
        **strict,
    )
    op.create_table(
        "tile",
        Column("level", Integer, primary_key=True),
        Column("index", Integer, primary_key=True),
        Column("hashes", LargeBinary, nullable=False),
        sqlite_with_rowid=False,
        **strict,
    )
    op.create_table(
        "checkpoint",
        Column("size", Integer, primary_key=True, autoincrement=False),
        Column("note", Text, nullable=False),
        **strict,
    )


def _make_projection_tables() -> None:
    op.create_table(
        "projection",
        Column("name", Text, primary_key=True),
        Column("version", Integer, nullable=False),
        Column("position", Integer, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "projection_row",
        Column("name", Text, primary_key=True),
        Column("key", Text, primary_key=True),
        Column("value", LargeBinary, nullable=False),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )


def _make_triggers() -> None:
    """Refuse what no code of ours does; SQLite only, where there are no roles to revoke from."""
    if op.get_bind().dialect.name != "sqlite":
        return
    for table in _ONCE:
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} BEGIN "
                f"SELECT RAISE(ABORT, '{table}: rows are written once'); END"
            )
    op.execute(
        "CREATE TRIGGER artifact_no_delete BEFORE DELETE ON artifact BEGIN "
        "SELECT RAISE(ABORT, 'artifact: rows are written once'); END"
    )
    op.execute(
        "CREATE TRIGGER artifact_no_update BEFORE UPDATE ON artifact "
        "WHEN NEW.place IS NOT 'redacted' OR NEW.data IS NOT NULL "
        "OR NEW.address IS NOT OLD.address OR NEW.sha256 IS NOT OLD.sha256 "
        "OR NEW.size IS NOT OLD.size OR NEW.codec IS NOT OLD.codec "
        "OR NEW.stored IS NOT x'' BEGIN "
        "SELECT RAISE(ABORT, 'artifact: rows are written once'); END"
    )
