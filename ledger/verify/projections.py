"""Projections: folded again from the first event, and compared row by row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ledger.codec import CODEC
from ledger.digest import unpack_digest
from ledger.errors import LedgerError
from ledger.events import Entry
from ledger.ports import Change, ProjectionStore, RecordStore
from ledger.projections import Folding, Projection
from ledger.projections.engine import BATCH_EVENTS, PROJECTIONS
from ledger.verify.events import is_sound
from ledger.verify.findings import Finding, Outcome, damage, missing


@dataclass(slots=True)
class _Kept:
    """A projection as it is kept: how far it has read, and its fold from the beginning."""

    projection: Projection[Any]
    folding: Folding
    stop: int
    fault: str | None = None

    def fold(self, entries: Sequence[Entry], position: int) -> Change | None:
        """Return the change, ``None`` if the events are in no order that can be folded."""
        if self.fault is None:
            try:
                return self.folding.fold(entries, position)
            except Exception as error:  # noqa: BLE001 - a forged log may be anything
                self.fault = f"the log cannot be folded: {type(error).__name__}: {error}"
        return None


def check_projections(
    records: RecordStore, kept: ProjectionStore, scratch: ProjectionStore
) -> tuple[list[Finding], int]:
    """Return what is to be said of the kept projections, and how many rows were compared.

    Args:
        records: the log; one state of it and of ``kept``.
        kept: the rows that people read.
        scratch: an empty store.
    """
    findings: list[Finding] = []
    size = records.head().size
    opened = [_open(projection, kept, scratch, size) for projection in PROJECTIONS]
    projections = [item for item in opened if isinstance(item, _Kept)]
    findings += [item for item in opened if isinstance(item, Finding)]
    rows = 0
    unreadable = _fold(records, projections, scratch)
    for item in projections:
        if item.fault is not None:
            findings.append(damage(f"projection {item.projection.name}", item.fault))
            continue
        if unreadable is not None and unreadable < item.stop:
            what = f"it has read past event {unreadable:,}, which cannot be read"
            findings.append(damage(f"projection {item.projection.name}", what))
            continue
        for finding in _compare(item.projection.name, kept, scratch):
            rows += finding is None
            if finding is not None:
                findings.append(finding)
    return findings, rows


def _open(
    projection: Projection[Any], store: ProjectionStore, scratch: ProjectionStore, size: int
) -> _Kept | Finding | None:
    state = store.position(projection.name)
    where = f"projection {projection.name}"
    if state is None:
        if next(store.rows(projection.name), None) is None:
            return None
        return damage(where, "it has rows, and nothing says how far it has read")
    version, position = state
    if not 0 <= position <= size:
        return damage(where, f"it has read {position:,} events and the log has {size:,}")
    if version < 1:
        return damage(where, f"its row says version {version}, and versions begin with 1")
    if version > projection.version:
        what = f"kept by version {version} of its fold, which this program does not have"
        return Finding(outcome=Outcome.UNFINISHED, where=where, what=what)
    if version != projection.version:
        what = f"kept by version {version} of its fold; it is folded again when it is next read"
        return Finding(outcome=Outcome.UNKNOWN, where=where, what=what)
    return _Kept(projection, Folding(projection, scratch, 0), position)


def _fold(
    records: RecordStore, projections: Sequence[_Kept], scratch: ProjectionStore
) -> int | None:
    """Fold into ``scratch`` as far as was read; return the first position that cannot be read."""
    stop = max((item.stop for item in projections), default=0)
    for start in range(0, stop, BATCH_EVENTS):
        end = min(start + BATCH_EVENTS, stop)
        entries, unreadable = _read(records, start, end)
        if unreadable is not None:
            return unreadable
        changes = []
        for item in projections:
            if start < item.stop:
                some = [entry for entry in entries if entry.position < item.stop]
                change = item.fold(some, end)
                changes += [change] if change is not None else []
        scratch.save(changes)
    return None


def _read(records: RecordStore, start: int, stop: int) -> tuple[list[Entry], int | None]:
    entries: list[Entry] = []
    for row in records.read_events(start, stop):
        try:
            event = CODEC.decode(row.data) if is_sound(row) else None
        except LedgerError:
            event = None
        if event is None:
            return entries, row.position
        entries.append(Entry(row.position, unpack_digest(row.address), event))
    return entries, None


def _compare(
    name: str, kept: ProjectionStore, scratch: ProjectionStore
) -> Iterator[Finding | None]:
    """Yield a finding for each row that differs, ``None`` for each that does not."""
    where = f"projection {name}"
    stored, folded = kept.rows(name), scratch.rows(name)
    have, want = next(stored, None), next(folded, None)
    while have is not None or want is not None:
        if want is None or (have is not None and have[0] < want[0]):
            yield damage(where, f"row {have and have[0]}: the log does not give it")
            have = next(stored, None)
        elif have is None or want[0] < have[0]:
            yield missing(where, f"row {want[0]}: the log gives it and it is not there")
            want = next(folded, None)
        else:
            is_same = have[1] == want[1]
            yield None if is_same else damage(where, f"row {have[0]}: the log gives another one")
            have, want = next(stored, None), next(folded, None)
