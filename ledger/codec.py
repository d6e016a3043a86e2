"""Events to canonical bytes and back: the only place where either is made of the other.

    >>> from datetime import UTC, datetime
    >>> from ledger.events import Event, RunCompleted
    >>> body = RunCompleted(run="blake3:" + "0" * 64, completed=3, failed=1)
    >>> event = Event(actor="ana", at=datetime(2026, 11, 30, 12, tzinfo=UTC), body=body)
    >>> CODEC.decode(CODEC.encode(event)) == event
    True

1. Writing: msgspec with sorted keys, which for strings, integers, booleans, null, lists and
   objects with ASCII keys writes the bytes of RFC 8785 (``tests/ledger/test_codec.py`` holds it
   against ``ledger.canonical`` and the ``rfc8785`` package).
2. Reading: exact types, no missing field. ``decode_exactly`` also refuses an unknown field and
   any other bytes than this program would have written.
3. An old version is upcast first; an unknown kind or version says so by its name and is carried,
   not guessed at.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
import orjson

from ledger.artifact import ArtifactRef
from ledger.canonical import parse_canonical
from ledger.digest import Digest
from ledger.errors import MalformedEvent, NotCanonical, UnknownKind
from ledger.events import Body, Event
from ledger.events.registry import KINDS, UPCASTERS, Upcaster

_INSTANT_SIZE = 27
EVENT_SIZE_MAX = 60_000
"""Bytes; an entry of a C2SP tile bundle has a 16-bit length, 65,535 at most."""

# The keys of an event are sorted, so kind and version are its last bytes.
_TAIL = re.compile(rb',"kind":"([a-z_]+\.[a-z_]+)","v":([1-9][0-9]{0,5})\}')

_ENCODER = msgspec.json.Encoder(order="sorted")
_Instant = Annotated[datetime, msgspec.Meta(tz=True)]

_FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What code meets that takes a value for what it is not."""

_Pick = Callable[[Any], Any]


class _Shape(NamedTuple):
    """How the bodies of one kind are read, and where they name something."""

    decoder: msgspec.json.Decoder[Any]
    artifacts: "_References"
    events: "_References"


class Codec:
    """Writes and reads the events of one registry of kinds."""

    def __init__(
        self,
        kinds: Mapping[str, type[Body]] = KINDS,
        upcasters: Mapping[tuple[str, int], Upcaster] = UPCASTERS,
    ) -> None:
        """Take the kinds as they are now and the steps that lead up to them.

        Raises:
            ValueError: a version below the current one has no step, or a step leads nowhere.
        """
        expected = {(kind, v) for kind, cls in kinds.items() for v in range(1, cls.V)}
        if expected != set(upcasters):
            odd = sorted(expected ^ set(upcasters))
            raise ValueError(f"steps between versions: {odd} do not fit")
        self._kinds = kinds
        self._upcasters = upcasters
        self._shapes: dict[type[Body], _Shape] = {}
        self._decoders: dict[bytes, msgspec.json.Decoder[Any]] = {}

    def encode(self, event: Event) -> bytes:
        """Return the canonical bytes of ``event``.

        Raises:
            MalformedEvent: a value of another type than its field, or one that has no canonical
                form; or the bytes exceed EVENT_SIZE_MAX.
        """
        body = event.body
        shape = self._shapes.get(type(body)) or self._shape(type(body))
        try:
            data = _format(event, format_instant(event.at))
            # Nothing has checked the types so far; reading the bytes back does, in C.
            envelope = shape.decoder.decode(data)
        except (msgspec.MsgspecError, *_FAULTS) as error:
            raise MalformedEvent(f"{body.KIND}: {error}") from error
        # msgspec writes a Decimal, a UUID or bytes as text, and NaN as null: in a field of text
        # they would pass, but they do not come back as what they were.
        if not (envelope.body == body and envelope.actor == event.actor):
            raise MalformedEvent(f"{body.KIND}: a field holds another type than its own")
        if len(data) > EVENT_SIZE_MAX:
            raise MalformedEvent(
                f"{body.KIND}: {len(data):,} bytes, {EVENT_SIZE_MAX:,} are allowed: put what is "
                "long into an artifact and name it"
            )
        return data

    def decode(self, data: bytes) -> Event:
        """Return the event whose bytes are ``data``, in the current shape of its kind.

        Raises:
            UnknownKind: kind or version is not in the registry.
            MalformedEvent: ``data`` is not an event, or its body has another shape.
        """
        # ``_tail_of`` spelled out: every event that is read comes through here.
        decoder = self._decoders.get(data[data.rfind(b',"kind":"') :])
        if decoder is None:
            decoder, data = self._find_decoder(data)
        try:
            envelope = decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise MalformedEvent(f"{read_kind(data)[0]}: {error}") from error
        return Event(envelope.actor, envelope.at, envelope.body)

    def decode_exactly(self, data: bytes) -> Event:
        """Return the event whose one canonical spelling is ``data``.

        Raises:
            UnknownKind: as ``decode``.
            MalformedEvent: as ``decode``; or the event would be written with other bytes.
        """
        event = self.decode(data)
        if _tail_of(data) in self._decoders:
            # The time as it is spelled, so that what is left to compare is all the rest.
            start = data.find(b'"at":"') + 6
            at = data[start : start + _INSTANT_SIZE].decode("ascii", "replace")
            is_exact = _is_instant(at) and _format(event, at) == data
        else:
            is_exact = _is_canonical(data)
        if not is_exact:
            raise MalformedEvent(f"{event.body.KIND}: bytes are not its canonical spelling")
        return event

    def artifacts_of(self, body: Body) -> list[ArtifactRef]:
        """Return every artifact that ``body`` names."""
        return self._shape(type(body)).artifacts.read(body)

    def events_of(self, body: Body) -> list[Digest]:
        """Return every earlier event that ``body`` names."""
        return self._shape(type(body)).events.read(body)

    def _shape(self, cls: type[Body]) -> _Shape:
        shape = self._shapes.get(cls)
        if shape is None:
            shape = self._shapes[cls] = _shape_of(cls)
        return shape

    def _find_decoder(self, data: bytes) -> tuple[msgspec.json.Decoder[Any], bytes]:
        """Return what reads ``data``, and ``data`` itself in the current version of its kind."""
        kind, version = read_kind(data)
        cls = self._kinds.get(kind)
        if cls is None or version > cls.V:
            raise UnknownKind(f"{kind} v{version} is not known to this version of the program")
        decoder = self._shape(cls).decoder
        if version < cls.V:
            return decoder, self._upcast(data, kind, version, cls.V)
        self._decoders[_tail_of(data)] = decoder
        return decoder, data

    def _upcast(self, data: bytes, kind: str, version: int, current: int) -> bytes:
        try:
            envelope = orjson.loads(data)
            body = envelope["body"]
            for step in range(version, current):
                body = self._upcasters[kind, step](body)
            return orjson.dumps({**envelope, "body": body, "v": current})
        except _FAULTS as error:
            raise MalformedEvent(
                f"{kind} v{version}: {error!r} on the way to v{current}"
            ) from error


def read_kind(data: bytes) -> tuple[str, int]:
    """Return kind and version of the event whose canonical bytes are ``data``.

    Raises:
        MalformedEvent: ``data`` does not end like an event.
    """
    match = _TAIL.fullmatch(_tail_of(data))
    if match is None:
        raise MalformedEvent("bytes do not end in the kind and version of an event")
    return match[1].decode(), int(match[2])


def _tail_of(data: bytes) -> bytes:
    return data[data.rfind(b',"kind":"') :]


@lru_cache(maxsize=64)  # the events of one batch share their time
def format_instant(at: datetime) -> str:
    """Return ``at`` as RFC 3339 in UTC with six decimals and ``Z``.

    Raises:
        ValueError: ``at`` has no zone, so that it is no moment.
    """
    if at.tzinfo is None:
        raise ValueError(f"{at} has no time zone")
    return at.astimezone(UTC).isoformat(timespec="microseconds")[:26] + "Z"


def _is_instant(at: str) -> bool:
    """Return whether ``at``, which could be read as a time, is spelled as ``format_instant``."""
    return len(at) == _INSTANT_SIZE and at[10] == "T" and at[19] == "." and at[26] == "Z"


def _is_canonical(data: bytes) -> bool:
    try:
        parse_canonical(data)
    except NotCanonical:
        return False
    return True


def _format(event: Event, at: str) -> bytes:
    body = event.body
    envelope = {
        "actor": event.actor,
        "at": at,
        "body": body,
        "kind": body.KIND,
        "v": body.V,
    }
    return _ENCODER.encode(envelope)


def _shape_of(cls: type[Body]) -> _Shape:
    hints = get_type_hints(cls)
    names = [field.name for field in fields(cls)]  # type: ignore[arg-type]
    envelope = msgspec.defstruct(
        "Envelope",
        [("actor", str), ("at", _Instant), ("body", cls), ("kind", str), ("v", int)],
        forbid_unknown_fields=True,
    )
    return _Shape(
        decoder=msgspec.json.Decoder(envelope),
        artifacts=_References(names, hints, ArtifactRef),
        events=_References(names, hints, Digest),
    )


class _References:
    """Where the bodies of one kind name events, or artifacts."""

    def __init__(self, names: list[str], hints: dict[str, Any], noun: object) -> None:
        self._plain = [name for name in names if hints[name] is noun]
        picks = ((name, _picker(hints[name], noun)) for name in names if name not in self._plain)
        self._nested = [(name, pick) for name, pick in picks if pick is not None]

    def read(self, body: Body) -> list[Any]:
        """Return what ``body`` names, in no particular order."""
        found = [getattr(body, name) for name in self._plain]
        for name, pick in self._nested:
            value = getattr(body, name)
            if value:
                found += pick(value)
        return found


def _picker(hint: Any, noun: object) -> _Pick | None:
    """Return what lists the ``noun`` values within a field, or ``None`` where there are none."""
    if hint is noun:
        return lambda value: (value,)
    args = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        inner = next((pick for arg in args if (pick := _picker(arg, noun))), None)
        return _optional(inner) if inner else None
    if get_origin(hint) is not tuple:
        return None
    if args[-1] is Ellipsis:
        inner = _picker(args[0], noun)
        return _each(inner) if inner else None
    parts = [(index, pick) for index, arg in enumerate(args) if (pick := _picker(arg, noun))]
    if not parts:
        return None
    return lambda value: [ref for index, pick in parts for ref in pick(value[index])]


def _optional(inner: _Pick) -> _Pick:
    return lambda value: () if value is None else inner(value)


def _each(inner: _Pick) -> _Pick:
    return lambda value: [ref for item in value for ref in inner(item)]


CODEC = Codec()
"""The codec of the kinds that this program knows."""
