"""Events by themselves, a range at a time: bytes, address, leaf hash, and what they name."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from blake3 import blake3

from ledger import merkle
from ledger.artifact import LISTING
from ledger.codec import CODEC
from ledger.digest import Digest, pack_digest, parse_digest, unpack_digest
from ledger.errors import LedgerError, MalformedDigest, UnknownKind
from ledger.events import ArtifactRedacted, Event
from ledger.ports import EventRow, RecordStore
from ledger.verify.findings import Finding, Outcome, damage, missing

_HOLE = bytes(merkle.HASH_SIZE)


@dataclass(slots=True)
class Checked:
    """What was found in one range of the log.

    Attributes:
        leaves: the leaf hash of each position; zeros where there is no event.
        redactions: raw address of an artifact and position of the event that redacted it.
        listings: raw addresses of the artifacts that an event names as listings.
    """

    findings: list[Finding] = field(default_factory=list)
    leaves: list[bytes] = field(default_factory=list)
    events: int = 0
    redactions: dict[bytes, int] = field(default_factory=dict)
    listings: set[bytes] = field(default_factory=set)


def check_events(records: RecordStore, start: int, stop: int) -> Checked:
    """Return what is to be said of the events at positions start … stop - 1."""
    checked = Checked()
    names = _Names(records, checked)
    position = start
    for row in records.read_events(start, stop):
        if row.position != position:
            _note_hole(checked, position, row.position)
            position = row.position
        event = _check_event(row, checked)
        if event is not None:
            names.note(row, event)
            if isinstance(event.body, ArtifactRedacted):
                checked.redactions[_pack(event.body.artifact.address)] = row.position
        position += 1
    if position < stop:
        _note_hole(checked, position, stop)
    names.check()
    return checked


def is_sound(row: EventRow) -> bool:
    """Return whether the columns hold bytes: a damaged database may give anything."""
    return type(row.address) is type(row.leaf) is type(row.data) is bytes


def _note_hole(checked: Checked, start: int, stop: int) -> None:
    where = f"event {start:,}" if stop == start + 1 else f"events {start:,} to {stop - 1:,}"
    checked.findings.append(missing(where, "not there: the log has a hole"))
    checked.leaves += [_HOLE] * (stop - start)


def _check_event(row: EventRow, checked: Checked) -> Event | None:
    """Check one event by itself; return it if it can be read."""
    checked.events += 1
    if not is_sound(row):
        checked.leaves.append(_HOLE)
        checked.findings.append(damage(f"event {row.position:,}", "its row holds no bytes"))
        return None
    leaf = merkle.hash_leaf(row.data)
    if blake3(row.data).digest() != row.address:
        # Its leaf hash, if that is whole, stands in for it in the tree.
        checked.leaves.append(row.leaf)
        what = f"its bytes do not hash to its address {unpack_digest(row.address)}"
        checked.findings.append(damage(f"event {row.position:,}", what))
        return None
    checked.leaves.append(leaf)
    if leaf != row.leaf:
        what = "its stored leaf hash is not that of its bytes"
        checked.findings.append(damage(f"event {row.position:,}", what))
    try:
        return CODEC.decode_exactly(row.data)
    except LedgerError as error:
        outcome = Outcome.UNKNOWN if isinstance(error, UnknownKind) else Outcome.DAMAGE
        where = f"event {row.position:,}"
        checked.findings.append(Finding(outcome=outcome, where=where, what=str(error)))
        return None


class _Names:
    """Whether what the events of a range name is there: earlier events, and artifacts."""

    def __init__(self, records: RecordStore, checked: Checked) -> None:
        self._records = records
        self._checked = checked
        self._seen: set[Digest] = set()
        self._events: dict[Digest, int] = {}
        self._artifacts: dict[tuple[Digest, str, int], int] = {}

    def note(self, row: EventRow, event: Event) -> None:
        """Note what ``event`` names for the first time in this range."""
        for named in CODEC.events_of(event.body):
            if named not in self._seen:
                self._events.setdefault(named, row.position)
        for ref in CODEC.artifacts_of(event.body):
            if ref.media == LISTING:
                self._checked.listings.add(_pack(ref.address))
            self._artifacts.setdefault((ref.address, ref.sha256, ref.size), row.position)
        self._seen.add(unpack_digest(row.address))

    def check(self) -> None:
        """Look up what was noted, all at once."""
        findings = self._checked.findings
        found = self._records.find_events(_pack_all(self._events))
        for named, position in self._events.items():
            if found.get(_pack(named), position) >= position:
                what = f"it names {named}, which is no earlier event"
                findings.append(missing(f"event {position:,}", what))
        named_artifacts = self._artifacts
        rows = self._records.describe_artifacts(_pack_all([name[0] for name in named_artifacts]))
        for (address, sha256, size), position in named_artifacts.items():
            row = rows.get(_pack(address))
            if row is None:
                what = f"event {position:,} names it and there is no such artifact"
                findings.append(missing(f"artifact {address}", what))
            elif not is_stated(row, sha256, size):
                what = f"its row has another SHA-256 or size than event {position:,} states"
                findings.append(damage(f"artifact {address}", what))


def is_stated(row: tuple[object, int], sha256: str, size: int) -> bool:
    """Return whether SHA-256 and size of a row are those that an event or a listing states."""
    return isinstance(row[0], bytes) and (row[0].hex(), row[1]) == (sha256, size)


def _pack(text: str) -> bytes:
    """Return the raw address, or no address at all where ``text`` is none."""
    try:
        return pack_digest(parse_digest(text))
    except MalformedDigest:
        return b""


def _pack_all(texts: Sequence[str] | dict[Digest, int]) -> list[bytes]:
    return sorted({_pack(text) for text in texts})
