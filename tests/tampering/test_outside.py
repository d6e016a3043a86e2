"""Rows where no row of the log can be, and things of the wrong kind in the place of files."""

import pytest
from blake3 import blake3

from ledger import merkle
from ledger.digest import unpack_digest
from tests.tampering.forgery import find, flip_file, said, tamper
from tests.trials.runs import call_verdict

FORGED = "INSERT INTO event (position, address, leaf, data) VALUES (?, ?, ?, ?)"


def forge(ledger, position):
    """Insert a changed copy of the first verdict at ``position``; return its address."""
    rows = tamper(ledger, "SELECT data FROM event ORDER BY position")
    old = next(data for (data,) in rows if b'"verdict":"fail"' in data)
    data = old.replace(b'"verdict":"fail"', b'"verdict":"pass"')
    address = blake3(data).digest()
    tamper(ledger, (FORGED, (position, address, merkle.hash_leaf(data), data)))
    return unpack_digest(address)


@pytest.mark.parametrize("position", [-1, -(2**63), 2**62 + 5, 2**63 - 1])
def test_an_event_outside_the_log_is_found_and_is_no_evidence(small, position):
    address = forge(small, position)
    assert ("damage", "head") in said(small)
    called = call_verdict("--ledger", small, "trace", address)
    assert called.code == 2
    assert "the log does not reach there" in called.err


def test_a_folder_in_the_place_of_a_file_hides_no_other_damage(large):
    first, second, *_ = sorted(path for path in (large / "artifacts").rglob("*") if path.is_file())
    first.unlink()
    first.mkdir()
    flip_file(second)
    assert {finding.where[16:] for finding in find(large)} == {
        first.name.removesuffix(".zst"),
        second.name.removesuffix(".zst"),
    }


def test_a_rebuild_never_folds_a_damaged_event(small):
    tamper(
        small,
        'UPDATE event SET data = CAST(replace(CAST(data AS TEXT), \'"verdict":"fail"\', '
        '\'"verdict":"pass"\') AS BLOB)',
    )
    called = call_verdict("--ledger", small, "rebuild")
    assert called.code == 2
    assert "its bytes do not hash to its address" in called.err
