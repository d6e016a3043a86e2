"""All ports in memory: for tests of what stands above them, and for dry runs. Nothing survives."""

import bisect
import itertools
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ledger.errors import Damage
from ledger.merkle import EMPTY_ROOT, Tile
from ledger.ports import ArtifactRow, Change, Duplicate, EventRow, Head, RecordStore, Staged


class MemoryRecords:
    """Rows in lists and dicts (``ledger.ports.RecordStore`` and ``Transaction`` in one)."""

    def __init__(self, verifier: str = "") -> None:
        """Begin with an empty log."""
        self._verifier = verifier
        self._head = Head(0, EMPTY_ROOT, b"")
        self._events: list[EventRow] = []
        self._positions: dict[bytes, int] = {}
        self._artifacts: dict[bytes, ArtifactRow] = {}
        self._tiles: dict[tuple[int, int], bytes] = {}
        self._checkpoints: dict[int, str] = {}
        self._lock = threading.RLock()

    @contextmanager
    def begin(self) -> Iterator["_MemoryTransaction"]:
        """Return a write transaction whose rows appear together on exit."""
        with self._lock:
            transaction = _MemoryTransaction(self)
            yield transaction
            self._positions.update({row.address: row.position for row in transaction.events})
            self._events += transaction.events
            self._artifacts = {**transaction.artifacts, **self._artifacts}
            for address in transaction.redacted:
                row = self._artifacts[address]
                self._artifacts[address] = row._replace(place="redacted", data=None, stored=b"")
            self._tiles.update(
                {(tile.level, tile.index): tile.hashes for tile in transaction.tiles}
            )
            self._head = transaction.new_head

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Hold the lock: nothing changes meanwhile."""
        with self._lock:
            yield

    def head(self) -> Head:
        """Return the committed head."""
        return self._head

    def read_leaves(self, start: int, stop: int) -> list[bytes]:
        """Return leaf hashes."""
        if stop > len(self._events):
            raise Damage(f"events {start:,} to {stop - 1:,}: not all are there")
        return [row.leaf for row in self._events[start:stop]]

    def read_tile(self, level: int, index: int) -> bytes | None:
        """Return a full tile."""
        return self._tiles.get((level, index))

    def find_events(self, addresses: Sequence[bytes]) -> dict[bytes, int]:
        """Return the positions of those that are events of the log."""
        return {a: self._positions[a] for a in addresses if a in self._positions}

    def find_artifacts(self, addresses: Sequence[bytes]) -> set[bytes]:
        """Return those that are known."""
        return {address for address in addresses if address in self._artifacts}

    def read_events(self, start: int, stop: int) -> Iterator[EventRow]:
        """Yield event rows in order."""
        yield from self._events[start:stop]

    def find_event(self, address: bytes) -> EventRow | None:
        """Return the event with this address."""
        position = self._positions.get(address)
        return None if position is None else self._events[position]

    def find_artifact(self, address: bytes) -> ArtifactRow | None:
        """Return the artifact row with this address."""
        return self._artifacts.get(address)

    def find_artifact_rows(self, addresses: Sequence[bytes]) -> list[ArtifactRow]:
        """Return the rows of those that have one."""
        return [self._artifacts[address] for address in addresses if address in self._artifacts]

    def describe_artifacts(self, addresses: Sequence[bytes]) -> dict[bytes, tuple[bytes, int]]:
        """Return SHA-256 and size of those that have a row."""
        rows = [self._artifacts[address] for address in self.find_artifacts(addresses)]
        return {row.address: (row.sha256, row.size) for row in rows}

    def find_prefix(self, first: bytes, last: bytes, limit: int) -> list[tuple[str, bytes]]:
        """Return what lies in first … last."""
        events = [("event", a) for a in sorted(self._positions) if first <= a <= last]
        artifacts = [("artifact", a) for a in sorted(self._artifacts) if first <= a <= last]
        return events[:limit] + artifacts[:limit]

    def read_artifacts(self) -> Iterator[ArtifactRow]:
        """Yield artifact rows in order of address."""
        yield from (self._artifacts[address] for address in sorted(self._artifacts))

    def read_tiles(self) -> Iterator[Tile]:
        """Yield tiles in order."""
        yield from (Tile(*key, self._tiles[key]) for key in sorted(self._tiles))

    def read_checkpoints(self) -> Iterator[tuple[int, str]]:
        """Yield checkpoints in order of size."""
        yield from sorted(self._checkpoints.items())

    def add_checkpoint(self, size: int, note: str) -> None:
        """Keep a signed note."""
        self._checkpoints.setdefault(size, note)

    def check_storage(self) -> Iterator[str]:
        """Yield nothing: there is no file."""
        yield from ()

    def verifier(self) -> str:
        """Return the vkey of the log."""
        return self._verifier


class _MemoryTransaction:
    """What a transaction on ``MemoryRecords`` has gathered so far."""

    def __init__(self, records: MemoryRecords) -> None:
        self._records = records
        self.head = self.new_head = records.head()
        self.events: list[EventRow] = []
        self.artifacts: dict[bytes, ArtifactRow] = {}
        self.tiles: list[Tile] = []
        self.redacted: list[bytes] = []
        self.read_leaves = records.read_leaves
        self.read_tile = records.read_tile
        self.find_events = records.find_events
        self.find_artifacts = records.find_artifacts

    def insert(
        self, *, events: Sequence[EventRow], artifacts: Sequence[ArtifactRow], tiles: Sequence[Tile]
    ) -> None:
        """Gather rows."""
        addresses = {row.address for row in events}
        if self.find_events(list(addresses)) or len(addresses) != len(events):
            raise Duplicate
        self.events += events
        self.artifacts.update({row.address: row for row in artifacts})
        self.tiles += tiles

    def set_head(self, head: Head) -> None:
        """Gather the head."""
        self.new_head = head

    def redact(self, address: bytes) -> None:
        """Gather a redaction."""
        self.redacted.append(address)


class MemoryBlobs:
    """Bytes in dicts (``ledger.ports.BlobStore``)."""

    def __init__(self) -> None:
        """Begin empty."""
        self._blobs: dict[tuple[bytes, str], bytes] = {}
        self._staged: dict[str, bytes] = {}
        self._names = itertools.count()

    def stage(self, address: bytes, codec: str, data: bytes) -> Staged:
        """Lay bytes down."""
        name = f"{address.hex()}-{next(self._names)}"
        self._staged[name] = data
        return Staged(address=address, codec=codec, name=name)

    def publish(self, staged: Sequence[Staged]) -> None:
        """Put staged bytes in their place."""
        for item in staged:
            self._blobs[item.address, item.codec] = self._staged[item.name]

    def settle(self, staged: Sequence[Staged]) -> None:
        """Forget staged bytes."""
        for item in staged:
            self._staged.pop(item.name, None)

    def read(self, address: bytes, codec: str) -> bytes | None:
        """Return bytes."""
        return self._blobs.get((address, codec))

    def delete(self, address: bytes, codec: str) -> None:
        """Delete bytes."""
        self._blobs.pop((address, codec), None)

    def sweep(self, records: RecordStore) -> None:
        """Nothing survives a crash here."""


class MemoryProjections:
    """Rows of projections in dicts (``ledger.ports.ProjectionStore``)."""

    def __init__(self) -> None:
        """Begin empty."""
        self._positions: dict[str, tuple[int, int]] = {}
        self._rows: dict[str, dict[str, bytes]] = {}

    def position(self, name: str) -> tuple[int, int] | None:
        """Return version and next position."""
        return self._positions.get(name)

    def load(self, name: str, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the rows that exist."""
        rows = self._rows.get(name, {})
        return {key: rows[key] for key in keys if key in rows}

    def save(self, changes: Sequence[Change]) -> bool:
        """Write rows and positions together."""
        for change in changes:
            if self._positions.get(change.name, (0, 0))[1] != change.expected:
                return False
        for change in changes:
            self._rows.setdefault(change.name, {}).update(change.rows)
            self._positions[change.name] = (change.version, change.position)
        return True

    def clear_all(self) -> None:
        """Delete all rows and positions."""
        self._rows.clear()
        self._positions.clear()

    def clear(self, name: str) -> None:
        """Delete rows and position."""
        self._rows.pop(name, None)
        self._positions.pop(name, None)

    def rows(self, name: str, prefix: str = "") -> Iterator[tuple[str, bytes]]:
        """Yield rows in order of key."""
        rows = self._rows.get(name, {})
        keys = sorted(rows)
        for key in keys[bisect.bisect_left(keys, prefix) :]:
            if not key.startswith(prefix):
                return
            yield key, rows[key]
