"""What the ledger needs from the world: places for rows and for bytes, a clock, a key.

Everything above this file takes these protocols; everything that touches disk or network stands
in ``ledger/stores`` and is named by ``cli/setting`` alone. One test suite a port, which each
implementation runs (``tests/ledger/stores``).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from ledger.checkpoint import Checkpoint, Verifier
from ledger.digest import Digest
from ledger.merkle import HashReader, Tile


class EventRow(NamedTuple):
    """An event as stored: position from 0, raw address, leaf hash, canonical bytes."""

    position: int
    address: bytes
    leaf: bytes
    data: bytes


class ArtifactRow(NamedTuple):
    """An artifact as stored.

    Attributes:
        address: raw BLAKE3 of the plain bytes.
        sha256: raw SHA-256 of the plain bytes.
        size: plain bytes.
        codec: ``plain`` or ``zstd``.
        stored: raw BLAKE3 of the bytes as stored: a compressed form has bits that change nothing,
            and a change of one of them has to show all the same.
        place: ``row`` (in ``data``), ``file`` (in the blob store) or ``redacted`` (gone).
        data: the encoded bytes of an artifact in a row, else ``None``.
    """

    address: bytes
    sha256: bytes
    size: int
    codec: str
    stored: bytes
    place: str
    data: bytes | None


class Head(NamedTuple):
    """The end of the log: number of events, root and frontier of the tree over them."""

    size: int
    root: bytes
    frontier: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """Bytes that lie, synced, beside the store, and are not part of it yet."""

    address: bytes
    codec: str
    name: str


class Transaction(HashReader, Protocol):
    """One atomic write, made while the head row is locked: nobody else appends meanwhile."""

    @property
    def head(self) -> Head:
        """The head as it is under the lock."""
        ...

    def find_events(self, addresses: Sequence[bytes]) -> Mapping[bytes, int]:
        """Return the positions of those of ``addresses`` that are events of the log."""
        ...

    def find_artifacts(self, addresses: Sequence[bytes]) -> set[bytes]:
        """Return those of ``addresses`` that a committed row knows, redacted ones too."""
        ...

    def insert(
        self, *, events: Sequence[EventRow], artifacts: Sequence[ArtifactRow], tiles: Sequence[Tile]
    ) -> None:
        """Add rows; an artifact that is there already is passed over.

        Raises:
            Duplicate: an event of the log has one of the addresses; the transaction is void.
        """
        ...

    def set_head(self, head: Head) -> None:
        """Replace the head row."""
        ...

    def redact(self, address: bytes) -> None:
        """Delete the bytes in the row of an artifact and mark it ``redacted``."""
        ...


class Duplicate(Exception):
    """An event that is to be inserted is in the log already."""


class RecordStore(HashReader, Protocol):
    """Rows: events, small artifacts, tiles, head, checkpoints. Reads see committed rows only."""

    def begin(self) -> AbstractContextManager[Transaction]:
        """Return a write transaction: committed durably on exit, void on an exception.

        Raises:
            StoreUnavailable: the store did not take it; whether it is recorded may be unknown,
                and the next transaction starts from what is.
        """
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Hold one state of the store for all reads of this thread inside the block."""
        ...

    def head(self) -> Head:
        """Return the committed head."""
        ...

    def read_events(self, start: int, stop: int) -> Iterator[EventRow]:
        """Yield the rows at positions start … stop - 1 in order; memory stays flat."""
        ...

    def find_event(self, address: bytes) -> EventRow | None:
        """Return the event with this address."""
        ...

    def find_artifact(self, address: bytes) -> ArtifactRow | None:
        """Return the artifact row with this address."""
        ...

    def find_artifact_rows(self, addresses: Sequence[bytes]) -> list[ArtifactRow]:
        """Return the rows of those of ``addresses`` that have one, in their order."""
        ...

    def find_events(self, addresses: Sequence[bytes]) -> Mapping[bytes, int]:
        """Return the positions of those of ``addresses`` that are events of the log."""
        ...

    def describe_artifacts(self, addresses: Sequence[bytes]) -> Mapping[bytes, tuple[bytes, int]]:
        """Return raw SHA-256 and size of those of ``addresses`` that have a row."""
        ...

    def find_prefix(self, first: bytes, last: bytes, limit: int) -> list[tuple[str, bytes]]:
        """Return ``event`` or ``artifact`` and address of what lies in first … last."""
        ...

    def read_artifacts(self) -> Iterator[ArtifactRow]:
        """Yield every artifact row in order of address."""
        ...

    def read_tiles(self) -> Iterator[Tile]:
        """Yield every tile row in order of level and index."""
        ...

    def read_checkpoints(self) -> Iterator[tuple[int, str]]:
        """Yield size and note of every checkpoint in order of size."""
        ...

    def add_checkpoint(self, size: int, note: str) -> None:
        """Keep a signed note; one that is there already stays."""
        ...

    def check_storage(self) -> Iterator[str]:
        """Yield what the store itself finds wrong with its files: pages, order, indexes."""
        ...

    def verifier(self) -> str:
        """Return the vkey of the log as it was written when the ledger was made."""
        ...


class BlobStore(Protocol):
    """Artifacts above the size that a row takes. Bytes count only once a row names them."""

    def stage(self, address: bytes, codec: str, data: bytes) -> Staged:
        """Lay ``data`` down beside the store and sync it.

        Raises:
            StoreUnavailable: it could not be written.
        """
        ...

    def publish(self, staged: Sequence[Staged]) -> None:
        """Put staged bytes in their place, synced, under the lock that the transaction holds.

        Raises:
            StoreUnavailable: a place could not be made or holds something unreadable.
        """
        ...

    def settle(self, staged: Sequence[Staged]) -> None:
        """Forget the staged names, after the commit or when they are not wanted."""
        ...

    def read(self, address: bytes, codec: str) -> bytes | None:
        """Return the encoded bytes, ``None`` where there are none."""
        ...

    def delete(self, address: bytes, codec: str) -> None:
        """Delete the bytes, if they are there."""
        ...

    def sweep(self, records: RecordStore) -> None:
        """Undo what a killed writer staged and did not commit; others' living work is left."""
        ...


class Change(NamedTuple):
    """What a batch of events did to one projection.

    Attributes:
        name: of the projection.
        version: of its fold.
        expected: position that the rows were folded from; 0 for a projection not kept yet.
        position: next position to read.
        rows: key to encoded state, of every key that changed.
    """

    name: str
    version: int
    expected: int
    position: int
    rows: Mapping[str, bytes]


class ProjectionStore(Protocol):
    """Rows of projections and how far each has read; both change in one transaction."""

    def position(self, name: str) -> tuple[int, int] | None:
        """Return version and next position of a projection, ``None`` if it was never kept."""
        ...

    def load(self, name: str, keys: Sequence[str]) -> Mapping[str, bytes]:
        """Return the rows that exist."""
        ...

    def save(self, changes: Sequence[Change]) -> bool:
        """Write rows and positions together, if every position is still the expected one.

        Returns:
            Whether it was: ``False`` means that somebody else kept a projection meanwhile, and
            nothing was written.
        """
        ...

    def clear_all(self) -> None:
        """Delete the rows and positions of every projection, also of ones not known here."""
        ...

    def clear(self, name: str) -> None:
        """Delete a projection's rows and position."""
        ...

    def rows(self, name: str, prefix: str = "") -> Iterator[tuple[str, bytes]]:
        """Yield rows whose key begins with ``prefix``, in order of key; memory stays flat."""
        ...


class Clock(Protocol):
    """The time, as an argument."""

    def now(self) -> datetime:
        """Return the time, aware, in UTC."""
        ...


class Signer(Protocol):
    """The key, and the memory of what it signed last, kept outside the database."""

    @property
    def verifier(self) -> Verifier:
        """The public half of the key under the log's origin."""
        ...

    def hold(self) -> AbstractContextManager[None]:
        """Keep every other signer of this log out while the block runs."""
        ...

    def last_signed(self) -> str | None:
        """Return the note that was signed last, as stored; ``None`` if nothing was signed."""
        ...

    def sign(self, checkpoint: Checkpoint) -> str:
        """Return the signed note, after it was remembered durably as the last one.

        Whoever calls has proved that ``checkpoint`` continues the last one.
        """
        ...


class Recorded(NamedTuple):
    """Where an event stands: its address, and its position in the log."""

    address: Digest
    position: int
