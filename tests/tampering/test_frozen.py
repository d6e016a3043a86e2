"""A ledger on a medium that cannot be written is verified all the same."""

import pytest

from tests.tampering.forgery import flip_file
from tests.trials.runs import call_verdict


@pytest.fixture
def frozen(large, monkeypatch):
    """A ledger in a folder that says that it cannot be written."""
    monkeypatch.setattr("cli.setting._is_frozen", lambda _folder: True)
    return large


def test_a_ledger_that_cannot_be_written_is_verified_and_not_touched(frozen):
    before = sorted((path, path.stat().st_mtime_ns) for path in frozen.rglob("*"))
    assert call_verdict("--ledger", frozen, "verify").code == 0
    assert sorted((path, path.stat().st_mtime_ns) for path in frozen.rglob("*")) == before


def test_its_damage_is_found(frozen):
    flip_file(frozen / "last-signed")
    called = call_verdict("--ledger", frozen, "verify")
    assert called.code == 1
    assert "last-signed" in called.out


def test_commits_that_only_a_writer_could_read_are_not_passed_over(frozen):
    (frozen / "ledger.db-wal").write_bytes(b"commits")
    called = call_verdict("--ledger", frozen, "verify")
    assert called.code == 2
    assert "copy the folder to where it can be written" in called.err
