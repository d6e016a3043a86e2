"""An older copy of the database, of the note that was signed last, or of the key."""

import shutil

import pytest

from cli.setting import open_ledger
from tests.tampering.forgery import find, said
from tests.trials.runs import call_verdict, run_suite, write_suite
from trials.run import draft_suite
from trials.suite import load_suite


def go_on(ledger, suite):
    """Record and sign one more run; that an answer of it is redacted fails its gate."""
    assert run_suite(ledger, suite).code in (0, 1)


@pytest.fixture
def rolled_back(small, tmp_path):
    """A ledger whose database is an older copy; everything else is as it was."""
    kept = shutil.copy(small / "ledger.db", tmp_path / "kept.db")
    go_on(small, write_suite(tmp_path / "suite", 3))
    shutil.copy(kept, small / "ledger.db")
    return small


def test_an_older_database_is_a_rollback_and_no_damage(rolled_back):
    (finding,) = find(rolled_back)
    assert (finding.outcome, finding.where) == ("rollback", "last-signed")
    assert "events were signed and the log has 31" in finding.what
    assert "older copy of the database" in finding.what
    called = call_verdict("--ledger", rolled_back, "verify", "--json")
    assert called.code == called.json["exit"] == 1


def test_an_older_database_is_not_signed(rolled_back):
    before = (rolled_back / "last-signed").read_bytes()
    called = call_verdict("--ledger", rolled_back, "checkpoint")
    assert called.code == 2
    assert "an older copy of the database was put back" in called.err
    assert (rolled_back / "last-signed").read_bytes() == before


def test_nothing_is_added_to_an_older_database(rolled_back, tmp_path):
    called = run_suite(rolled_back, write_suite(tmp_path / "other", 9))
    assert called.code == 2
    assert "an older copy of the database was put back" in called.err
    assert [finding.outcome for finding in find(rolled_back)] == ["rollback"]


def test_an_older_database_written_on_says_so(rolled_back, tmp_path):
    suite = load_suite(write_suite(tmp_path / "other", 9))
    with open_ledger(rolled_back) as opened:
        opened.ledger.append([draft_suite(opened.ledger, suite) for _ in range(100)])
    (finding,) = find(rolled_back)
    assert (finding.outcome, finding.where) == ("damage", "last-signed")
    assert "an older copy was put back and written on" in finding.what
    called = call_verdict("--ledger", rolled_back, "checkpoint")
    assert called.code == 2
    assert "an older copy was put back and written on" in called.err


def test_the_newest_database_put_back_is_whole_again(small, tmp_path):
    kept = shutil.copy(small / "ledger.db", tmp_path / "kept.db")
    go_on(small, write_suite(tmp_path / "suite", 3))
    newest = shutil.copy(small / "ledger.db", tmp_path / "newest.db")
    shutil.copy(kept, small / "ledger.db")
    shutil.copy(newest, small / "ledger.db")
    assert said(small) == []
    assert call_verdict("--ledger", small, "checkpoint").code == 0


def test_an_older_last_signed_note_is_a_rollback(small, tmp_path):
    kept = shutil.copy(small / "last-signed", tmp_path / "kept")
    go_on(small, write_suite(tmp_path / "suite", 3))
    shutil.copy(kept, small / "last-signed")
    (finding,) = find(small)
    assert (finding.outcome, finding.where) == ("rollback", "last-signed")
    assert "older copy of the file was put back" in finding.what


def test_a_deleted_last_signed_note_is_missed_and_nothing_is_signed(small):
    (small / "last-signed").unlink()
    assert said(small) == [("missing", "last-signed")]
    assert call_verdict("--ledger", small, "verify").code == 1
    called = call_verdict("--ledger", small, "checkpoint")
    assert called.code == 2
    assert "put it back" in called.err


def test_a_copy_without_the_key_is_named_so_and_is_as_whole_as_the_other(small):
    (small / "signing.key").unlink()
    assert said(small) == []
    called = call_verdict("--ledger", small, "verify")
    assert called.code == 0
    assert "signing key: it is not here" in called.out
    assert call_verdict("--ledger", small, "checkpoint").code == 2


def test_no_file_of_artifacts_that_is_gone_is_called_a_rollback(large):
    shutil.rmtree(large / "artifacts")
    assert {outcome for outcome, _ in said(large)} == {"missing"}
