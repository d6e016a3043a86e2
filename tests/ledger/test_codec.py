"""Events to bytes and back: golden files, RFC 8785, exact types, and versions."""

import json
import math
import uuid
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import ClassVar

import orjson
import pytest
import rfc8785
from hypothesis import given

from ledger.artifact import ArtifactRef
from ledger.canonical import INTEGER_MAX, format_canonical
from ledger.codec import CODEC, EVENT_SIZE_MAX, Codec, read_kind
from ledger.digest import compute_digest
from ledger.errors import MalformedEvent, UnknownKind
from ledger.events import RunCompleted, SuiteRegistered, TrialStarted, VerdictGiven
from ledger.events.registry import KINDS, UPCASTERS
from ledger.merkle import hash_leaf
from ledger.outcomes import Cause, Verdict
from tests.ledger.bodies import EVENTS, NOON, event_of, example_of

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(path for path in GOLDEN.iterdir() if path.name != "golden.json")
EXPECTED = json.loads((GOLDEN / "golden.json").read_text())
RELEASED = {f"{kind}.v{v}.json" for kind, cls in KINDS.items() for v in range(1, cls.V + 1)}

RUN = example_of(RunCompleted)
SUITE = example_of(SuiteRegistered)
BYTES = CODEC.encode(event_of(RUN))
SUITE_BYTES = CODEC.encode(event_of(SUITE))


# Golden files


def test_every_version_of_every_kind_has_a_golden_file():
    """A changed shape is a new version with a new file; what was released is never edited."""
    assert {path.name for path in FILES} == RELEASED == set(EXPECTED)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_golden_file_has_the_address_and_the_leaf_that_it_had(path):
    data = path.read_bytes()
    actual = {"address": compute_digest(data), "leaf": hash_leaf(data).hex()}
    assert actual == EXPECTED[path.name]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_golden_file_is_read_and_written_to_the_same_bytes(path):
    data = path.read_bytes()
    event = CODEC.decode_exactly(data)
    kind, version = read_kind(data)
    assert path.name == f"{kind}.v{version}.json"
    assert version < event.body.V or CODEC.encode(event) == data


# Bytes


@given(EVENTS)
def test_the_bytes_are_those_of_rfc_8785(event):
    data = CODEC.encode(event)
    assert data == rfc8785.dumps(json.loads(data)) == format_canonical(orjson.loads(data))


@given(EVENTS)
def test_decoding_gives_back_what_was_encoded(event):
    data = CODEC.encode(event)
    assert CODEC.decode(data) == CODEC.decode_exactly(data) == event
    assert read_kind(data) == (event.body.KIND, event.body.V)


def test_one_moment_has_one_spelling():
    zones = [UTC, timezone(timedelta(hours=-8)), timezone(timedelta(hours=14))]
    spellings = {CODEC.encode(event_of(RUN, at=NOON.astimezone(zone))) for zone in zones}
    assert spellings == {BYTES}
    assert b'"at":"2026-11-30T12:00:00.123456Z"' in BYTES


# Writing refuses


@pytest.mark.parametrize(
    "count",
    [-1, 2**53, 10**5000, 1.0, 1.5, math.nan, math.inf, True, None, "3", Decimal(3), b"3"],
    ids=lambda count: f"{count!s:.6}" if count != 10**5000 else "huge",
)
def test_a_count_of_another_type_or_size_is_not_written(count):
    with pytest.raises(MalformedEvent, match=r"run.completed"):
        CODEC.encode(event_of(replace(RUN, completed=count)))


@pytest.mark.parametrize(
    "text",
    [
        None,
        1,
        1.5,
        True,
        "\ud800",
        "a\udfff",
        Decimal("1.5"),
        b"a",
        uuid.UUID(int=1),
        NOON,
        date(2026, 1, 1),
        ["a"],
        ("a",),
        {"a": 1},
        object(),
    ],
    ids=lambda text: type(text).__name__,
)
def test_a_text_of_another_type_is_not_written(text):
    with pytest.raises(MalformedEvent, match=r"suite.registered"):
        CODEC.encode(event_of(replace(SUITE, suite_name=text)))
    with pytest.raises(MalformedEvent, match=r"suite.registered"):
        CODEC.encode(event_of(SUITE)._replace(actor=text))


@pytest.mark.parametrize("cause", [math.nan, math.inf, "tired", 1, False])
def test_a_cause_is_one_of_the_written_ones_or_none(cause):
    with pytest.raises(MalformedEvent):
        CODEC.encode(event_of(replace(example_of(VerdictGiven), cause=cause)))


@pytest.mark.parametrize("verdict", [None, "PASS", "passed", True, ""])
def test_a_verdict_is_one_of_five(verdict):
    with pytest.raises(MalformedEvent):
        CODEC.encode(event_of(replace(example_of(VerdictGiven), verdict=verdict)))


@pytest.mark.parametrize(
    "artifact",
    [
        None,
        "blake3:00",
        {"address": "a", "media": "b", "sha256": "c", "size": 1},
        replace(SUITE.manifest, size=-1),
        replace(SUITE.manifest, size=1.5),
        replace(SUITE.manifest, media="\ud800"),
        replace(SUITE.manifest, sha256=b"c"),
    ],
    ids=str,
)
def test_an_artifact_is_checked_to_its_fields(artifact):
    with pytest.raises(MalformedEvent, match=r"suite.registered"):
        CODEC.encode(event_of(replace(SUITE, manifest=artifact)))


@pytest.mark.parametrize(
    "at",
    [
        None,
        "2026-11-30T12:00:00.000000Z",
        0,
        NOON.replace(tzinfo=None),
        datetime.min.replace(tzinfo=timezone(timedelta(hours=1))),
    ],
    ids=str,
)
def test_a_time_that_is_no_moment_is_not_written(at):
    with pytest.raises(MalformedEvent):
        CODEC.encode(event_of(RUN, at=at))


def test_an_event_larger_than_an_entry_may_be_is_refused():
    room = EVENT_SIZE_MAX - len(CODEC.encode(event_of(replace(SUITE, suite_name=""))))
    assert len(CODEC.encode(event_of(replace(SUITE, suite_name="x" * room)))) == 60_000
    with pytest.raises(MalformedEvent, match=r"60,001 bytes.*put what is long into an artifact"):
        CODEC.encode(event_of(replace(SUITE, suite_name="x" * (room + 1))))


# Reading refuses


def spoil(old, new, data=BYTES):
    assert data.count(old) == 1
    return data.replace(old, new)


@pytest.mark.parametrize(
    "data",
    [
        spoil(b'{"actor"', b'{"aa":1,"actor"'),
        spoil(b'"failed"', b'"even":1,"failed"'),
        spoil(b'"media":"text/plain","sha256":"' + SUITE.manifest.sha256.encode(),
              b'"media":"text/plain","more":1,"sha256":"' + SUITE.manifest.sha256.encode(),
              SUITE_BYTES),
        spoil(b'{"actor":"ana"', b'{"actor":"ana","actor":"ana"'),
        spoil(b'"failed":6', b'"failed":5,"failed":6'),
        spoil(b'"kind"', b'"kind":"run.completed","kind"'),
        spoil(b'"completed":9,"failed":6', b'"failed":6,"completed":9'),
        spoil(b'"failed":6', b'"failed": 6'),
        b" " + BYTES,
        spoil(b"12:00:00.123456Z", b"12:00:00.123456+00:00"),
        spoil(b"12:00:00.123456Z", b"13:00:00.123456+01:00"),
        spoil(b"12:00:00.123456Z", b"12:00:00.1234560Z"),
        spoil(b"T12:00:00.123456Z", b"t12:00:00.123456z"),
        spoil(b"T12:00:00.123456Z", b" 12:00:00.123456Z"),
        spoil(b"12:00:00.123456Z", b"12:00:00Z"),
        spoil(b'"failed":6', b'"failed":6.0'),
        spoil(b'"failed":6', b'"failed":6e0'),
        spoil(b'"ana"', b'"\\u0061na"'),
        spoil(b"suite_name \xc3\xa9", b"suite_name \\u00e9", SUITE_BYTES),
        spoil(b"\\u001f", b"\\u001F", SUITE_BYTES),
    ],
)  # fmt: skip
def test_other_bytes_than_the_one_spelling_are_refused(data):
    with pytest.raises(MalformedEvent):
        CODEC.decode_exactly(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        BYTES[:-1],
        BYTES + b"\n",
        b"\x00" + BYTES,
        spoil(b'"failed":6', b'"failed":-6'),
        spoil(b'"failed":6', b'"failed":"6"'),
        spoil(b'"failed":6', b'"failed":null'),
        spoil(b'"failed":6', b'"failed":9007199254740992'),
        spoil(b'"failed":6,', b""),
        spoil(b'"actor":"ana",', b""),
        spoil(b'"ana"', b'"\xff"'),
        spoil(b'"ana"', b'"\xed\xa0\x80"'),
        spoil(b'"ana"', b'"\\ud800"'),
        spoil(b"12:00:00.123456Z", b"12:00:00.123456"),
        spoil(b'"v":1', b'"v":01'),
        spoil(b'"failed":6', b'"failed":6,"x":' + b"[" * 50_000 + b"]" * 50_000),
    ],
)
def test_bytes_that_are_no_event_are_refused(data):
    for read in (CODEC.decode, CODEC.decode_exactly):
        with pytest.raises(MalformedEvent):
            read(data)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (b"run.completed", b"run.imagined", "run.imagined v1"),
        (b'"v":1', b'"v":2', "run.completed v2"),
        (b'"v":1', b'"v":999999', "run.completed v999999"),
    ],
)
def test_an_unknown_kind_or_version_is_named(old, new, named):
    with pytest.raises(UnknownKind, match=rf"{named} is not known"):
        CODEC.decode(spoil(old, new))


# What an event names


@given(EVENTS)
def test_everything_that_an_event_names_is_found(event):
    text = CODEC.encode(event)
    named = [ref.address for ref in CODEC.artifacts_of(event.body)]
    named += CODEC.events_of(event.body)
    assert sorted(named) == sorted(_addresses_in(event.body))
    assert all(address.encode() in text for address in named)


def _addresses_in(value):
    if isinstance(value, tuple):
        return [address for item in value for address in _addresses_in(item)]
    if isinstance(value, ArtifactRef):
        return [value.address]
    if hasattr(value, "KIND"):
        names = type(value).__dataclass_fields__
        return [address for name in names for address in _addresses_in(getattr(value, name))]
    return [value] if isinstance(value, str) and value.startswith("blake3:") else []


def test_artifacts_and_events_are_told_apart():
    trial = example_of(TrialStarted)
    assert CODEC.events_of(trial) == [trial.run]
    inputs = [ref for _, ref in trial.inputs]
    assert CODEC.artifacts_of(trial) == [trial.prompt, trial.system, *inputs]
    verdict = VerdictGiven(
        grading=trial.run, trial=trial.run, slot=0, check="c", variant="v", answers=(),
        verdict=Verdict.UNPROVEN, cause=Cause.BUDGET, reason="",
    )  # fmt: skip
    assert CODEC.events_of(verdict) == [trial.run, trial.run]


# Versions


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeMade:
    KIND: ClassVar[str] = "probe.made"
    V: ClassVar[int] = 3

    title: str
    tags: tuple[str, ...]


def add_tags(body):
    return {**body, "tags": []}


def rename(body):
    return {"title": body["name"], "tags": [*body["tags"], "renamed"]}


STEPS = {("probe.made", 1): add_tags, ("probe.made", 2): rename}
PROBES = Codec({"probe.made": ProbeMade}, STEPS)


def old_bytes(version, body):
    at = "2026-11-30T12:00:00.123456Z"
    kind = "probe.made"
    return format_canonical({"actor": "ana", "at": at, "body": body, "kind": kind, "v": version})


@pytest.mark.parametrize(
    ("version", "body", "tags"),
    [
        (1, {"name": "one"}, ("renamed",)),
        (2, {"name": "one", "tags": ["a"]}, ("a", "renamed")),
        (3, {"tags": ["a"], "title": "one"}, ("a",)),
    ],
)
def test_an_old_version_is_read_in_the_newest_shape(version, body, tags):
    data = old_bytes(version, body)
    expected = event_of(ProbeMade(title="one", tags=tags))
    assert PROBES.decode(data) == PROBES.decode_exactly(data) == expected
    assert read_kind(data) == ("probe.made", version)


def test_an_old_version_in_another_spelling_is_refused():
    data = old_bytes(1, {"name": "one"}).replace(b'"name":', b'"name": ')
    assert PROBES.decode(data).body == ProbeMade(title="one", tags=("renamed",))
    with pytest.raises(MalformedEvent, match="canonical"):
        PROBES.decode_exactly(data)


@pytest.mark.parametrize("body", [{}, {"name": 1}, [], None, "x"])
def test_an_old_version_with_a_wrong_body_is_malformed(body):
    with pytest.raises(MalformedEvent, match=r"probe.made"):
        PROBES.decode(old_bytes(1, body))


def test_an_old_version_that_is_no_json_is_malformed():
    with pytest.raises(MalformedEvent, match=r"probe.made v1"):
        PROBES.decode(b"{" + old_bytes(1, {"name": "one"}))


def test_a_version_newer_than_the_program_is_named():
    with pytest.raises(UnknownKind, match=r"probe.made v4 is not known"):
        PROBES.decode(old_bytes(4, {}))


@pytest.mark.parametrize(
    "steps",
    [
        {},
        {("probe.made", 2): rename},
        {("probe.made", 1): add_tags},
        {**STEPS, ("probe.made", 3): rename},
        {**STEPS, ("probe.made", 0): rename},
        {**STEPS, ("probe.gone", 1): rename},
    ],
    ids=lambda steps: ",".join(f"{kind}-{version}" for kind, version in steps),
)
def test_steps_with_a_gap_or_one_that_leads_nowhere_are_refused(steps):
    with pytest.raises(ValueError, match="steps between versions"):
        Codec({"probe.made": ProbeMade}, steps)


def test_the_registry_is_whole_and_names_no_class():
    assert Codec(KINDS, UPCASTERS).decode(BYTES).body == RUN
    for kind, cls in KINDS.items():
        assert kind == cls.KIND
        assert cls.__name__ not in kind


def test_the_bounds_are_those_of_the_formats():
    assert EVENT_SIZE_MAX < 2**16
    assert INTEGER_MAX == 2**53 - 1
