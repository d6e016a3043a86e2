"""What every store has to do, one suite a port (``ledger.ports``); each implementation runs it.

A test module of a store makes a fixture ``records``, ``blobs`` or ``projections`` and takes the
class in.
"""

import threading
from hashlib import sha256

import pytest
from blake3 import blake3

from ledger.errors import Damage
from ledger.merkle import EMPTY_ROOT, Tile, hash_leaf
from ledger.ports import ArtifactRow, Change, Duplicate, EventRow, Head

VKEY = "example.com/log+1c57ffe2+AAAA"


def event_row(position, data=None):
    """Return a row of an event at this position."""
    data = data or f"event {position}".encode()
    return EventRow(position, blake3(data).digest(), hash_leaf(data), data)


def artifact_row(data, *, place="row"):
    """Return a row of an artifact with these bytes."""
    stored = data if place == "row" else None
    digest = blake3(data).digest()
    return ArtifactRow(digest, sha256(data).digest(), len(data), "plain", digest, place, stored)


def commit(records, *, events=(), artifacts=(), tiles=(), redacts=()):
    """Insert rows and move the head, as the log does."""
    with records.begin() as transaction:
        size = transaction.head.size + len(events)
        transaction.insert(events=events, artifacts=artifacts, tiles=tiles)
        transaction.set_head(Head(size, sha256(bytes([size % 256])).digest(), b"f" * 32))
        for address in redacts:
            transaction.redact(address)


class Interrupted(Exception):
    """Something else goes wrong inside a transaction."""


def write_and_fail(transaction):
    """Insert one of each, and fail before the commit."""
    tile = Tile(0, 0, bytes(8192))
    transaction.insert(events=[event_row(1)], artifacts=[artifact_row(b"a")], tiles=[tile])
    transaction.set_head(Head(2, bytes(32), b""))
    raise Interrupted


class RecordStoreContract:
    """``RecordStore`` and ``Transaction``; the fixture ``records`` is an empty store."""

    def test_an_empty_log_has_the_empty_root(self, records):
        assert records.head() == Head(0, EMPTY_ROOT, b"")
        assert list(records.read_events(0, 10)) == []

    def test_the_key_of_the_log_is_kept(self, records):
        assert records.verifier() == VKEY

    def test_what_is_committed_is_read_back(self, records):
        events = [event_row(n) for n in range(3)]
        commit(records, events=events, artifacts=[artifact_row(b"a")], tiles=[])
        assert list(records.read_events(0, 3)) == events
        assert records.head().size == 3
        assert records.find_event(events[1].address) == events[1]
        assert records.find_artifact(blake3(b"a").digest()) == artifact_row(b"a")
        assert records.read_leaves(1, 3) == [row.leaf for row in events[1:]]

    def test_events_are_read_in_order_within_bounds(self, records):
        events = [event_row(n) for n in range(2_500)]
        commit(records, events=events)
        assert list(records.read_events(0, 2_500)) == events
        assert [row.position for row in records.read_events(999, 2_001)] == [*range(999, 2_001)]
        assert list(records.read_events(5, 5)) == list(records.read_events(7, 3)) == []
        assert [row.position for row in records.read_events(2_499, 9_999)] == [2_499]

    def test_several_artifacts_are_found_at_once_in_the_order_asked(self, records):
        rows = [artifact_row(data) for data in (b"a", b"b", b"c")]
        commit(records, events=[event_row(0)], artifacts=rows)
        names = [blake3(data).digest() for data in (b"c", b"none", b"a")]
        assert records.find_artifact_rows(names) == [rows[2], rows[0]]
        assert records.find_artifact_rows([]) == []

    def test_what_is_not_there_is_not_found(self, records):
        commit(records, events=[event_row(0)], artifacts=[artifact_row(b"a")])
        assert records.find_event(blake3(b"a").digest()) is None
        assert records.find_artifact(event_row(0).address) is None
        assert records.read_tile(1, 0) is None

    def test_a_missing_leaf_is_damage(self, records):
        commit(records, events=[event_row(0)])
        with pytest.raises(Damage):
            records.read_leaves(0, 2)

    def test_nothing_of_an_interrupted_transaction_is_there(self, records):
        commit(records, events=[event_row(0)])
        before = records.head()
        with pytest.raises(Interrupted), records.begin() as transaction:
            write_and_fail(transaction)
        assert records.head() == before
        assert list(records.read_events(0, 9)) == [event_row(0)]
        assert list(records.read_artifacts()) == list(records.read_tiles()) == []

    def test_an_event_is_there_once(self, records):
        commit(records, events=[event_row(0)])
        with pytest.raises(Duplicate):
            commit(records, events=[event_row(1), event_row(2, b"event 0")])
        assert records.head().size == 1
        assert list(records.read_events(0, 9)) == [event_row(0)]

    def test_an_event_twice_in_one_insert_is_refused(self, records):
        with pytest.raises(Duplicate):
            commit(records, events=[event_row(0, b"same"), event_row(1, b"same")])
        assert records.head().size == 0

    def test_an_artifact_that_is_there_stays_as_it_is(self, records):
        commit(records, artifacts=[artifact_row(b"a")])
        commit(records, artifacts=[artifact_row(b"a")._replace(codec="zstd", data=b"other")])
        assert list(records.read_artifacts()) == [artifact_row(b"a")]

    def test_a_transaction_sees_the_committed_log(self, records):
        events = [event_row(n) for n in range(300)]
        tile = Tile(1, 2, bytes(8192))
        commit(records, events=events, artifacts=[artifact_row(b"a")], tiles=[tile])
        with records.begin() as transaction:
            assert transaction.head == records.head()
            assert transaction.read_leaves(7, 9) == [events[7].leaf, events[8].leaf]
            assert transaction.read_tile(1, 2) == bytes(8192)
            assert transaction.read_tile(1, 3) is None

    def test_addresses_are_looked_up_however_many_there_are(self, records):
        events = [event_row(n) for n in range(1_200)]
        artifacts = [artifact_row(b"%d" % n) for n in range(1_200)]
        commit(records, events=events, artifacts=artifacts)
        unknown = [blake3(b"unknown").digest()]
        addresses = [row.address for row in events]
        expected = {row.address: row.position for row in events}
        assert records.find_events(addresses + unknown) == expected
        names = [row.address for row in artifacts]
        described = {row.address: (row.sha256, row.size) for row in artifacts}
        assert records.describe_artifacts(names + unknown) == described
        with records.begin() as transaction:
            assert transaction.find_events(addresses + unknown) == expected
            assert transaction.find_artifacts(names + unknown) == set(names)
            assert transaction.find_events([]) == {}

    def test_artifacts_are_read_in_order_of_address(self, records):
        rows = [artifact_row(b"%d" % n) for n in range(250)]
        commit(records, artifacts=rows)
        assert list(records.read_artifacts()) == sorted(rows)

    def test_tiles_are_read_in_order_of_level_and_index(self, records):
        tiles = [
            Tile(level, index, bytes([index]) * 8192) for level in (1, 0) for index in range(70)
        ]
        commit(records, tiles=tiles)
        assert list(records.read_tiles()) == sorted(tiles)

    def test_a_redacted_artifact_has_a_row_without_bytes(self, records):
        commit(records, artifacts=[artifact_row(b"a"), artifact_row(b"b")])
        commit(records, redacts=[artifact_row(b"a").address])
        gone = artifact_row(b"a")._replace(place="redacted", data=None, stored=b"")
        assert records.find_artifact(gone.address) == gone
        assert records.find_artifact(artifact_row(b"b").address) == artifact_row(b"b")
        commit(records, artifacts=[artifact_row(b"a")])
        assert records.find_artifact(gone.address) == gone

    def test_a_prefix_finds_events_and_artifacts(self, records):
        events = [event_row(n) for n in range(300)]
        artifacts = [artifact_row(b"%d" % n) for n in range(300)]
        commit(records, events=events, artifacts=artifacts)
        first, last = b"\x40" + bytes(31), b"\x4f" + b"\xff" * 31
        found = records.find_prefix(first, last, 1_000)
        inside = [("event", row.address) for row in events if first <= row.address <= last]
        inside += [("artifact", row.address) for row in artifacts if first <= row.address <= last]
        assert len(inside) > 20
        assert sorted(found) == sorted(inside)
        assert len(records.find_prefix(first, last, 2)) <= 4

    def test_a_checkpoint_that_is_there_stays(self, records):
        for size, note in ((9, "nine"), (2, "two"), (9, "another nine")):
            records.add_checkpoint(size, note)
        assert list(records.read_checkpoints()) == [(2, "two"), (9, "nine")]

    def test_positions_of_many_threads_are_contiguous(self, records):
        def append(number):
            for n in range(10):
                with records.begin() as transaction:
                    size = transaction.head.size
                    row = event_row(size, b"%d/%d" % (number, n))
                    transaction.insert(events=[row], artifacts=[], tiles=[])
                    transaction.set_head(Head(size + 1, bytes(32), b""))

        threads = [threading.Thread(target=append, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [row.position for row in records.read_events(0, 99)] == list(range(40))

    def test_a_snapshot_is_one_state(self, records):
        commit(records, events=[event_row(0)])
        writer = threading.Thread(target=commit, args=(records,), kwargs={"events": [event_row(1)]})
        with records.snapshot():
            before = records.head()
            writer.start()
            writer.join(timeout=0.2)  # a store may as well keep it waiting
            assert records.head() == before
            with records.snapshot():
                assert records.find_event(event_row(1).address) is None
            assert len(list(records.read_events(0, 9))) == 1
        writer.join()
        assert records.head().size == 2


class BlobStoreContract:
    """``BlobStore``; the fixture ``blobs`` is an empty store."""

    def test_staged_bytes_are_not_there_before_they_are_published(self, blobs):
        address = blake3(b"data").digest()
        staged = blobs.stage(address, "plain", b"data")
        assert blobs.read(address, "plain") is None
        blobs.publish([staged])
        assert blobs.read(address, "plain") == b"data"
        blobs.settle([staged])
        assert blobs.read(address, "plain") == b"data"

    def test_settled_bytes_that_were_not_published_are_gone(self, blobs):
        address = blake3(b"data").digest()
        staged = blobs.stage(address, "plain", b"data")
        blobs.settle([staged])
        blobs.settle([staged])
        assert blobs.read(address, "plain") is None

    def test_publishing_replaces_what_a_failed_writer_left(self, blobs):
        address = blake3(b"data").digest()
        torn = blobs.stage(address, "plain", b"da")
        blobs.publish([torn])
        whole = blobs.stage(address, "plain", b"data")
        blobs.publish([whole])
        blobs.publish([whole])
        blobs.settle([torn, whole])
        assert blobs.read(address, "plain") == b"data"

    def test_the_same_bytes_can_be_staged_side_by_side(self, blobs):
        address = blake3(b"data").digest()
        first, second = (blobs.stage(address, "plain", b"data") for _ in range(2))
        blobs.settle([first])
        third = blobs.stage(address, "plain", b"data")
        blobs.settle([third])
        blobs.publish([second])
        assert blobs.read(address, "plain") == b"data"

    def test_each_encoding_has_its_place(self, blobs):
        address = blake3(b"data").digest()
        items = [blobs.stage(address, "plain", b"data"), blobs.stage(address, "zstd", b"\x28")]
        blobs.publish(items)
        assert blobs.read(address, "plain") == b"data"
        blobs.delete(address, "plain")
        assert blobs.read(address, "plain") is None
        assert blobs.read(address, "zstd") == b"\x28"

    def test_deleting_what_is_not_there_is_no_error(self, blobs):
        blobs.delete(bytes(32), "plain")
        assert blobs.read(bytes(32), "plain") is None

    def test_a_large_blob_and_an_empty_one_are_kept(self, blobs):
        for data in (b"", bytes(range(256)) * 40_960):
            staged = blobs.stage(blake3(data).digest(), "plain", data)
            blobs.publish([staged])
            assert blobs.read(blake3(data).digest(), "plain") == data


class ProjectionStoreContract:
    """``ProjectionStore``; the fixture ``projections`` is an empty store."""

    def test_a_projection_that_was_never_kept_has_no_position(self, projections):
        assert projections.position("p") is None
        assert projections.load("p", ["a"]) == {}
        assert list(projections.rows("p")) == []

    def test_rows_and_position_are_kept_together(self, projections):
        assert projections.save([Change("p", 3, 0, 7, {"a": b"1", "b": b"2"})])
        assert projections.position("p") == (3, 7)
        assert projections.load("p", ["a", "c"]) == {"a": b"1"}
        assert projections.save([Change("p", 3, 7, 9, {"b": b"3"})])
        assert list(projections.rows("p")) == [("a", b"1"), ("b", b"3")]

    def test_nothing_is_kept_where_one_position_is_another(self, projections):
        projections.save([Change("p", 1, 0, 5, {"a": b"1"})])
        changes = [Change("q", 1, 0, 9, {"a": b"2"}), Change("p", 1, 4, 9, {"a": b"2"})]
        assert not projections.save(changes)
        assert projections.position("p") == (1, 5)
        assert projections.position("q") is None
        assert projections.load("p", ["a"]) == {"a": b"1"}
        assert list(projections.rows("q")) == []

    def test_one_projection_is_not_another(self, projections):
        projections.save([Change("p", 1, 0, 5, {"a": b"1"}), Change("q", 2, 0, 6, {"a": b"2"})])
        projections.clear("p")
        assert projections.position("p") is None
        assert list(projections.rows("p")) == []
        assert projections.position("q") == (2, 6)
        assert list(projections.rows("q")) == [("a", b"2")]

    def test_all_are_cleared_at_once(self, projections):
        projections.save([Change("p", 1, 0, 5, {"a": b"1"}), Change("q", 2, 0, 6, {"a": b"2"})])
        projections.clear_all()
        assert [projections.position(name) for name in ("p", "q")] == [None, None]
        assert [list(projections.rows(name)) for name in ("p", "q")] == [[], []]

    def test_rows_come_in_order_of_key_however_many_there_are(self, projections):
        rows = {f"{n:05d}": b"%d" % n for n in reversed(range(4_100))}
        projections.save([Change("p", 1, 0, 1, rows)])
        assert list(projections.rows("p")) == sorted(rows.items())
        assert len(projections.load("p", list(rows))) == 4_100

    @pytest.mark.parametrize("prefix", ["a/", "a", "é", "", "z", "%", "_", "\U0001f600"])
    def test_a_prefix_is_taken_to_the_letter(self, projections, prefix):
        keys = ["a", "a/", "a/1", "a/\u00ff", "a0", "b", "é", "é1", "%", "_x", "\U0001f600", "A/1"]
        projections.save([Change("p", 1, 0, 1, {key: key.encode() for key in keys})])
        expected = sorted(key for key in keys if key.startswith(prefix))
        assert [key for key, _ in projections.rows("p", prefix)] == expected

    def test_a_change_without_rows_moves_the_position(self, projections):
        assert projections.save([Change("p", 1, 0, 4, {})])
        assert projections.save([])
        assert projections.position("p") == (1, 4)
