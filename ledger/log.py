"""The log: the only way in which anything is recorded or read.

The rules, in order:

1. ``put`` takes bytes and returns their name; they count only once an event that names them is
   committed, in the same transaction (small ones as rows, large ones as files linked before it);
2. ``draft`` encodes and hashes an event before any lock is taken, so that a batch can name its
   own events;
3. ``append`` returns after the commit: what it acknowledged survives a power cut. One thread
   writes; what arrives meanwhile is grouped into the next commit;
4. a batch is all or nothing; an event that is in the log already keeps its one position;
5. an event may name only earlier events (or ones before it in its batch) and bytes that are there.

One run to paste, on the store that keeps everything in memory:

    >>> from ledger.events import SuiteRegistered
    >>> from ledger.stores.clock import SystemClock
    >>> from ledger.stores.memory import MemoryBlobs, MemoryRecords
    >>> stores = {"records": MemoryRecords(), "blobs": MemoryBlobs()}
    >>> with Ledger(**stores, clock=SystemClock(), actor="ana") as ledger:
    ...     manifest = ledger.put(b"{}", media="application/json")
    ...     files = ledger.put_listing([manifest])
    ...     suite = ledger.draft(
    ...         SuiteRegistered(suite_name="s", manifest=manifest, artifacts=files)
    ...     )
    ...     ledger.append([suite])[0].position, ledger.head().size, ledger.get(manifest.address)
    (0, 1, b'{}')
"""

import queue
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any, NamedTuple, Self

import zstandard
from blake3 import blake3

from ledger import merkle
from ledger.artifact import LISTING, ArtifactRef, describe_artifact
from ledger.canonical import format_canonical, parse_canonical
from ledger.codec import CODEC
from ledger.digest import PREFIX, Digest, compute_digest, pack_digest, unpack_digest
from ledger.errors import (
    AmbiguousAddress,
    Damage,
    LedgerError,
    RedactedArtifact,
    UnknownAddress,
)
from ledger.events import ArtifactRedacted, Body, Entry, Event
from ledger.ports import (
    ArtifactRow,
    BlobStore,
    Clock,
    Duplicate,
    EventRow,
    Head,
    Recorded,
    RecordStore,
    Staged,
    Transaction,
)

ROW_SIZE_MAX = 32 * 1024
"""Bytes of an artifact that still lives in the database."""
GROUP_EVENTS_MAX = 1_000
"""Events that one commit takes from several callers; a single batch may be larger."""
KNOWN_MAX = 50_000
"""Addresses remembered as committed, so that naming a recent event costs no look-up."""
_PREFIX_FORM = re.compile(r"[0-9a-f]{4,64}\Z")
_COMPRESS_MIN = 128
"""Bytes below which zstd's frame eats what it saves."""


class Draft(NamedTuple):
    """An event ready to be appended: encoded, hashed, addressed; not recorded yet.

    Attributes:
        address: of the event; ``raw_address`` are its 32 bytes.
        leaf: RFC 6962 leaf hash of ``data``.
        events: the events that it names; ``artifacts`` the bytes.
    """

    event: Event
    data: bytes
    address: Digest
    raw_address: bytes
    leaf: bytes
    events: list[Digest]
    artifacts: list[ArtifactRef]


@dataclass(slots=True)
class _Pending:
    """An artifact that was put and that no committed row names yet."""

    row: ArtifactRow
    staged: Staged | None
    members: tuple[bytes, ...] = ()
    is_published: bool = False
    """Whether its file may be in place; only a commit or the next sweep may then forget it."""


@dataclass(slots=True)
class _Submission:
    drafts: Sequence[Draft]
    future: Future[list[Recorded]] = field(default_factory=Future)
    redacts: bytes | None = None


class Ledger:
    """An append-only, hash-addressed record over some stores."""

    def __init__(self, *, records: RecordStore, blobs: BlobStore, clock: Clock, actor: str) -> None:
        """Open the record; what a killed writer left half-way is undone first.

        Args:
            records: rows.
            blobs: large artifacts.
            clock: says when an event is recorded.
            actor: who records; written into each event.
        """
        blobs.sweep(records)
        self._records = records
        self._blobs = blobs
        self._clock = clock
        self._actor = actor
        self._pending: dict[bytes, _Pending] = {}
        self._pending_lock = threading.Lock()
        self._known_events = _KnownAddresses()
        self._known_artifacts = _KnownAddresses()
        self._queue: queue.SimpleQueue[_Submission | None] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None
        self._writer_lock = threading.Lock()

    # Writing

    def put(self, data: bytes, *, media: str) -> ArtifactRef:
        """Return the name of ``data``, to be recorded with the event that names it.

        Raises:
            StoreUnavailable: large bytes could not be staged.
        """
        ref = describe_artifact(data, media=media)
        address = pack_digest(ref.address)
        with self._pending_lock:
            if address in self._pending or ref.address in self._known_artifacts:
                return ref
        codec, stored = _compress(data)
        is_small = len(data) <= ROW_SIZE_MAX
        row = ArtifactRow(
            address=address,
            sha256=bytes.fromhex(ref.sha256),
            size=ref.size,
            codec=codec,
            place="row" if is_small else "file",
            data=stored if is_small else None,
        )
        staged = None if is_small else self._blobs.stage(address, codec, stored)
        with self._pending_lock:
            if address not in self._pending:
                self._pending[address] = _Pending(row, staged)
                staged = None
        if staged is not None:  # another thread put the same bytes meanwhile
            self._blobs.settle([staged])
        return ref

    def put_listing(self, refs: Sequence[ArtifactRef]) -> ArtifactRef:
        """Return the name of a listing of ``refs``; naming it names each of them.

        Args:
            refs: artifacts that were put or recorded; written in order of address, once each.
        """
        unique = sorted({ref.address: ref for ref in refs}.values(), key=lambda ref: ref.address)
        rows = [[ref.address, ref.media, ref.sha256, ref.size] for ref in unique]
        listing = self.put(format_canonical(rows), media=LISTING)
        with self._pending_lock:
            pending = self._pending.get(pack_digest(listing.address))
            if pending is not None:
                pending.members = tuple(pack_digest(ref.address) for ref in unique)
        return listing

    def draft(self, body: Body) -> Draft:
        """Return ``body`` as an event of now, encoded and addressed; nothing is recorded.

        Raises:
            MalformedEvent: a value has no canonical form, or the event is too large.
        """
        return _draft(Event(self._actor, self._clock.now(), body))

    def draft_all(self, bodies: Iterable[Body]) -> list[Draft]:
        """Return ``bodies`` as events of one and the same moment, else as ``draft``."""
        now = self._clock.now()
        return [_draft(Event(self._actor, now, body)) for body in bodies]

    def submit(self, drafts: Sequence[Draft]) -> Future[list[Recorded]]:
        """Queue ``drafts`` as one batch; the future is done after the commit, or fails as a whole.

        Its exception is what ``append`` raises.
        """
        return self._enqueue(_Submission(drafts)).future

    def append(self, drafts: Sequence[Draft]) -> list[Recorded]:
        """Record ``drafts`` in order and return where each stands, after the commit.

        Raises:
            UnknownAddress: one of them names an event that is not earlier, or bytes that were
                neither put nor recorded. Nothing of the batch is recorded.
            StoreUnavailable: the store did not take it; the batch may be appended again.
        """
        return self.submit(drafts).result()

    def redact(self, address: Digest, *, reason: str, authority: str = "") -> Recorded:
        """Delete the bytes of an artifact and record by whom, when and why.

        Every event that names it stands and every proof verifies; reading it says what happened.

        Raises:
            UnknownAddress: no recorded artifact has this address.
            RedactedArtifact: it is gone already.
        """
        row = self._records.find_artifact(pack_digest(address))
        if row is not None and row.place == "redacted":
            # The bytes outlived their event if the program was killed in between.
            self._blobs.delete(row.address, row.codec)
        row = self._artifact_row(address)
        ref = ArtifactRef(address=address, media="", sha256=row.sha256.hex(), size=row.size)
        draft = self.draft(ArtifactRedacted(artifact=ref, reason=reason, authority=authority))
        submission = self._enqueue(_Submission([draft], redacts=row.address))
        (recorded,) = submission.future.result()
        if row.place == "file":
            # After the commit: bytes may outlive the event for a moment, never the other way.
            self._blobs.delete(row.address, row.codec)
        return recorded

    # Reading

    def head(self) -> Head:
        """Return the committed head of the log."""
        return self._records.head()

    def get(self, address: Digest) -> bytes:
        """Return the bytes of a recorded artifact, hashed again and compared.

        Raises:
            UnknownAddress: no recorded artifact has this address.
            RedactedArtifact: the bytes are gone on purpose.
            Damage: they are missing, or do not hash to the address.
        """
        return read_artifact(self._artifact_row(address), self._blobs)

    def read_bytes(self, address: Digest) -> tuple[int, bytes]:
        """Return position and canonical bytes of the event with this address; as ``find``."""
        row = self._records.find_event(pack_digest(address))
        if row is None:
            raise UnknownAddress(f"no event {address} in this ledger")
        if compute_digest(row.data) != address:
            raise Damage(f"event {row.position:,}: its bytes do not hash to {address}")
        return row.position, row.data

    def find(self, address: Digest) -> Entry:
        """Return the event with this address.

        Raises:
            UnknownAddress: no event of the log has it.
            Damage: its bytes do not hash to it.
        """
        position, data = self.read_bytes(address)
        return Entry(position, address, CODEC.decode(data))

    def resolve(self, text: str) -> tuple[str, Digest]:
        """Return ``event`` or ``artifact``, and the whole address of what ``text`` begins.

        Args:
            text: an address, or at least 4 of its hex digits; ``blake3:`` may be left out.

        Raises:
            UnknownAddress: nothing of this ledger begins so.
            AmbiguousAddress: more than one thing does.
        """
        digits = text.removeprefix(PREFIX)
        if not _PREFIX_FORM.match(digits):
            raise UnknownAddress(f"{text!r:.80} is not an address, nor 4 or more hex digits of one")
        first, last = bytes.fromhex(digits.ljust(64, "0")), bytes.fromhex(digits.ljust(64, "f"))
        found = self._records.find_prefix(first, last, limit=4)
        if not found:
            raise UnknownAddress(f"nothing in this ledger has an address that begins with {digits}")
        if len(found) > 1:
            some = ", ".join(f"{what} {raw.hex()[:16]}" for what, raw in found[:4])
            raise AmbiguousAddress(f"{digits} begins {some}: give more digits")
        what, raw = found[0]
        return what, unpack_digest(raw)

    def size_at(self, time: datetime) -> int:
        """Return how many events the log had at ``time``: up to the last one not after it."""
        stop = self.head().size
        while stop > 0:
            start = max(0, stop - GROUP_EVENTS_MAX)
            for entry in reversed(list(self.read(start, stop))):
                if entry.event.at <= time:
                    return entry.position + 1
            stop = start
        return 0

    def describe(self, address: Digest) -> ArtifactRow:
        """Return the row of an artifact: its SHA-256, its size, and whether it is redacted."""
        row = self._records.find_artifact(pack_digest(address))
        if row is None:
            raise UnknownAddress(f"no artifact {address} in this ledger")
        return row

    def read(self, start: int = 0, stop: int | None = None) -> Iterator[Entry]:
        """Yield the events at positions start … stop - 1 (the end of the log) in order.

        Raises:
            UnknownKind: an event of a kind or version that this program does not know.
            MalformedEvent: stored bytes are no event.
        """
        end = self.head().size if stop is None else stop
        decode = CODEC.decode
        for position, address, _, data in self._records.read_events(start, end):
            yield Entry(position, unpack_digest(address), decode(data))

    def prove_inclusion(self, position: int, size: int) -> list[bytes]:
        """Return the proof that the event at ``position`` is in the tree of ``size`` leaves."""
        return merkle.prove_inclusion(self._records, position, size)

    def prove_consistency(self, old_size: int, new_size: int) -> list[bytes]:
        """Return the proof that the tree of ``new_size`` leaves begins with the older one."""
        return merkle.prove_consistency(self._records, old_size, new_size)

    def close(self) -> None:
        """Wait for what is queued, then stop writing."""
        with self._writer_lock:
            if self._writer is not None:
                self._queue.put(None)
                self._writer.join()
                self._writer = None
        with self._pending_lock:
            pending = list(self._pending.values())
            self._pending.clear()
        # What a failed commit had put in place stays staged: the next sweep looks whether it is
        # recorded after all.
        self._blobs.settle([p.staged for p in pending if p.staged and not p.is_published])

    def __enter__(self) -> Self:
        """Return the ledger itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()

    def _artifact_row(self, address: Digest) -> ArtifactRow:
        row = self.describe(address)
        if row.place == "redacted":
            raise RedactedArtifact(f"artifact {address} was redacted: its bytes are gone")
        if row.codec not in ("plain", "zstd"):
            raise Damage(f"artifact {address}: its row says {row.codec!r}")
        return row

    # The writer

    def _enqueue(self, submission: _Submission) -> _Submission:
        # Whoever waits may give up, but what is queued is written: it cannot be cancelled.
        submission.future.set_running_or_notify_cancel()
        with self._writer_lock:
            if self._writer is None:
                self._writer = threading.Thread(target=self._write, name="ledger", daemon=True)
                self._writer.start()
            self._queue.put(submission)
        return submission

    def _write(self) -> None:
        """Take what is queued, commit it as one group, say so; until ``None`` comes."""
        is_open = True
        while is_open:
            group: list[_Submission] = []
            events = 0
            item = self._queue.get()
            while item is not None:
                group.append(item)
                events += len(item.drafts)
                if events >= GROUP_EVENTS_MAX:
                    break
                try:
                    item = self._queue.get_nowait()
                except queue.Empty:
                    break
            is_open = item is not None
            if group:
                self._commit(group)

    def _commit(self, group: list[_Submission]) -> None:
        try:
            outcome = self._try_commit(group)
        except Exception as error:  # noqa: BLE001 - whatever it is, the callers have to hear of it
            for submission in group:
                submission.future.set_exception(error)
            return
        for submission, result in zip(group, outcome, strict=True):
            if isinstance(result, LedgerError):
                submission.future.set_exception(result)
            else:
                submission.future.set_result(result)

    def _try_commit(self, group: list[_Submission]) -> list[list[Recorded] | LedgerError]:
        try:
            return self._transact(group, look_up=False)
        except Duplicate:
            # Rare: an event is appended a second time. Then every address is looked up first.
            try:
                return self._transact(group, look_up=True)
            except Duplicate as error:
                raise Damage(
                    "the log has more events than its head says: see 'verdict verify'"
                ) from error

    def _transact(
        self, group: list[_Submission], *, look_up: bool
    ) -> list[list[Recorded] | LedgerError]:
        with self._records.begin() as transaction:
            plan = _Plan(transaction, self._pending, self._known_events, self._known_artifacts)
            if look_up:
                plan.look_up(draft for submission in group for draft in submission.drafts)
            outcome = [plan.take(submission.drafts) for submission in group]
            self._blobs.publish(plan.staged())
            plan.write()
            for submission, result in zip(group, outcome, strict=True):
                if submission.redacts is not None and isinstance(result, list):
                    transaction.redact(submission.redacts)
        self._forget({**plan.artifacts, **plan.superseded})
        self._known_events.add(plan.positions)
        self._known_artifacts.add(unpack_digest(address) for address in plan.artifacts)
        return outcome

    def _forget(self, committed: dict[bytes, _Pending]) -> None:
        with self._pending_lock:
            for address in committed:
                self._pending.pop(address, None)
        self._blobs.settle([item.staged for item in committed.values() if item.staged])


class _Plan:
    """What one transaction will write, gathered under the lock."""

    def __init__(
        self,
        transaction: Transaction,
        pending: dict[bytes, _Pending],
        known_events: "_KnownAddresses",
        known_artifacts: "_KnownAddresses",
    ) -> None:
        self._transaction = transaction
        self._pending = pending
        self._known_events = known_events
        self._known_artifacts = known_artifacts
        self._rows: list[EventRow] = []
        self.positions: dict[Digest, int] = {}
        self.artifacts: dict[bytes, _Pending] = {}
        self.superseded: dict[bytes, _Pending] = {}

    def look_up(self, drafts: Iterable[Draft]) -> None:
        """Learn which of ``drafts`` are in the log already."""
        found = self._transaction.find_events([draft.raw_address for draft in drafts])
        self.positions.update({unpack_digest(raw): found[raw] for raw in found})

    def take(self, drafts: Sequence[Draft]) -> list[Recorded] | LedgerError:
        """Add one batch, or return why it cannot be added."""
        positions, known = self.positions, self._known_events
        first = len(self._rows)
        start = self._transaction.head.size
        recorded: list[Recorded] = []
        artifacts: dict[bytes, _Pending] = {}
        for draft in drafts:
            address = draft.address
            position = positions.get(address)
            if position is None:
                for named in draft.events:
                    if named not in known and named not in positions:
                        fault = self._find_event(draft, named)
                        if fault is not None:
                            return self._withdraw(first, fault)
                for ref in draft.artifacts:
                    if ref.address not in self._known_artifacts:
                        fault = self._find_artifact(draft, ref, artifacts)
                        if fault is not None:
                            return self._withdraw(first, fault)
                position = start + len(self._rows)
                positions[address] = position
                self._rows.append(EventRow(position, draft.raw_address, draft.leaf, draft.data))
            recorded.append(Recorded(address, position))
        self.artifacts.update(artifacts)
        return recorded

    def staged(self) -> list[Staged]:
        """Return the files that have to be in place before the commit; from now on they may be."""
        staged: list[Staged] = []
        for item in self.artifacts.values():
            if item.staged is not None:
                item.is_published = True
                staged.append(item.staged)
        return staged

    def write(self) -> None:
        """Insert the rows and the tiles that became full, and move the head."""
        if not self._rows:
            return
        head = self._transaction.head
        frontier = merkle.split_hashes(head.frontier)
        leaves = [row.leaf for row in self._rows]
        tiles = merkle.complete_tiles(self._transaction, head.size, leaves)
        for size, leaf in enumerate(leaves, start=head.size):
            merkle.push_leaf(frontier, size, leaf)
        self._transaction.insert(
            events=self._rows,
            artifacts=[item.row for item in self.artifacts.values()],
            tiles=tiles,
        )
        self._transaction.set_head(
            Head(head.size + len(leaves), merkle.compute_root(frontier), b"".join(frontier))
        )

    def _withdraw(self, first: int, fault: UnknownAddress) -> UnknownAddress:
        """Take the rows of a faulty batch back."""
        for row in self._rows[first:]:
            del self.positions[unpack_digest(row.address)]
        del self._rows[first:]
        return fault

    def _find_event(self, draft: Draft, named: Digest) -> UnknownAddress | None:
        if self._transaction.find_events([pack_digest(named)]):
            self._known_events.add([named])
            return None
        return UnknownAddress(
            f"{draft.event.body.KIND} names event {named}, which is not earlier in the log"
        )

    def _find_artifact(
        self, draft: Draft, ref: ArtifactRef, artifacts: dict[bytes, _Pending]
    ) -> UnknownAddress | None:
        """Gather the pending bytes that ``ref`` names, and all that a listing among them names."""
        stack = [pack_digest(ref.address)]
        while stack:
            named = stack.pop()
            if named in artifacts or named in self.artifacts:
                continue
            pending = self._pending.get(named)
            if pending is not None:
                stack += pending.members
            if pending is not None and not (pending.staged and self._is_recorded(named)):
                artifacts[named] = pending
            elif pending is not None:
                # Somebody else's commit was faster: its file stays, ours is not needed.
                self.superseded[named] = pending
            elif self._is_recorded(named):
                self._known_artifacts.add([unpack_digest(named)])
            else:
                return UnknownAddress(
                    f"{draft.event.body.KIND} names artifact {unpack_digest(named)}, whose bytes "
                    "were never put"
                )
        return None

    def _is_recorded(self, address: bytes) -> bool:
        return bool(self._transaction.find_artifacts([address]))


class _KnownAddresses:
    """The newest addresses that are known to be committed, bounded."""

    def __init__(self) -> None:
        self._addresses: dict[Digest, None] = {}

    def __contains__(self, address: Digest) -> bool:
        return address in self._addresses

    def add(self, addresses: Iterable[Digest]) -> None:
        """Remember ``addresses``; once in a while the older half is forgotten."""
        self._addresses.update(dict.fromkeys(addresses))
        if len(self._addresses) > 2 * KNOWN_MAX:
            self._addresses = dict.fromkeys(list(self._addresses)[KNOWN_MAX:])


def _draft(event: Event) -> Draft:
    data = CODEC.encode(event)
    raw = blake3(data).digest()
    body = event.body
    return Draft(
        event,
        data,
        unpack_digest(raw),
        raw,
        merkle.hash_leaf(data),
        CODEC.events_of(body),
        CODEC.artifacts_of(body),
    )


def read_artifact(row: ArtifactRow, blobs: BlobStore) -> bytes:
    """Return the plain bytes of an artifact that is present, hashed again and compared.

    Raises:
        Damage: the bytes are missing, cannot be read, or hash to something else.
    """
    address = unpack_digest(row.address)
    stored = row.data if row.place == "row" else blobs.read(row.address, row.codec)
    if stored is None:
        raise Damage(f"artifact {address}: its bytes are missing")
    data = _decompress(stored, row) if row.codec == "zstd" else stored
    actual = describe_artifact(data, media="")
    if actual.address != address:
        raise Damage(f"artifact {address}: its bytes hash to {actual.address}")
    if (actual.sha256, actual.size) != (row.sha256.hex(), row.size):
        raise Damage(f"artifact {address}: its row has another SHA-256 or size than its bytes")
    return data


def read_listing(data: bytes) -> list[ArtifactRef]:
    """Return the artifacts that a listing names.

    Raises:
        NotCanonical: ``data`` is not canonical.
        Damage: it is no listing.
    """
    rows: Any = parse_canonical(data)
    try:
        return [
            ArtifactRef(address=address, media=media, sha256=sha256, size=size)
            for address, media, sha256, size in rows
        ]
    except (TypeError, ValueError) as error:
        raise Damage("not a listing: rows of address, media, sha256 and size") from error


def _compress(data: bytes) -> tuple[str, bytes]:
    """Return codec and stored bytes: zstd where it shrinks them."""
    if len(data) >= _COMPRESS_MIN:
        compressed = zstandard.ZstdCompressor(level=3).compress(data)
        if len(compressed) < len(data):
            return "zstd", compressed
    return "plain", data


def _decompress(stored: bytes, row: ArtifactRow) -> bytes:
    damage = Damage(f"artifact {unpack_digest(row.address)}: its stored bytes cannot be unpacked")
    try:
        announced = zstandard.get_frame_parameters(stored).content_size
    except zstandard.ZstdError as error:
        raise damage from error
    if announced != row.size:  # it may be more than there is memory for
        raise damage
    try:
        return zstandard.ZstdDecompressor().decompress(stored, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise damage from error


__all__ = ["Draft", "Ledger", "read_artifact", "read_listing"]
