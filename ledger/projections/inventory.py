"""Inventory: per run, how many trials were planned, and what became of them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ledger.digest import Digest
from ledger.events import (
    Body,
    Entry,
    RunCompleted,
    RunStarted,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
)
from ledger.projections.projection import RowReader, encode_state
from ledger.tools import ToolKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """One run: ``planned`` = ``completed`` + ``failed`` + ``missing``.

    A missing trial never started or was cut off, and may still be resumed.
    """

    run: Digest
    suite: Digest
    configuration_name: str
    provider: str
    model: str
    effort: str | None
    tools: tuple[ToolKind, ...]
    position: int
    planned: int
    started: int = 0
    completed: int = 0
    failed: int = 0
    is_complete: bool = False

    @property
    def missing(self) -> int:
        """Planned trials without an outcome."""
        return self.planned - self.completed - self.failed


class InventoryProjection:
    """Key: the run."""

    name = "inventory"
    version = 1
    kinds: frozenset[type[Body]] = frozenset(
        {RunStarted, TrialStarted, TrialCompleted, TrialFailed, RunCompleted}
    )
    openers: frozenset[type[Body]] = frozenset({RunStarted})
    _reader = RowReader("inventory", Inventory)

    def key(self, entry: Entry) -> str:
        """Return the run."""
        body = entry.event.body
        return entry.address if isinstance(body, RunStarted) else body.run  # type: ignore[attr-defined]

    def fold(self, state: Inventory | None, entries: Sequence[Entry]) -> Inventory:
        """Return ``state`` with ``entries`` counted."""
        kinds = Counter(type(entry.event.body) for entry in entries)
        inventory = state or _open(entries[0])
        return replace(
            inventory,
            started=inventory.started + kinds[TrialStarted],
            completed=inventory.completed + kinds[TrialCompleted],
            failed=inventory.failed + kinds[TrialFailed],
            is_complete=inventory.is_complete or kinds[RunCompleted] > 0,
        )

    def encode(self, state: Inventory) -> bytes:
        """Return the row of ``state``."""
        return encode_state(state)

    def decode(self, row: bytes) -> Inventory:
        """Return the state in ``row``."""
        return self._reader.read(row)


def _open(entry: Entry) -> Inventory:
    body = entry.event.body
    assert isinstance(body, RunStarted)  # noqa: S101 - an event names only earlier ones
    return Inventory(
        run=entry.address,
        suite=body.suite,
        configuration_name=body.configuration_name,
        provider=body.provider,
        model=body.model,
        effort=body.effort,
        tools=body.tools,
        position=entry.position,
        planned=body.planned,
    )


INVENTORY = InventoryProjection()
