"""One changed byte in each stored thing: found, named, and no other thing blamed for it."""

import pytest

from ledger.digest import unpack_digest
from ledger.projections import TRIALS
from ledger.verify import verification
from tests.tampering.forgery import (
    TABLES,
    change,
    dump,
    find,
    flip,
    flip_file,
    said,
    sweep,
    tamper,
)
from tests.trials.runs import call_verdict


def first_row(ledger, table, where="1"):
    """Return the primary key of a row."""
    key = '", "'.join(TABLES[table])
    return tamper(ledger, f'SELECT "{key}" FROM {table} WHERE {where} ORDER BY "{key}"')[0]


def test_a_clean_ledger_is_whole_in_words_and_in_json(large):
    called = call_verdict("--ledger", large, "verify")
    assert called.code == 0
    assert "the record is whole" in called.out
    told = call_verdict("--ledger", large, "verify", "--json")
    assert (told.code, told.json["exit"]) == (0, 0)
    assert told.json["checked"] == {
        "artifacts": 167,
        "checkpoints": 3,
        "events": 652,
        "projection_rows": 484,
        "redacted": 2,
        "tiles": 2,
    }
    assert {finding["outcome"] for finding in told.json["findings"]} == {"redacted"}


@pytest.mark.parametrize(
    ("table", "where", "column", "finding"),
    [
        ("event", "position = 600", "leaf", ("event 600", "leaf hash is not that of its bytes")),
        ("event", "position = 100", "leaf", ("event 100", "leaf hash is not that of its bytes")),
        ("tile", '"index" = 0', "hashes", ("tile 0/0", "not those of the events below it")),
        ("tile", '"index" = 1', "hashes", ("tile 0/1", "not those of the events below it")),
        ("head", "1", "root", ("head", "its root is not the root of the events")),
        ("head", "1", "frontier", ("head", "its frontier is not that of the events")),
        ("ledger", "1", "verifier", ("public key", "the key id does not belong to name and key")),
        ("checkpoint", "size = 325", "note", ("checkpoint 325", "does not hold")),
        ("checkpoint", "size = 652", "note", ("checkpoint 652", "does not hold")),
        ("checkpoint", "size = 325", "size", ("checkpoint 324", "states size 325")),
        ("checkpoint", "size = 652", "size", ("checkpoint 653", "states size 652")),
        ("projection", "name = 'trials'", "position", ("projection trials", "read 653 events")),
        ("projection", "name = 'trials'", "name", ("projection trials", "it has rows")),
        ("projection_row", "name = 'scorecard'", "value", ("projection scorecard", "another one")),
        ("projection_row", "name = 'scorecard'", "name", ("projection scorecard", "is not there")),
    ],
)
def test_a_changed_byte_of_a_row_is_one_finding(large, table, where, column, finding):
    place, what = finding
    change(large, table, column, first_row(large, table, where), flip)
    (found,) = find(large)
    assert found.where == place
    assert what in found.what
    assert call_verdict("--ledger", large, "verify").code == 1


@pytest.mark.parametrize("position", [0, 1, 100, 255, 256, 325, 511, 600, 651])
@pytest.mark.parametrize("column", ["data", "address"])
def test_a_changed_event_is_named_once_and_the_tree_is_not_blamed(large, position, column):
    change(large, "event", column, (position,), flip)
    findings = find(large)
    first, *others = findings
    assert first.where == f"event {position}"
    assert "its bytes do not hash to its address" in first.what
    # What rests on it can no longer be checked, or no longer finds it; the tree stands.
    kinds = {finding.where.split()[0] for finding in others}
    assert kinds <= {"event", "artifact", "projection"}
    assert call_verdict("--ledger", large, "verify").code == 1


@pytest.mark.parametrize("place", ["row", "file", "redacted"])
@pytest.mark.parametrize("column", ["sha256", "size", "codec", "stored", "place", "data"])
def test_a_changed_byte_of_an_artifacts_row_is_one_finding(large, place, column):
    filled = "data IS NOT NULL" if column == "data" and place == "row" else "1"
    key = first_row(large, "artifact", f"place = '{place}' AND {filled}")
    if column == "data" and place != "row":
        change(large, "artifact", "data", key, lambda _: b"some bytes")
        if place == "file":
            return  # Its file is read, and the column is not looked at.
    else:
        change(large, "artifact", column, key, flip)
    (finding,) = find(large)
    assert finding.where == f"artifact {unpack_digest(key[0])}"
    assert call_verdict("--ledger", large, "verify").code == 1


@pytest.mark.parametrize("place", ["row", "file", "redacted"])
def test_an_artifact_under_another_address_is_missed_and_unmasked(large, place):
    (address,) = key = first_row(large, "artifact", f"place = '{place}'")
    change(large, "artifact", "address", key, flip)
    assert sorted(finding.where for finding in find(large)) == sorted(
        f"artifact {unpack_digest(raw)}" for raw in (address, flip(address))
    )


@pytest.mark.parametrize("at", [0, 20, 100, -1])
def test_a_changed_file_is_one_finding(large, at):
    path = sorted(large.glob("artifacts/*/*/*"))[3]
    flip_file(path, at)
    (finding,) = find(large)
    assert finding.where == f"artifact blake3:{path.stem}"
    assert call_verdict("--ledger", large, "verify").code == 1


@pytest.mark.parametrize("data", [b"", b"not the answer", bytes(60_000)])
def test_a_file_with_other_bytes_is_one_finding(large, data):
    path = min(large.glob("artifacts/*/*/*"))
    path.chmod(0o644)
    path.write_bytes(data)
    (finding,) = find(large)
    assert finding.where == f"artifact blake3:{path.stem}"


def test_every_byte_of_the_last_signed_note_counts(small):
    path = small / "last-signed"
    note = path.read_bytes()
    for at in range(len(note)):
        path.write_bytes(flip(note, at))
        assert [finding.where for finding in find(small)] == ["last-signed"], at


def test_every_byte_of_the_key_itself_counts(small):
    path = small / "signing.key"
    lines = path.read_bytes().split(b"\n")
    start = len(lines[0]) + 1
    for at in range(start, start + len(lines[1])):
        path.chmod(0o600)
        path.write_bytes(flip(b"\n".join(lines), at))
        assert [finding.where for finding in find(small)] == ["signing key"], at


def test_a_key_of_another_log_is_named_and_the_notes_are_not_blamed(small, large):
    (small / "signing.key").write_bytes((large / "signing.key").read_bytes())
    (finding,) = find(small)
    assert (finding.where, finding.what) == (
        "signing key",
        "it is not the key that the log names as its own",
    )
    assert call_verdict("--ledger", small, "verify").code == 1
    assert call_verdict("--ledger", small, "checkpoint").code == 2


def test_a_projection_of_a_version_that_never_was_is_damage(large):
    change(large, "projection", "version", ("trials",), flip)
    assert said(large) == [("damage", "projection trials")]


def test_a_projection_of_a_version_to_come_cannot_be_verified(large):
    change(large, "projection", "version", ("trials",), lambda version: version + 6)
    assert said(large) == [("unfinished", "projection trials")]
    assert call_verdict("--ledger", large, "verify").code == 2


def test_a_projection_of_an_older_version_is_told_and_folded_again(large, monkeypatch):
    monkeypatch.setattr(TRIALS, "version", 2)
    called = call_verdict("--ledger", large, "verify", "--json")
    assert called.code == 0
    assert ("unknown", "projection trials") in [
        (finding["outcome"], finding["where"]) for finding in called.json["findings"]
    ]
    assert call_verdict("--ledger", large, "scorecard").code == 0
    assert call_verdict("--ledger", large, "verify").code == 0


@pytest.mark.parametrize("table", TABLES)
def test_each_stored_value_in_turn_is_found_and_named(small, table):
    swept = sweep(small, table)
    # A single row's ``id`` says nothing, nor how far a projection has read that has no row.
    tables = dump(small)
    filled = {row[0] for row in tables["projection_row"]}
    empty = {row[0] for row in tables["projection"]} - filled
    silent = {f"projection {name!r} {column}" for name in empty for column in ("name", "position")}
    assert {place for place, names in swept if not names} <= silent
    rows = tables[table]
    without = {"ledger": 1, "head": 1, "event": 1}.get(table, 0)
    assert len(swept) == sum(len(row) - row.count(None) - without for row in rows)


def test_several_processes_find_what_one_finds(large, monkeypatch):
    change(large, "event", "data", (100,), flip)
    change(large, "tile", "hashes", (0, 1), flip)
    change(large, "projection_row", "value", first_row(large, "projection_row"), flip)
    alone = find(large)
    monkeypatch.setattr(verification, "SPREAD_EVENTS", 1)
    monkeypatch.setattr(verification, "RANGE_EVENTS", 100)
    monkeypatch.setattr(verification, "_cores", lambda: 2)
    assert find(large) == alone


def test_all_events_changed_at_once_are_all_listed(large):
    data = tamper(large, "SELECT data, position FROM event")
    tamper(
        large, *[("UPDATE event SET data = ? WHERE position = ?", (flip(d, 9), p)) for d, p in data]
    )
    named = [finding.where for finding in find(large) if finding.where.startswith("event ")]
    assert named == [f"event {position}" for position in range(652)]


def test_all_inline_artifacts_changed_at_once_are_all_listed(large):
    rows = tamper(large, "SELECT data, address FROM artifact WHERE place = 'row'")
    tamper(
        large, *[("UPDATE artifact SET data = ? WHERE address = ?", (flip(d), a)) for d, a in rows]
    )
    assert [finding.where for finding in find(large)] == [
        f"artifact {unpack_digest(address)}" for _, address in sorted(rows, key=lambda row: row[1])
    ]


def test_all_files_changed_at_once_are_all_listed(large):
    paths = sorted(large.glob("artifacts/*/*/*"), key=lambda path: path.name)
    for path in paths:
        flip_file(path, 50)
    assert [finding.where for finding in find(large)] == [
        f"artifact blake3:{path.stem}" for path in paths
    ]
