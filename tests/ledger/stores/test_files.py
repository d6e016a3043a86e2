"""Files keep the port's contract, and recovery undoes what the dead left and nothing else."""

import os
import stat
import subprocess
import sys

import pytest
from blake3 import blake3

from ledger.errors import Damage, StoreUnavailable
from ledger.stores.files import FileBlobs
from ledger.stores.memory import MemoryRecords
from tests.ledger.stores.contract import BlobStoreContract, artifact_row, commit

DATA = b"data"
ADDRESS = blake3(DATA).digest()
ROW = artifact_row(DATA, place="file")


@pytest.fixture
def blobs(tmp_path):
    return FileBlobs(tmp_path)


@pytest.fixture
def records():
    return MemoryRecords()


class TestFileBlobs(BlobStoreContract):
    pass


def place_of(folder, address=ADDRESS):
    name = address.hex()
    return folder / "artifacts" / name[:2] / name[2:4] / name


def staged_in(folder):
    return sorted(p.name for p in folder.glob("staging/*/*") if p.name != "lock")


def die(blobs):
    """Give the lock up without a word, as the kernel does for a process that is gone."""
    os.close(blobs._lock)
    blobs._own = blobs._lock = None


def test_a_published_file_is_named_by_its_address_and_read_only(blobs, tmp_path):
    blobs.publish([blobs.stage(ADDRESS, "plain", DATA), blobs.stage(ADDRESS, "zstd", b"z")])
    place = place_of(tmp_path)
    assert place.read_bytes() == DATA
    assert place.with_name(f"{place.name}.zst").read_bytes() == b"z"
    assert stat.S_IMODE(place.stat().st_mode) == 0o444


def test_nothing_is_made_before_something_is_staged(blobs, records, tmp_path):
    blobs.sweep(records)
    assert blobs.read(ADDRESS, "plain") is None
    blobs.close()
    assert list(tmp_path.iterdir()) == []


def test_closing_leaves_an_empty_staging_folder(blobs, tmp_path):
    staged = blobs.stage(ADDRESS, "plain", DATA)
    blobs.publish([staged])
    blobs.settle([staged])
    blobs.close()
    assert list((tmp_path / "staging").iterdir()) == []


def test_closing_keeps_what_is_staged_for_the_next_sweep(blobs, records, tmp_path):
    blobs.publish([blobs.stage(ADDRESS, "plain", DATA)])
    blobs.close()
    assert len(staged_in(tmp_path)) == 1
    FileBlobs(tmp_path).sweep(records)
    assert list((tmp_path / "staging").iterdir()) == []
    assert not place_of(tmp_path).exists()


@pytest.mark.parametrize("codec", ["plain", "zstd"])
@pytest.mark.parametrize("is_published", [True, False])
def test_a_sweep_removes_what_a_dead_process_did_not_commit(
    blobs, records, tmp_path, codec, is_published
):
    staged = blobs.stage(ADDRESS, codec, DATA)
    if is_published:
        blobs.publish([staged])
    die(blobs)
    blobs.sweep(records)
    assert blobs.read(ADDRESS, codec) is None
    assert list((tmp_path / "staging").iterdir()) == []


def test_a_sweep_keeps_the_file_of_what_was_committed(blobs, records, tmp_path):
    blobs.publish([blobs.stage(ADDRESS, "plain", DATA)])
    commit(records, artifacts=[ROW])
    die(blobs)
    blobs.sweep(records)
    assert blobs.read(ADDRESS, "plain") == DATA
    assert list((tmp_path / "staging").iterdir()) == []


def test_a_sweep_leaves_the_work_of_the_living(blobs, records, tmp_path):
    staged = blobs.stage(ADDRESS, "plain", DATA)
    before = staged_in(tmp_path)
    FileBlobs(tmp_path).sweep(records)
    assert staged_in(tmp_path) == before
    blobs.publish([staged])
    assert blobs.read(ADDRESS, "plain") == DATA


STAGE_AND_WAIT = """
import sys
from pathlib import Path
from ledger.stores.files import FileBlobs
blobs = FileBlobs(Path(sys.argv[1]))
blobs.publish([blobs.stage(bytes.fromhex(sys.argv[2]), "plain", b"data")])
print("staged", flush=True)
sys.stdin.read()
"""


def test_a_killed_process_is_told_from_a_living_one(blobs, records, tmp_path):
    command = [sys.executable, "-c", STAGE_AND_WAIT, tmp_path, ADDRESS.hex()]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"staged\n"
        blobs.sweep(records)
        assert len(staged_in(tmp_path)) == 1
        process.kill()
    blobs.sweep(records)
    assert list((tmp_path / "staging").iterdir()) == []
    assert not place_of(tmp_path).exists()


def test_a_sweep_passes_over_what_is_not_its_own(blobs, records, tmp_path):
    blobs.stage(ADDRESS, "plain", DATA)
    (blobs._own / "notes.txt").write_text("mine")
    (tmp_path / "staging" / ".DS_Store").write_text("mine")
    (tmp_path / "staging" / "empty").mkdir()
    die(blobs)
    blobs.sweep(records)
    assert staged_in(tmp_path) == ["notes.txt"]
    assert (tmp_path / "staging" / ".DS_Store").exists()


def test_a_folder_swept_before_its_owner_held_the_lock_is_made_anew(blobs, records, monkeypatch):
    """A sweeper may come between making the lock file and taking the lock."""
    swept: list[object] = []

    def open_and_sweep(path, *args, **kwargs):
        descriptor = real_open(path, *args, **kwargs)
        if str(path).endswith("lock") and not swept:
            swept.append(path)
            FileBlobs(blobs._artifacts.parent).sweep(records)
        return descriptor

    real_open = os.open
    monkeypatch.setattr(os, "open", open_and_sweep)
    staged = blobs.stage(ADDRESS, "plain", DATA)
    assert swept
    blobs.publish([staged])
    assert blobs.read(ADDRESS, "plain") == DATA


def test_a_file_that_cannot_be_read_is_damage(blobs, tmp_path):
    place_of(tmp_path).mkdir(parents=True)
    with pytest.raises(Damage, match="cannot be read"):
        blobs.read(ADDRESS, "plain")


def test_a_place_that_cannot_be_made_is_said(blobs, tmp_path):
    (tmp_path / "artifacts").write_text("a file in the way")
    staged = blobs.stage(ADDRESS, "plain", DATA)
    with pytest.raises(StoreUnavailable, match="the artifact is not stored"):
        blobs.publish([staged])
    blobs.settle([staged])
    blobs.close()


STAGE_BEYOND_A_LIMIT = """
import resource, sys
from pathlib import Path
from ledger.errors import StoreUnavailable
from ledger.stores.files import FileBlobs
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
blobs = FileBlobs(Path(sys.argv[1]))
try:
    blobs.stage(bytes(32), "plain", bytes(1_000_000))
except StoreUnavailable as error:
    print(error)
blobs.stage(bytes(32), "plain", bytes(50_000))
"""


def test_a_file_that_does_not_fit_is_said_and_leaves_no_half(tmp_path):
    command = [sys.executable, "-c", STAGE_BEYOND_A_LIMIT, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "the artifact is not stored" in done.stdout
    assert [path.stat().st_size for path in tmp_path.glob("staging/*/0*")] == [50_000]
