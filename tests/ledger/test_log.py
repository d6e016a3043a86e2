"""The log, on every pair of stores: positions, batches, artifacts, redaction, threads."""

import hashlib
import random
import threading

import pytest

from ledger.artifact import OCTETS, TEXT, ArtifactRef, describe_artifact
from ledger.codec import CODEC
from ledger.contents import read_listing
from ledger.digest import compute_digest, pack_digest, unpack_digest
from ledger.errors import Damage, MalformedEvent, RedactedArtifact, UnknownAddress
from ledger.events import RunCompleted, SuiteRegistered
from ledger.log import ROW_SIZE_MAX
from ledger.merkle import check_consistency, check_inclusion, hash_leaf
from ledger.ports import Recorded
from tests.ledger.ledgers import MemoryHome, SqlHome, draft_after, draft_suite
from tests.ledger.trees import mth

NOISE = random.Random(5).randbytes(100_000)
NOWHERE = compute_digest(b"nowhere")


@pytest.fixture(params=["memory", "sqlite"])
def home(request, tmp_path):
    if request.param == "memory":
        yield MemoryHome()
    else:
        home = SqlHome(tmp_path)
        yield home
        home.database.engine.dispose()


@pytest.fixture
def ledger(home):
    with home.open() as ledger:
        yield ledger


def record(ledger, data, *, media=OCTETS):
    """Put bytes and record an event that names them."""
    ref = ledger.put(data, media=media)
    ledger.append([draft_suite(ledger, "holder", ref)])
    return ref


# Positions


def test_positions_are_contiguous_over_batches(ledger):
    root = draft_suite(ledger)
    batches = [[root], [draft_after(ledger, root, n) for n in range(300)], [], []]
    batches.append([draft_after(ledger, root, 300)])
    recorded = [place for batch in batches for place in ledger.append(batch)]
    assert [place.position for place in recorded] == list(range(302))
    assert [entry.position for entry in ledger.read()] == list(range(302))
    assert [entry.address for entry in ledger.read()] == [place.address for place in recorded]


def test_what_is_read_is_what_was_appended(ledger):
    root = draft_suite(ledger)
    child = draft_after(ledger, root, 7)
    ledger.append([root, child])
    assert [entry.event for entry in ledger.read()] == [root.event, child.event]
    assert [entry.event for entry in ledger.read(1, 2)] == [child.event]
    assert ledger.find(child.address).position == 1
    assert ledger.find(child.address).event.body.run == root.address


def test_a_ledger_that_is_opened_again_goes_on_where_it_was(home):
    with home.open() as ledger:
        root = draft_suite(ledger)
        ledger.append([root])
    with home.open() as ledger:
        assert ledger.append([draft_after(ledger, root)])[0].position == 1
        assert ledger.append([root]) == [Recorded(root.address, 0)]


def test_the_same_draft_twice_has_one_position(ledger):
    root = draft_suite(ledger)
    first = ledger.append([root])
    assert ledger.append([root]) == first
    child = draft_after(ledger, root)
    again = ledger.append([child, root, child, child])
    assert [place.position for place in again] == [1, 0, 1, 1]
    assert ledger.head().size == 2


def test_the_same_draft_from_many_threads_has_one_position(ledger):
    root = draft_suite(ledger)
    drafts = [draft_after(ledger, root, n) for n in range(5)]
    ledger.append([root])
    futures = [ledger.submit(drafts[n:] + drafts[:n]) for n in range(5) for _ in range(4)]
    places = {place for future in futures for place in future.result()}
    assert sorted(place.position for place in places) == [1, 2, 3, 4, 5]
    assert ledger.head().size == 6


def test_events_of_one_moment_share_their_time(ledger):
    bodies = [RunCompleted(run=NOWHERE, completed=n, failed=0) for n in range(3)]
    assert len({draft.event.at for draft in ledger.draft_all(bodies)}) == 1
    assert len({draft.event.at for draft in map(ledger.draft, bodies)}) == 3


def test_a_draft_is_addressed_and_nothing_is_recorded(ledger):
    draft = draft_suite(ledger)
    assert draft.data == CODEC.encode(draft.event)
    assert draft.address == compute_digest(draft.data) == unpack_digest(draft.raw_address)
    assert draft.leaf == hash_leaf(draft.data)
    assert ledger.head().size == 0


def test_a_draft_of_a_wrong_type_is_refused(ledger):
    with pytest.raises(MalformedEvent):
        ledger.draft(RunCompleted(run=NOWHERE, completed=1.0, failed=0))  # type: ignore[arg-type]


# Batches


def test_a_batch_with_an_unknown_event_leaves_nothing(ledger):
    root = draft_suite(ledger)
    orphan = ledger.draft(RunCompleted(run=NOWHERE, completed=0, failed=0))
    with pytest.raises(UnknownAddress, match=f"names event {NOWHERE}"):
        ledger.append([root, draft_after(ledger, root), orphan])
    assert ledger.head().size == 0
    with pytest.raises(UnknownAddress):
        ledger.find(root.address)
    assert ledger.append([root]) == [Recorded(root.address, 0)]


def test_a_batch_with_unknown_bytes_leaves_nothing(ledger):
    ref = describe_artifact(b"never put", media=TEXT)
    kept = ledger.put(b"put", media=TEXT)
    bad = ledger.draft(SuiteRegistered(suite_name="s", manifest=kept, artifacts=ref))
    with pytest.raises(UnknownAddress, match=f"names artifact {ref.address}"):
        ledger.append([draft_suite(ledger), bad])
    assert ledger.head().size == 0
    with pytest.raises(UnknownAddress):
        ledger.get(kept.address)


def test_a_faulty_batch_does_not_harm_its_neighbours(ledger):
    """The first one keeps the writer waiting; those that come meanwhile are one group."""
    root = draft_suite(ledger)
    good = [draft_after(ledger, root, n) for n in range(4)]
    orphan = ledger.draft(RunCompleted(run=NOWHERE, completed=0, failed=0))
    with ledger._records.begin():
        batches = [[root], good[:2], [good[2], orphan], [good[2]], good[3:]]
        futures = [ledger.submit(batch) for batch in batches]
    assert isinstance(futures[2].exception(), UnknownAddress)
    places = [future.result() for future in futures[:2] + futures[3:]]
    assert [place.position for batch in places for place in batch] == [0, 1, 2, 3, 4]
    assert ledger.head().size == 5


def test_an_event_may_name_earlier_ones_of_its_batch_and_no_later_one(ledger):
    root = draft_suite(ledger)
    child = draft_after(ledger, root)
    with pytest.raises(UnknownAddress, match="which is not earlier in the log"):
        ledger.append([child, root])
    assert ledger.head().size == 0
    assert [place.position for place in ledger.append([root, child])] == [0, 1]


def test_an_artifact_is_not_an_event_and_an_event_no_artifact(ledger):
    """Also while both are remembered as just recorded."""
    ref = record(ledger, b"data")
    event = next(ledger.read()).address
    with pytest.raises(UnknownAddress):
        ledger.append([ledger.draft(RunCompleted(run=ref.address, completed=0, failed=0))])
    false = ArtifactRef(address=event, media=TEXT, sha256=ref.sha256, size=1)
    with pytest.raises(UnknownAddress):
        ledger.append(
            [ledger.draft(SuiteRegistered(suite_name="s", manifest=false, artifacts=ref))]
        )


def test_a_batch_that_waits_cannot_be_cancelled_and_stops_nobody(ledger):
    root = draft_suite(ledger)
    with ledger._records.begin():
        future = ledger.submit([root])
        assert not future.cancel()
    assert future.result() == [Recorded(root.address, 0)]
    assert ledger.append([draft_after(ledger, root)])[0].position == 1


def test_a_large_batch_is_one_batch(ledger):
    root = draft_suite(ledger)
    orphan = ledger.draft(RunCompleted(run=NOWHERE, completed=0, failed=0))
    drafts = [root, *(draft_after(ledger, root, n) for n in range(2_500))]
    with pytest.raises(UnknownAddress):
        ledger.append([*drafts, orphan])
    assert ledger.head().size == 0
    assert len(ledger.append(drafts)) == ledger.head().size == 2_501


# Artifacts


@pytest.mark.parametrize(
    ("data", "place", "codec"),
    [
        (b"", "row", "plain"),
        (b"a", "row", "plain"),
        (b"a" * 1_023, "row", "plain"),
        (b"a" * 1_024, "row", "zstd"),
        (NOISE[:1_024], "row", "plain"),
        (b"a" * ROW_SIZE_MAX, "row", "zstd"),
        (NOISE[:32_768], "row", "plain"),
        (NOISE[:32_769], "file", "plain"),
        (b"a" * 32_769, "file", "zstd"),
        (b"ab" * 5_000_000, "file", "zstd"),
        (NOISE * 100 + NOISE[:1], "file", "zstd"),
        (random.Random(6).randbytes(10_000_000), "file", "plain"),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{len(value)}-{value[:1].hex()}",
)
def test_bytes_come_back_whatever_their_size(home, ledger, data, place, codec):
    ref = record(ledger, data)
    assert (ref.size, ref.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert ledger.get(ref.address) == data
    row = home.records.find_artifact(pack_digest(ref.address))
    assert (row.place, row.codec) == (place, codec)
    assert home.staged() == []


def test_bytes_count_only_once_an_event_names_them(ledger):
    ref = ledger.put(b"data", media=TEXT)
    with pytest.raises(UnknownAddress, match="no artifact"):
        ledger.get(ref.address)
    ledger.append([draft_suite(ledger, "s", ref)])
    assert ledger.get(ref.address) == b"data"


def test_a_listing_carries_its_members(home, ledger):
    members = [ledger.put(data, media=TEXT) for data in (b"one", NOISE, b"two")]
    listing = ledger.put_listing([*members, members[0]])
    root = ledger.put(b"{}", media=TEXT)
    body = SuiteRegistered(suite_name="s", manifest=root, artifacts=listing)
    ledger.append([ledger.draft(body)])
    assert [ledger.get(ref.address) for ref in members] == [b"one", NOISE, b"two"]
    expected = sorted(members, key=lambda ref: ref.address)
    assert read_listing(ledger.get(listing.address)) == expected


def test_a_listing_carries_the_members_of_a_listing_in_it(ledger):
    inner = ledger.put_listing([ledger.put(b"deep", media=TEXT)])
    ledger.append([draft_suite(ledger, "s", inner)])
    assert ledger.get(compute_digest(b"deep")) == b"deep"


def test_a_listing_with_a_member_that_was_never_put_is_refused(ledger):
    draft = draft_suite(ledger, "s", describe_artifact(b"never put", media=TEXT))
    with pytest.raises(UnknownAddress, match="never put"):
        ledger.append([draft])
    assert ledger.head().size == 0


def test_recorded_bytes_may_be_named_again_by_a_later_process(home):
    for n in range(2):
        with home.open() as ledger:
            ledger.append([draft_suite(ledger, f"{n}", ledger.put(NOISE, media=TEXT))])
            assert ledger.get(compute_digest(NOISE)) == NOISE
    assert home.staged() == []


def test_bytes_recorded_in_one_batch_may_be_named_in_the_next_without_putting(home):
    with home.open() as ledger:
        ref = record(ledger, b"data")
    with home.open() as ledger:
        body = SuiteRegistered(suite_name="s", manifest=ref, artifacts=ref)
        assert ledger.append([ledger.draft(body)])[0].position == 1


def test_closing_forgets_bytes_that_nobody_named(home):
    with home.open() as ledger:
        ref = ledger.put(NOISE, media=TEXT)
        assert len(home.staged()) == 1
    assert home.staged() == []
    with home.open() as ledger, pytest.raises(UnknownAddress):
        ledger.get(ref.address)


def test_two_threads_that_put_the_same_bytes_stage_them_once(home, ledger):
    barrier = threading.Barrier(4)

    def put():
        barrier.wait()
        ledger.put(NOISE, media=TEXT)

    threads = [threading.Thread(target=put) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(home.staged()) == 1
    assert ledger.get(record(ledger, NOISE).address) == NOISE


def test_an_event_that_is_not_there_is_not_found(ledger):
    with pytest.raises(UnknownAddress, match="no event"):
        ledger.find(NOWHERE)
    with pytest.raises(UnknownAddress, match="no artifact"):
        ledger.get(NOWHERE)


# Redaction


@pytest.mark.parametrize("data", [b"a secret", NOISE], ids=["row", "file"])
def test_redacted_bytes_are_gone_and_every_proof_holds(home, ledger, data):
    ref = record(ledger, data)
    size, root = ledger.head().size, ledger.head().root
    place = ledger.redact(ref.address, reason="a name", authority="GDPR 17")
    with pytest.raises(RedactedArtifact, match="its bytes are gone"):
        ledger.get(ref.address)
    assert home.blobs.read(pack_digest(ref.address), "plain") is None
    body = ledger.find(place.address).event.body
    assert (body.artifact.address, body.reason, body.authority) == (
        ref.address,
        "a name",
        "GDPR 17",
    )
    assert next(ledger.read()).event.body.manifest == ref
    proof = ledger.prove_consistency(size, size + 1)
    check_consistency(size, size + 1, root, ledger.head().root, proof)
    check_inclusion(_leaves(home)[0], 0, 2, ledger.prove_inclusion(0, 2), ledger.head().root)


def test_redacted_bytes_stay_gone_though_they_are_put_again(home):
    with home.open() as ledger:
        for data in (b"a secret", NOISE):
            ledger.redact(record(ledger, data).address, reason="r")
    for _ in range(2):
        with home.open() as ledger:
            for data in (b"a secret", NOISE):
                ref = record(ledger, data)
                with pytest.raises(RedactedArtifact):
                    ledger.get(ref.address)
    assert home.staged() == []


def test_an_artifact_is_redacted_once(home, ledger):
    ref = record(ledger, NOISE)
    ledger.redact(ref.address, reason="r")
    staged = home.blobs.stage(pack_digest(ref.address), "plain", NOISE)
    home.blobs.publish([staged])  # as if the program had been killed before it deleted the file
    home.blobs.settle([staged])
    with pytest.raises(RedactedArtifact):
        ledger.redact(ref.address, reason="r")
    assert home.blobs.read(pack_digest(ref.address), "plain") is None
    assert ledger.head().size == 2


def test_what_was_never_recorded_is_not_redacted(ledger):
    ref = ledger.put(b"data", media=TEXT)
    with pytest.raises(UnknownAddress):
        ledger.redact(ref.address, reason="r")
    assert ledger.head().size == 0


# The tree


def _leaves(home):
    return [row.leaf for row in home.records.read_events(0, 10**9)]


def test_the_head_is_the_root_of_the_leaves_however_they_came(home, ledger):
    root = draft_suite(ledger)
    ledger.append([root])
    n = 0
    for size in (1, 254, 1, 300, 7, 600):
        ledger.append([draft_after(ledger, root, n := n + 1) for _ in range(size)])
        assert ledger.head().root == mth(_leaves(home))
    tiles = list(home.records.read_tiles())
    assert [(tile.level, tile.index) for tile in tiles] == [(0, n) for n in range(4)]
    assert b"".join(tile.hashes for tile in tiles) == b"".join(_leaves(home)[:1024])


def test_every_event_is_proved_in_every_larger_tree(home, ledger):
    root = draft_suite(ledger)
    ledger.append([root, *(draft_after(ledger, root, n) for n in range(520))])
    leaves = _leaves(home)
    for size in (1, 2, 3, 256, 257, 521):
        for position in {0, size // 2, size - 1}:
            proof = ledger.prove_inclusion(position, size)
            check_inclusion(leaves[position], position, size, proof, mth(leaves[:size]))
        proof = ledger.prove_consistency(size, 521)
        check_consistency(size, 521, mth(leaves[:size]), ledger.head().root, proof)


# Threads


def test_appends_of_many_threads_are_all_there_once(ledger):
    root = draft_suite(ledger)
    ledger.append([root])
    places = []

    def append(number):
        for n in range(10):
            ref = ledger.put(b"%d/%d" % (number, n), media=TEXT)
            batch = [
                draft_suite(ledger, f"{number}", ref),
                draft_after(ledger, root, number * 10 + n),
            ]
            places.append(ledger.append(batch))

    threads = [threading.Thread(target=append, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(second.position == first.position + 1 for first, second in places)
    positions = sorted(place.position for batch in places for place in batch)
    assert positions == list(range(1, 321))
    assert ledger.head().size == 321


def test_reading_goes_on_while_others_write(ledger):
    root = draft_suite(ledger)
    ledger.append([root, *(draft_after(ledger, root, n) for n in range(1_500))])
    entries = ledger.read()
    first = next(entries)
    ledger.append([draft_after(ledger, root, 9_999)])
    assert first.position == 0
    assert [entry.position for entry in entries] == list(range(1, 1_501))


# Damage


def test_a_listing_that_is_none_is_damage():
    for data in (b"1", b"[[1]]", b'{"a":1}', b'[["a","b","c","d","e"]]'):
        with pytest.raises(Damage, match="not a listing"):
            read_listing(data)
