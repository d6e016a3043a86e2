"""The writer: one thread that groups what arrives into commits, and says what came of each batch.

1. what was put waits here until an event that names it is committed with it;
2. a batch is planned under the head lock: its events get positions, what they name is looked up,
   and a batch that names what is not there is left out, alone;
3. files are put in place, then rows, tiles and head are committed at once, then the callers hear.
"""

import queue
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import NamedTuple

from blake3 import blake3

from ledger import merkle
from ledger.artifact import ArtifactRef
from ledger.codec import CODEC
from ledger.digest import Digest, pack_digest, unpack_digest
from ledger.errors import Damage, LedgerError, UnknownAddress
from ledger.events import Event
from ledger.ports import (
    ArtifactRow,
    BlobStore,
    Duplicate,
    EventRow,
    Head,
    Recorded,
    RecordStore,
    Staged,
    Transaction,
)

GROUP_EVENTS_MAX = 1_000
"""Events that one commit takes from several callers; a single batch may be larger."""
KNOWN_MAX = 50_000
"""Addresses remembered as committed, so that naming a recent event costs no look-up."""


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


class Writer:
    """Commits batches to some stores, from one thread that starts with the first batch."""

    def __init__(self, records: RecordStore, blobs: BlobStore) -> None:
        """Take the stores; nobody else writes to them in this process."""
        self._records = records
        self._blobs = blobs
        self._pending: dict[bytes, _Pending] = {}
        self._pending_lock = threading.Lock()
        self._known_events = _KnownAddresses()
        self._known_artifacts = _KnownAddresses()
        self._queue: queue.SimpleQueue[_Submission | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._thread_lock = threading.Lock()

    def has(self, address: Digest) -> bool:
        """Return whether the bytes of an artifact are known to be recorded, or wait here."""
        with self._pending_lock:
            return pack_digest(address) in self._pending or address in self._known_artifacts

    def keep(self, row: ArtifactRow, staged: Staged | None) -> None:
        """Let an artifact wait for an event that names it."""
        with self._pending_lock:
            if row.address not in self._pending:
                self._pending[row.address] = _Pending(row, staged)
                return
        if staged is not None:  # another thread put the same bytes meanwhile
            self._blobs.settle([staged])

    def bind(self, listing: Digest, members: Iterable[Digest]) -> None:
        """Let ``members`` be committed with the listing that names them."""
        with self._pending_lock:
            pending = self._pending.get(pack_digest(listing))
            if pending is not None:
                pending.members = tuple(pack_digest(member) for member in members)

    def submit(
        self, drafts: Sequence[Draft], *, redacts: bytes | None = None
    ) -> Future[list[Recorded]]:
        """Queue ``drafts`` as one batch; the future is done after the commit.

        Args:
            drafts: in order.
            redacts: raw address of an artifact whose row loses its bytes in the same commit.
        """
        submission = _Submission(drafts, redacts=redacts)
        # Whoever waits may give up, but what is queued is written: it cannot be cancelled.
        submission.future.set_running_or_notify_cancel()
        with self._thread_lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._write, name="ledger", daemon=True)
                self._thread.start()
            self._queue.put(submission)
        return submission.future

    def close(self) -> None:
        """Wait for what is queued, then stop."""
        with self._thread_lock:
            if self._thread is not None:
                self._queue.put(None)
                self._thread.join()
                self._thread = None
        with self._pending_lock:
            pending = list(self._pending.values())
            self._pending.clear()
        # What a failed commit had put in place stays staged: the next sweep looks whether it is
        # recorded after all.
        self._blobs.settle([p.staged for p in pending if p.staged and not p.is_published])

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
        positions, rows = self.positions, self._rows
        known_events, known_artifacts = self._known_events, self._known_artifacts
        first = len(rows)
        start = self._transaction.head.size
        recorded: list[Recorded] = []
        artifacts: dict[bytes, _Pending] = {}
        for draft in drafts:
            address = draft.address
            position = positions.get(address)
            if position is None:
                for named in draft.events:
                    if named not in known_events and named not in positions:
                        fault = self._find_event(draft, named)
                        if fault is not None:
                            return self._withdraw(first, fault)
                for ref in draft.artifacts:
                    if ref.address not in known_artifacts:
                        fault = self._find_artifact(draft, ref, artifacts)
                        if fault is not None:
                            return self._withdraw(first, fault)
                position = start + len(rows)
                positions[address] = position
                rows.append(EventRow(position, draft.raw_address, draft.leaf, draft.data))
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
        merkle.push_leaves(frontier, head.size, leaves)
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
            elif not self._is_recorded(named):
                return UnknownAddress(
                    f"{draft.event.body.KIND} names artifact {unpack_digest(named)}, whose bytes "
                    "were never put"
                )
        return None

    def _is_recorded(self, address: bytes) -> bool:
        name = unpack_digest(address)
        if name not in self._known_artifacts and self._transaction.find_artifacts([address]):
            self._known_artifacts.add([name])
        return name in self._known_artifacts


class _KnownAddresses(dict[Digest, None]):
    """The newest addresses that are known to be committed, bounded.

    A dict, so that asking it, several times an event, is no call.
    """

    def add(self, addresses: Iterable[Digest]) -> None:
        """Remember ``addresses``; once in a while the older half is forgotten."""
        self.update(dict.fromkeys(addresses))
        if len(self) > 2 * KNOWN_MAX:
            for address in list(self)[:-KNOWN_MAX]:
                del self[address]


def make_draft(event: Event) -> Draft:
    """Return ``event`` encoded, hashed and addressed; ``MalformedEvent`` as ``Codec.encode``."""
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
