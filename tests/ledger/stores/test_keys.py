"""The key is its owner's alone, and what was signed last is remembered before it is handed out."""

import stat

import pytest

from ledger.checkpoint import Checkpoint, open_note
from ledger.errors import Damage, StoreUnavailable
from ledger.stores.keys import FileSigner, make_key, read_last_signed

ORIGIN = "example.com/log"


def checkpoint_of(size):
    return Checkpoint(origin=ORIGIN, size=size, root=bytes(32))


@pytest.fixture
def signer(tmp_path):
    make_key(tmp_path)
    return FileSigner(tmp_path, ORIGIN)


def test_a_key_is_readable_by_its_owner_alone_and_never_replaced(signer, tmp_path):
    path = tmp_path / "signing.key"
    before = path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        make_key(tmp_path)
    assert path.read_bytes() == before


def test_what_was_signed_last_is_remembered(signer, tmp_path):
    assert signer.last_signed() is None
    signer.sign(checkpoint_of(1))
    note = signer.sign(checkpoint_of(2))
    again = FileSigner(tmp_path, ORIGIN)
    assert again.last_signed() == read_last_signed(tmp_path) == note
    assert open_note(note, again.verifier) == checkpoint_of(2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["last-signed", "signing.key"]


def test_nothing_is_handed_out_that_could_not_be_remembered(signer, tmp_path):
    (tmp_path / "last-signed").mkdir()
    with pytest.raises(StoreUnavailable, match="nothing was signed"):
        signer.sign(checkpoint_of(1))


@pytest.mark.parametrize("content", [b"", b"garbage", b"-----BEGIN PRIVATE KEY-----\nAAAA\n"])
def test_a_file_that_holds_no_key_is_damage(tmp_path, content):
    (tmp_path / "signing.key").write_bytes(content)
    with pytest.raises(Damage, match="no readable signing key"):
        FileSigner(tmp_path, ORIGIN)


def test_a_garbled_memory_is_shown_as_it_can_be(signer, tmp_path):
    (tmp_path / "last-signed").write_bytes(b"\xff note")
    assert signer.last_signed() == "\ufffd note"
