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

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime
from types import TracebackType
from typing import Self

from blake3 import blake3

from ledger import merkle
from ledger.artifact import LISTING, ArtifactRef, describe_artifact
from ledger.canonical import format_canonical
from ledger.codec import CODEC
from ledger.contents import CODECS, compress_artifact, read_artifact
from ledger.digest import PREFIX, Digest, compute_digest, pack_digest, unpack_digest
from ledger.errors import AmbiguousAddress, Damage, RedactedArtifact, UnknownAddress
from ledger.events import ArtifactRedacted, Body, Entry, Event
from ledger.ports import ArtifactRow, BlobStore, Clock, Head, Recorded, RecordStore
from ledger.writer import Draft, Writer, make_draft

ROW_SIZE_MAX = 32 * 1024
"""Bytes of an artifact that still lives in the database."""
_PREFIX_FORM = re.compile(r"[0-9a-f]{4,64}\Z")


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
        self._writer = Writer(records, blobs)

    # Writing

    def put(self, data: bytes, *, media: str) -> ArtifactRef:
        """Return the name of ``data``, to be recorded with the event that names it.

        Raises:
            StoreUnavailable: large bytes could not be staged.
        """
        ref = describe_artifact(data, media=media)
        if self._writer.has(ref.address):
            return ref
        address = pack_digest(ref.address)
        codec, stored = compress_artifact(data)
        is_small = len(data) <= ROW_SIZE_MAX
        row = ArtifactRow(
            address=address,
            sha256=bytes.fromhex(ref.sha256),
            size=ref.size,
            codec=codec,
            stored=address if codec == "plain" else blake3(stored).digest(),
            place="row" if is_small else "file",
            data=stored if is_small else None,
        )
        self._writer.keep(row, None if is_small else self._blobs.stage(address, codec, stored))
        return ref

    def put_listing(self, refs: Sequence[ArtifactRef]) -> ArtifactRef:
        """Return the name of a listing of ``refs``; naming it names each of them.

        Args:
            refs: artifacts that were put or recorded; written in order of address, once each.
        """
        unique = sorted({ref.address: ref for ref in refs}.values(), key=lambda ref: ref.address)
        rows = [[ref.address, ref.media, ref.sha256, ref.size] for ref in unique]
        listing = self.put(format_canonical(rows), media=LISTING)
        self._writer.bind(listing.address, [ref.address for ref in unique])
        return listing

    def draft(self, body: Body) -> Draft:
        """Return ``body`` as an event of now, encoded and addressed; nothing is recorded.

        Raises:
            MalformedEvent: a value has no canonical form, or the event is too large.
        """
        return make_draft(Event(self._actor, self._clock.now(), body))

    def draft_all(self, bodies: Iterable[Body]) -> list[Draft]:
        """Return ``bodies`` as events of one and the same moment, else as ``draft``."""
        now = self._clock.now()
        return [make_draft(Event(self._actor, now, body)) for body in bodies]

    def submit(self, drafts: Sequence[Draft]) -> Future[list[Recorded]]:
        """Queue ``drafts`` as one batch; the future is done after the commit, or fails as a whole.

        Its exception is what ``append`` raises.
        """
        return self._writer.submit(drafts)

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
        (recorded,) = self._writer.submit([draft], redacts=row.address).result()
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
        return self._open(self.describe(address))

    def fetch(self, addresses: Iterable[Digest]) -> "Shelf":
        """Return what reads any artifact as ``get`` does, these without looking each one up."""
        rows = self._records.find_artifact_rows([pack_digest(address) for address in addresses])
        return Shelf(self, {unpack_digest(row.address): row for row in rows})

    def read_bytes(self, address: Digest) -> tuple[int, bytes]:
        """Return position and canonical bytes of the event with this address; as ``find``."""
        row = self._records.find_event(pack_digest(address))
        if row is None:
            raise UnknownAddress(f"no event {address} in this ledger")
        if compute_digest(row.data) != address:
            raise Damage(f"event {row.position:,}: its bytes do not hash to {address}")
        if not 0 <= row.position < self.head().size:
            raise Damage(f"event {row.position:,}: the log does not reach there")
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
        """Return how many events the log had at ``time``: those before the first later one.

        Clocks of several writers may disagree; an event that claims an earlier time than one
        before it does not bring the later one in.
        """
        for entry in self.read():
            if entry.event.at > time:
                return entry.position
        return self.head().size

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
            Damage: stored bytes do not hash to the event's address.
        """
        end = self.head().size if stop is None else stop
        decode = CODEC.decode
        for position, address, _, data in self._records.read_events(start, end):
            if blake3(data).digest() != address:
                raise Damage(f"event {position:,}: its bytes do not hash to its address")
            yield Entry(position, unpack_digest(address), decode(data))

    def prove_inclusion(self, position: int, size: int) -> list[bytes]:
        """Return the proof that the event at ``position`` is in the tree of ``size`` leaves."""
        return merkle.prove_inclusion(self._records, position, size)

    def prove_consistency(self, old_size: int, new_size: int) -> list[bytes]:
        """Return the proof that the tree of ``new_size`` leaves begins with the older one."""
        return merkle.prove_consistency(self._records, old_size, new_size)

    def close(self) -> None:
        """Wait for what is queued, then stop writing."""
        self._writer.close()

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
        return _check_row(self.describe(address))

    def _open(self, row: ArtifactRow) -> bytes:
        return read_artifact(_check_row(row), self._blobs)


class Shelf:
    """Artifacts whose rows were looked up together: a statement each costs more than their bytes.

    A redaction in the meantime is not seen; what it shows is what stood there when it was fetched.
    """

    def __init__(self, ledger: Ledger, rows: Mapping[Digest, ArtifactRow]) -> None:
        """Take what reads, and the rows that are at hand."""
        self._ledger = ledger
        self._rows = rows

    def get(self, address: Digest) -> bytes:
        """Return the bytes of a recorded artifact; as ``Ledger.get``."""
        row = self._rows.get(address)
        if row is None:
            return self._ledger.get(address)
        return self._ledger._open(row)  # noqa: SLF001 - the same noun


def _check_row(row: ArtifactRow) -> ArtifactRow:
    """Return ``row``, whose bytes should be there."""
    if row.place == "redacted":
        address = unpack_digest(row.address)
        raise RedactedArtifact(f"artifact {address} was redacted: its bytes are gone")
    if row.codec not in CODECS:
        raise Damage(f"artifact {unpack_digest(row.address)}: its row says {row.codec!r}")
    return row
