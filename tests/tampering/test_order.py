"""Events dropped, moved, inserted; rows and files dropped: found and named."""

import pytest
from blake3 import blake3

from ledger import merkle
from ledger.digest import unpack_digest
from tests.tampering.forgery import find, regrow, said, sign_as_owner, tamper
from tests.trials.runs import call_verdict

ALL_SIGNED = ["checkpoint 325", "checkpoint 650", "checkpoint 652", "last-signed"]


def drop_event(ledger, position):
    """Delete an event and move those behind it up."""
    tamper(
        ledger,
        f"DELETE FROM event WHERE position = {position}",
        f"UPDATE event SET position = -position WHERE position > {position}",
        "UPDATE event SET position = -position - 1 WHERE position < 0",
    )


def swap(ledger, first, second, columns):
    """Exchange some columns of two events."""
    sets = ", ".join(f"{column} = ?" for column in columns)
    query = f"SELECT {', '.join(columns)} FROM event WHERE position = "
    (one,), (two,) = tamper(ledger, query + str(first)), tamper(ledger, query + str(second))
    tamper(
        ledger,
        f"UPDATE event SET address = randomblob(32) WHERE position = {first}",
        (f"UPDATE event SET {sets} WHERE position = {second}", one),
        (f"UPDATE event SET {sets} WHERE position = {first}", two),
    )


def insert_event(ledger, position, data):
    """Write an event as the ledger would, but for tree and head."""
    values = (position, blake3(data).digest(), merkle.hash_leaf(data), data)
    tamper(
        ledger, ("INSERT INTO event (position, address, leaf, data) VALUES (?, ?, ?, ?)", values)
    )


def other_verdict(ledger, position):
    """Return a recorded verdict's bytes with the contrary in them."""
    ((data,),) = tamper(ledger, f"SELECT data FROM event WHERE position = {position}")
    changed = data.replace(b'"pass"', b'"fail"')
    return changed if changed != data else data.replace(b'"fail"', b'"pass"')


def places(ledger):
    return [finding.where for finding in find(ledger)]


@pytest.mark.parametrize("position", [0, 100, 255, 300, 511, 651])
def test_a_dropped_event_is_a_hole(large, position):
    tamper(large, f"DELETE FROM event WHERE position = {position}")
    assert said(large)[0] == ("missing", f"event {position}")
    assert call_verdict("--ledger", large, "verify").code == 1


def test_a_dropped_stretch_is_one_hole(large):
    tamper(large, "DELETE FROM event WHERE position BETWEEN 300 AND 420")
    assert said(large)[0] == ("missing", "events 300 to 420")


@pytest.mark.parametrize("position", [0, 100, 300, 649])
def test_a_dropped_event_is_found_in_a_tree_grown_anew(large, position):
    drop_event(large, position)
    regrow(large)
    assert {"checkpoint 650", "checkpoint 652", "last-signed"} <= set(places(large))
    assert call_verdict("--ledger", large, "verify").code == 1


def test_a_dropped_end_is_a_rollback_though_the_tree_is_grown_anew(large):
    tamper(large, "DELETE FROM event WHERE position = 651")
    regrow(large)
    assert ("rollback", "last-signed") in said(large)
    called = call_verdict("--ledger", large, "checkpoint")
    assert called.code == 2
    assert "652 events were signed and the log has 651" in called.err


def test_a_head_that_counts_one_event_less_is_named(large):
    tamper(large, "UPDATE head SET size = 651")
    assert ("damage", "head") in said(large)
    assert ("rollback", "last-signed") in said(large)


def test_two_adjacent_tiles_that_are_gone_are_both_named(large):
    tamper(large, "DELETE FROM tile")
    assert said(large) == [("missing", "tile 0/0"), ("missing", "tile 0/1")]


def test_a_tile_too_many_is_named(large):
    tamper(large, 'INSERT INTO tile SELECT 1, 0, hashes FROM tile WHERE "index" = 0')
    assert said(large) == [("damage", "tile 1/0")]


def test_all_artifact_rows_that_are_gone_are_named(large):
    rows = tamper(large, "SELECT address FROM artifact")
    tamper(large, "DELETE FROM artifact")
    named = {where for outcome, where in said(large) if outcome == "missing"}
    # The members of a listing are known by the listing alone, which is gone as well.
    assert len(named) > len(rows) / 2
    assert named <= {f"artifact {unpack_digest(address)}" for (address,) in rows}


def test_each_artifact_row_dropped_in_turn_is_named(small):
    tamper(small)
    whole = (small / "ledger.db").read_bytes()
    rows = tamper(small, "SELECT address FROM artifact")
    for (address,) in rows:
        tamper(small, ("DELETE FROM artifact WHERE address = ?", (address,)))
        assert ("missing", f"artifact {unpack_digest(address)}") in said(small)
        (small / "ledger.db").write_bytes(whole)


def test_each_event_dropped_in_turn_is_named(small):
    tamper(small)
    whole = (small / "ledger.db").read_bytes()
    ((size,),) = tamper(small, "SELECT size FROM head")
    for position in range(size):
        tamper(small, f"DELETE FROM event WHERE position = {position}")
        assert said(small)[0] == ("missing", f"event {position}")
        (small / "ledger.db").write_bytes(whole)


def test_files_that_are_gone_are_all_named(large):
    paths = sorted(large.glob("artifacts/*/*/*"), key=lambda path: path.name)
    for path in paths:
        path.unlink()
    assert said(large) == [("missing", f"artifact blake3:{path.stem}") for path in paths]


def test_projection_rows_that_are_gone_are_named(large):
    tamper(large, "DELETE FROM projection_row WHERE name = 'inventory'")
    assert said(large) == [("missing", "projection inventory")] * 2


def test_a_projection_row_too_many_is_named(large):
    row = "SELECT name, key || '0', value FROM projection_row WHERE name = 'trials' LIMIT 1"
    tamper(large, f"INSERT INTO projection_row {row}")
    assert said(large) == [("damage", "projection trials")]


def test_rebuild_mends_projections_and_nothing_else(large):
    tamper(large, "DELETE FROM projection_row WHERE name = 'inventory'", "DELETE FROM projection")
    assert call_verdict("--ledger", large, "rebuild").code == 0
    assert said(large) == []


@pytest.mark.parametrize(
    ("first", "second"), [(3, 4), (5, 100), (100, 101), (255, 256), (600, 620)]
)
def test_two_events_whose_bytes_changed_places_are_both_named(large, first, second):
    swap(large, first, second, ["data"])
    tamper(large)  # The address that ``swap`` lent stays wrong: both rows are named all the same.
    named = [place for place in places(large) if place.startswith("event ")]
    assert named[:2] == [f"event {first}", f"event {second}"]


@pytest.mark.parametrize(
    ("first", "second"), [(3, 4), (5, 100), (100, 101), (255, 256), (600, 620)]
)
def test_two_events_that_changed_places_are_found_by_the_tree(large, first, second):
    swap(large, first, second, ["address", "leaf", "data"])
    expected = ["head", "checkpoint 652", "last-signed"]
    expected += [f"tile 0/{first // 256}"] if first < 512 else []
    assert set(expected) <= set(places(large))
    regrow(large)
    found = set(places(large))
    assert {"checkpoint 652", "last-signed"} <= found
    assert "head" not in found
    assert call_verdict("--ledger", large, "verify").code == 1


def test_an_event_before_the_one_that_it_names_is_named(large):
    swap(large, 5, 100, ["address", "leaf", "data"])
    regrow(large)
    assert ("missing", "event 5") in said(large)


def test_an_event_written_behind_the_head_is_found(large):
    insert_event(large, 652, other_verdict(large, 322))
    assert said(large) == [("damage", "head")]


def test_an_event_inserted_among_signed_ones_is_found_in_a_tree_grown_anew(large):
    tamper(
        large,
        "UPDATE event SET position = -position - 1 WHERE position >= 330",
        "UPDATE event SET position = -position WHERE position < 0",
    )
    insert_event(large, 330, other_verdict(large, 322))
    regrow(large)
    assert {"checkpoint 650", "checkpoint 652", "last-signed"} <= set(places(large))
    assert "checkpoint 325" not in places(large)


def test_a_rewritten_event_is_found_and_is_not_signed(large):
    tamper(large, ("UPDATE event SET data = ? WHERE position = 322", (other_verdict(large, 322),)))
    regrow(large)
    assert [place for place in places(large) if "proj" not in place] == ALL_SIGNED
    called = call_verdict("--ledger", large, "checkpoint")
    assert called.code == 2
    assert "are not those that were signed" in called.err


def test_what_the_owner_of_the_key_rewrote_and_signed_contradicts_what_was_signed_before(large):
    tamper(large, ("UPDATE event SET data = ? WHERE position = 322", (other_verdict(large, 322),)))
    regrow(large)
    sign_as_owner(large)
    assert [place for place in places(large) if "proj" not in place] == ALL_SIGNED[:2]


def test_a_note_by_another_key_is_no_checkpoint(large, small):
    (small / "signing.key").write_bytes((small / "signing.key").read_bytes())
    ((note,),) = tamper(small, "SELECT note FROM checkpoint LIMIT 1")
    tamper(large, ("INSERT INTO checkpoint VALUES (7, ?)", (note,)))
    (finding,) = find(large)
    assert finding.where == "checkpoint 7"


def test_a_removed_newest_checkpoint_is_told_and_entered_again(large):
    tamper(large, "DELETE FROM checkpoint WHERE size = 652")
    called = call_verdict("--ledger", large, "verify", "--json")
    told = [(finding["outcome"], finding["where"]) for finding in called.json["findings"]]
    assert ("unknown", "checkpoint 652") in told
    assert call_verdict("--ledger", large, "checkpoint").code == 0
    assert tamper(large, "SELECT max(size) FROM checkpoint") == [(652,)]


def test_a_redaction_without_an_event_is_damage(large):
    key = tamper(large, "SELECT address FROM artifact WHERE place = 'row' LIMIT 1")[0]
    tamper(large, ("UPDATE artifact SET place = 'redacted', data = NULL WHERE address = ?", key))
    (finding,) = find(large)
    assert finding.where == f"artifact {unpack_digest(key[0])}"
    assert "no event does" in finding.what


def test_the_bytes_of_a_redacted_file_put_back_are_named(large):
    ((address, codec),) = tamper(
        large, "SELECT address, codec FROM artifact WHERE place = 'redacted' AND codec = 'zstd'"
    )
    assert codec == "zstd"
    place = large / "artifacts" / address.hex()[:2] / address.hex()[2:4]
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{address.hex()}.zst").write_bytes(b"again")
    (finding,) = find(large)
    assert "its bytes are still there" in finding.what
