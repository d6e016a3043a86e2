"""What a projection is: a pure fold of events into rows by key."""

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

import msgspec

from ledger.errors import Damage
from ledger.events import Body, Entry

State = TypeVar("State")

_ENCODER = msgspec.json.Encoder(order="sorted")


class Projection(Protocol[State]):
    """A pure fold with a name and a version.

    Folding the events of the log in order of position, each into the state of its key, is the
    whole projection; a change that could change a row raises ``version``. An opener comes first.
    """

    name: str
    version: int
    kinds: frozenset[type[Body]]
    """The kinds that it reads; others pass by."""
    openers: frozenset[type[Body]]
    """The kinds that begin a key, and begin it anew: ``fold`` gets ``None`` with them first."""

    def key(self, entry: Entry) -> str:
        """Return the key whose state ``entry`` changes."""
        ...

    def fold(self, state: State | None, entries: Sequence[Entry]) -> State:
        """Return ``state`` with ``entries``, all of one key and in order, in it.

        Folding them in one step or in several is the same.
        """
        ...

    def encode(self, state: State) -> bytes:
        """Return the canonical bytes of a row."""
        ...

    def decode(self, row: bytes) -> State:
        """Return the state whose row is ``row``; the inverse of ``encode``.

        Raises:
            Damage: ``row`` is not such a row.
        """
        ...


class RowReader(Generic[State]):
    """Reads the rows of one class of states, with exact types."""

    def __init__(self, name: str, cls: type[State]) -> None:
        """Take the projection's name, for messages, and the class of its states."""
        self._name = name
        self._decoder = msgspec.json.Decoder(cls)

    def read(self, row: bytes) -> State:
        """Return the state in ``row``, or raise ``Damage``."""
        try:
            return self._decoder.decode(row)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Damage(
                f"projection {self._name}: a row cannot be read; 'verdict rebuild' folds it again"
            ) from error


def encode_state(state: object) -> bytes:
    """Return the canonical bytes of a state made of strings, integers, enums and tuples.

    Sorted as RFC 8785 sorts ASCII keys; ``tests/ledger/projections`` holds the two equal.
    """
    return _ENCODER.encode(state)
