"""Bodies of every kind: one written out by a rule, and any that hypothesis can think of."""

from dataclasses import fields
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from types import UnionType
from typing import Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from ledger.artifact import ArtifactRef, describe_artifact
from ledger.canonical import INTEGER_MAX
from ledger.digest import Digest, compute_digest, unpack_digest
from ledger.events import Event
from ledger.events.registry import KINDS

NOON = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)
DIGESTS = st.binary(min_size=32, max_size=32).map(unpack_digest)
TEXTS = st.text(max_size=30)
COUNTS = st.integers(0, INTEGER_MAX)
ARTIFACTS = st.builds(
    ArtifactRef,
    address=DIGESTS,
    media=TEXTS,
    sha256=st.binary(min_size=32, max_size=32).map(bytes.hex),
    size=COUNTS,
)
INSTANTS = st.datetimes(
    min_value=datetime(1, 1, 2),  # noqa: DTZ001 - the zone comes beside it
    max_value=datetime(9999, 12, 30),  # noqa: DTZ001
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45))]),
)


def hints_of(cls):
    """Return the type of each field of a kind."""
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in fields(cls)}


def values_of(hint):
    """Return the strategy for a field of this type."""
    plain = {str: TEXTS, int: COUNTS, Digest: DIGESTS, ArtifactRef: ARTIFACTS}
    if hint in plain:
        return plain[hint]
    if hint is type(None):
        return st.none()
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return st.sampled_from(hint)
    args = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return st.one_of(*map(values_of, args))
    if args[-1] is Ellipsis:
        return st.lists(values_of(args[0]), max_size=3).map(tuple)
    return st.tuples(*map(values_of, args))


def bodies_of(cls):
    """Return the strategy for the bodies of one kind."""
    return st.builds(cls, **{name: values_of(hint) for name, hint in hints_of(cls).items()})


BODIES = st.one_of(*map(bodies_of, KINDS.values()))
EVENTS = st.builds(Event, TEXTS, INSTANTS, BODIES)


def example_value(name, hint):
    """Return a value of this type that tells the field it was made for."""
    plain = {
        str: lambda: f"{name} é\n\x1f",
        int: lambda: len(name),
        Digest: lambda: compute_digest(name.encode()),
        ArtifactRef: lambda: describe_artifact(name.encode(), media="text/plain"),
    }
    if hint in plain:
        return plain[hint]()
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return next(iter(hint))
    args = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return example_value(name, args[0])
    if args[-1] is Ellipsis:
        return (example_value(name, args[0]), example_value(f"{name}2", args[0]))
    return tuple(example_value(f"{name}{index}", arg) for index, arg in enumerate(args))


def example_of(cls):
    """Return the body of a kind with every field filled."""
    return cls(**{name: example_value(name, hint) for name, hint in hints_of(cls).items()})


def event_of(body, *, at=NOON):
    """Return an event with this body."""
    return Event("ana", at, body)
