"""Ledgers on each pair of stores, to open, close and open again."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from ledger.artifact import JSON, ArtifactRef
from ledger.events import RunCompleted, SuiteRegistered
from ledger.log import Ledger
from ledger.stores.database import Database
from ledger.stores.engine import open_engine
from ledger.stores.files import FileBlobs
from ledger.stores.memory import MemoryBlobs, MemoryProjections, MemoryRecords
from ledger.stores.projections import SqlProjections
from ledger.stores.sql import SqlRecords
from ledger.writer import Draft
from tests.ledger.stores.contract import VKEY
from tests.ledger.stores.sqlite import make_database


class TickingClock:
    """A second later each time (``ledger.ports.Clock``)."""

    def __init__(self) -> None:
        self._ticks = count()

    def now(self) -> datetime:
        """Return the next second of an evening in 2026."""
        return datetime(2026, 11, 30, 20, tzinfo=UTC) + timedelta(seconds=next(self._ticks))


class MemoryHome:
    """A ledger in memory; opening it again finds what was there."""

    def __init__(self) -> None:
        self.records = MemoryRecords(VKEY)
        self.blobs = MemoryBlobs()
        self.projections = MemoryProjections()
        self.clock = TickingClock()

    def open(self) -> Ledger:
        """Return the ledger."""
        return Ledger(records=self.records, blobs=self.blobs, clock=self.clock, actor="ana")

    def staged(self) -> list[str]:
        """Return the names of what is staged."""
        return list(self.blobs._staged)


class SqlHome:
    """A ledger folder: SQLite and files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "ledger.db"
        if not self.path.exists():
            make_database(self.path).engine.dispose()
        self.clock = TickingClock()
        self.connect()

    def connect(self) -> None:
        """Make new stores on the folder, as another process would."""
        self.database = Database(open_engine(self.path))
        self.records = SqlRecords(self.database)
        self.blobs = FileBlobs(self.folder)
        self.projections = SqlProjections(self.database)

    def open(self) -> Ledger:
        """Return the ledger."""
        return Ledger(records=self.records, blobs=self.blobs, clock=self.clock, actor="ana")

    def staged(self) -> list[str]:
        """Return the names of what is staged."""
        return [path.name for path in self.folder.glob("staging/*/*") if path.name != "lock"]

    def files(self) -> Iterator[Path]:
        """Yield every file of the folder."""
        return (path for path in self.folder.rglob("*") if path.is_file())


def draft_suite(ledger: Ledger, name: str = "s", *refs: ArtifactRef) -> Draft:
    """Return an event that names artifacts only: ``refs`` by a listing, or a small one."""
    listing = ledger.put_listing(refs)
    manifest = refs[0] if refs else ledger.put(f'"{name}"'.encode(), media=JSON)
    return ledger.draft(SuiteRegistered(suite_name=name, manifest=manifest, artifacts=listing))


def draft_after(ledger: Ledger, draft: Draft, number: int = 0) -> Draft:
    """Return an event that names ``draft``, and no artifact."""
    return ledger.draft(RunCompleted(run=draft.address, completed=number, failed=0))
