"""What every event has: who said it, when, and a body of some kind."""

from datetime import datetime
from typing import ClassVar, NamedTuple, Protocol

from ledger.digest import Digest


class Body(Protocol):
    """The facts of one kind of event, in the newest version of its shape."""

    KIND: ClassVar[str]
    """Stable name, ``noun.verb`` in the past tense; never a class path."""
    V: ClassVar[int]
    """Version of the shape, from 1."""


class Event(NamedTuple):
    """One immutable fact.

    Attributes:
        actor: who or what recorded it, for people: a user or a program; no secret, no address.
        at: when it was recorded, aware UTC, to the microsecond.
        body: what happened.
    """

    actor: str
    at: datetime
    body: Body


class Entry(NamedTuple):
    """An event of the log, read: position from 0, address, and the event in its newest shape."""

    position: int
    address: Digest
    event: Event
