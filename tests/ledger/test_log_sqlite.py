"""The log on SQLite and files: damage, full disks, killed writers, and eight processes."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard
from blake3 import blake3
from sqlalchemy import event

from ledger.artifact import OCTETS, TEXT
from ledger.codec import CODEC
from ledger.contents import read_artifact
from ledger.digest import pack_digest
from ledger.errors import Damage, StoreUnavailable, UnknownAddress
from ledger.ports import Recorded
from ledger.stores.sql import SqlTransaction
from tests.ledger.ledgers import SqlHome, draft_after, draft_suite
from tests.ledger.stores.sqlite import run_bare
from tests.ledger.trees import mth

ROOT = Path(__file__).parents[2]
NOISE = random.Random(5).randbytes(100_000)


@pytest.fixture
def home(tmp_path):
    home = SqlHome(tmp_path)
    yield home
    home.database.engine.dispose()


@pytest.fixture
def ledger(home):
    with home.open() as ledger:
        yield ledger


def record(ledger, data):
    ref = ledger.put(data, media=OCTETS)
    ledger.append([draft_suite(ledger, "holder", ref)])
    return ref


# Damage


def flips_of(stored):
    """Yield copies of ``stored`` with one byte changed, at both ends and in the middle."""
    for at in {0, 1, 4, len(stored) // 2, len(stored) - 1}:
        yield bytes([*stored[:at], stored[at] ^ 0xFF, *stored[at + 1 :]])


@pytest.mark.parametrize("data", [b"plain", b"packed " * 200, b"packed " * 10_000, NOISE])
def test_stored_bytes_that_changed_are_never_returned(home, ledger, data):
    row = home.records.find_artifact(pack_digest(record(ledger, data).address))
    stored = row.data or home.blobs.read(row.address, row.codec)
    for changed in (*flips_of(stored), stored + b"\x00", stored[:-1], b""):
        with pytest.raises(Damage):
            read_artifact(row._replace(place="row", data=changed), home.blobs)


def test_bytes_that_are_missing_are_damage(home, ledger):
    ref = record(ledger, NOISE)
    home.blobs.delete(pack_digest(ref.address), "plain")
    with pytest.raises(Damage, match="its bytes are missing"):
        ledger.get(ref.address)


def test_a_header_that_announces_more_than_there_is_memory_for_is_damage(home, ledger):
    row = home.records.find_artifact(pack_digest(record(ledger, b"packed " * 200).address))
    # Frame header: magic, a descriptor of an 8-byte size in a single segment, 2^60.
    bomb = b"\x28\xb5\x2f\xfd\xe0" + (2**60).to_bytes(8, "little") + row.data[7:]
    assert zstandard.get_frame_parameters(bomb).content_size == 2**60
    with pytest.raises(Damage, match="cannot be unpacked"):
        read_artifact(row._replace(data=bomb, stored=blake3(bomb).digest()), home.blobs)


def test_a_bit_that_changes_nothing_in_a_compressed_form_shows_all_the_same(home, ledger):
    row = home.records.find_artifact(pack_digest(record(ledger, b"packed " * 200).address))
    flipped = [
        row.data[:at] + bytes([row.data[at] ^ (1 << bit)]) + row.data[at + 1 :]
        for at in range(len(row.data))
        for bit in range(8)
    ]
    for data in flipped:
        with pytest.raises(Damage):
            read_artifact(row._replace(data=data), home.blobs)


def test_an_event_that_changed_is_not_returned(home, ledger):
    root = draft_suite(ledger)
    ledger.append([root])
    changed = root.data.replace(b'"ana"', b'"bob"').hex()
    run_bare(home.path, "DROP TRIGGER event_no_update", f"UPDATE event SET data = x'{changed}'")
    with pytest.raises(Damage, match="event 0: its bytes do not hash"):
        ledger.find(root.address)


def test_a_head_that_is_behind_its_events_is_damage_and_takes_nothing(home, ledger):
    root = draft_suite(ledger)
    ledger.append([root])
    run_bare(home.path, "UPDATE head SET size = 0, frontier = x''")
    with pytest.raises(Damage, match="more events than its head says"):
        ledger.append([draft_after(ledger, root)])
    assert run_bare(home.path, "SELECT count(*) FROM event") == [(1,)]


# Redaction


def test_redacted_bytes_are_on_the_disk_no_more(home, ledger):
    secrets = [b"the secret of row %d" % n for n in range(40)]
    refs = [ledger.put(secret, media=TEXT) for secret in secrets]
    ledger.append([draft_suite(ledger, "s", *refs)])
    large = record(ledger, NOISE)
    for ref in (refs[17], large):
        ledger.redact(ref.address, reason="r")
    kept = b"".join(path.read_bytes() for path in home.files())
    assert secrets[17] not in kept
    assert NOISE[:64] not in kept
    assert all(secret in kept for secret in secrets if secret != secrets[17])


# Full disks


def test_a_full_disk_leaves_nothing_half_written_and_the_batch_goes_in_later(home, ledger):
    root = draft_suite(ledger)
    ledger.append([root])
    before = ledger.head()

    def listener(raw, _):
        raw.execute("PRAGMA max_page_count=60")

    event.listen(home.database.engine, "connect", listener)
    home.database.engine.dispose()
    refs = [ledger.put(NOISE[n : n + 30_000], media=OCTETS) for n in range(20)]
    batch = [draft_suite(ledger, f"{n}", ref) for n, ref in enumerate(refs)]
    with pytest.raises(StoreUnavailable, match="database or disk is full"):
        ledger.append(batch)
    assert ledger.head() == before
    assert run_bare(home.path, "SELECT count(*) FROM event, artifact") == [(2,)]
    with pytest.raises(UnknownAddress):
        ledger.get(refs[0].address)
    event.remove(home.database.engine, "connect", listener)
    home.database.engine.dispose()
    assert [place.position for place in ledger.append(batch)] == list(range(1, 21))
    assert ledger.get(refs[0].address) == NOISE[:30_000]


PUT_BEYOND_A_LIMIT = """
import resource, sys
from pathlib import Path
from ledger.errors import StoreUnavailable
from tests.ledger.ledgers import SqlHome
home = SqlHome(Path(sys.argv[1]))
with home.open() as ledger:
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
    try:
        ledger.put(sys.stdin.buffer.read(), media="text/plain")
    except StoreUnavailable as error:
        print(error.exit_code, error)
    print(ledger.head().size)
home.blobs.close()
"""


def test_an_artifact_that_does_not_fit_is_said_and_the_ledger_goes_on(home, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PUT_BEYOND_A_LIMIT, tmp_path],
        cwd=ROOT, input=NOISE, capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith(b"3 ")
    assert b"the artifact is not stored" in done.stdout
    assert done.stdout.endswith(b"\n0\n")
    assert list((tmp_path / "staging").iterdir()) == []


# Interrupted writers


@pytest.fixture
def broken(monkeypatch):
    """The commit fails after the files are in place."""

    def fail(*args):
        raise StoreUnavailable("fault")

    monkeypatch.setattr(SqlTransaction, "set_head", fail)
    return monkeypatch


def test_a_batch_that_failed_after_its_file_was_placed_goes_in_later(home, ledger, broken):
    draft = draft_suite(ledger, "s", ledger.put(NOISE, media=OCTETS))
    with pytest.raises(StoreUnavailable, match="fault"):
        ledger.append([draft])
    broken.undo()
    assert ledger.append([draft]) == [Recorded(draft.address, 0)]
    assert home.staged() == []


def test_a_file_of_a_batch_that_failed_is_removed_by_the_next_one_to_open(home, broken):
    with home.open() as ledger:
        draft = draft_suite(ledger, "s", ledger.put(NOISE, media=OCTETS))
        with pytest.raises(StoreUnavailable, match="fault"):
            ledger.append([draft])
    home.blobs.close()
    assert [path for path in home.folder.rglob("artifacts/*/*/*") if path.is_file()]
    home.connect()
    home.open().close()
    assert [path for path in home.folder.rglob("artifacts/*/*/*") if path.is_file()] == []
    assert list((home.folder / "staging").iterdir()) == []


WRITE = """
import sys
from pathlib import Path
from ledger.events import SuiteRegistered
from ledger.projections import Keeper
from tests.ledger.ledgers import SqlHome
number = sys.argv[2]
home = SqlHome(Path(sys.argv[1]))
with home.open() as ledger:
    sys.stdin.read(1)
    shared = ledger.put(b"shared by all" * 5_000, media="text/plain")
    for n in range(15):
        size = 50_000 if n % 5 == 0 else 100
        own = ledger.put(f"{number}/{n}/".encode() * size, media="text/plain")
        listing = ledger.put_listing([own, shared])
        body = SuiteRegistered(suite_name=f"{number}/{n}", manifest=own, artifacts=listing)
        print(*ledger.append([ledger.draft(body)])[0], flush=True)
    Keeper(ledger, home.projections).catch_up()
home.blobs.close()
"""


def test_eight_processes_append_to_one_ledger_and_lose_nothing(home, tmp_path):
    command = [sys.executable, "-c", WRITE, tmp_path]
    pipe = subprocess.PIPE
    writers = [
        subprocess.Popen(
            [*command, str(n)], cwd=ROOT, text=True, stdin=pipe, stdout=pipe, stderr=pipe
        )
        for n in range(8)
    ]
    outcomes = [writer.communicate("go") for writer in writers]
    assert [error for _, error in outcomes] == [""] * 8
    acknowledged = {line for output, _ in outcomes for line in output.splitlines()}
    with home.open() as ledger:
        entries = list(ledger.read())
        assert {f"{entry.address} {entry.position}" for entry in entries} == acknowledged
        assert [entry.position for entry in entries] == list(range(120))
        named = [ref.address for e in entries for ref in CODEC.artifacts_of(e.event.body)]
        assert all(ledger.get(address) for address in named)
        leaves = home.records.read_leaves(0, 120)
        assert ledger.head().root == mth(leaves)
    assert list((tmp_path / "staging").iterdir()) == []


def test_an_artifact_of_an_earlier_process_is_looked_up_once(home, ledger, monkeypatch):
    ref = record(ledger, b"known")
    looked_up = []
    find = SqlTransaction.find_artifacts

    def count(transaction, addresses):
        looked_up.extend(addresses)
        return find(transaction, addresses)

    monkeypatch.setattr(SqlTransaction, "find_artifacts", count)
    with home.open() as later:
        for name in ("first", "second"):
            later.append([draft_suite(later, name, ref)])
    assert looked_up.count(pack_digest(ref.address)) == 1
