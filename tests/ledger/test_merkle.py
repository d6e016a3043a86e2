"""The tree is RFC 6962's: vectors of others, its definitions, and what damaged proofs get."""

import random
from hashlib import sha256

import pymerkle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.errors import Damage, InvalidProof
from ledger.merkle import (
    EMPTY_ROOT,
    PROOF_LENGTH_MAX,
    Tile,
    check_consistency,
    check_inclusion,
    compute_root,
    hash_leaf,
    hash_node,
    hash_range,
    prove_consistency,
    prove_inclusion,
    push_leaf,
    push_leaves,
)
from tests.ledger.trees import CT_LEAVES, CT_ROOTS, Tree, holds_consistency, mth, path, proof

DATA = [f"event {n}".encode() for n in range(1_000)]
LEAVES = [hash_leaf(data) for data in DATA]
SIZES = [*range(131), *sorted(random.Random(6962).sample(range(131, 1_000), 8))]
ATTACKER = sha256(b"attacker").digest()


@pytest.fixture(scope="module")
def tree():
    return Tree(LEAVES)


@pytest.fixture(scope="module")
def oracle():
    oracle = pymerkle.InmemoryTree(algorithm="sha256")
    for data in DATA:
        oracle.append_entry(data)
    return oracle


def root_of(size):
    return compute_root(Tree(LEAVES[:size]).frontier)


# Known answers


@pytest.mark.parametrize("size", range(9))
def test_the_roots_are_those_of_certificate_transparency(size):
    tree = Tree([hash_leaf(data) for data in CT_LEAVES[:size]])
    assert compute_root(tree.frontier).hex() == CT_ROOTS[size]
    assert hash_range(tree, 0, size).hex() == CT_ROOTS[size]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (1, 1, []),
        (
            1,
            8,
            [
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ],
        ),
        (
            6,
            8,
            [
                "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ],
        ),
        (
            2,
            5,
            [
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            ],
        ),
    ],
)
def test_the_consistency_proofs_are_those_of_certificate_transparency(old, new, expected):
    tree = Tree([hash_leaf(data) for data in CT_LEAVES])
    assert [sibling.hex() for sibling in prove_consistency(tree, old, new)] == expected


@pytest.mark.parametrize(
    ("position", "size", "expected"),
    [
        (
            0,
            8,
            [
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ],
        ),
        (
            5,
            8,
            [
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ],
        ),
        (2, 3, ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
    ],
)
def test_the_inclusion_proofs_are_those_of_certificate_transparency(position, size, expected):
    tree = Tree([hash_leaf(data) for data in CT_LEAVES])
    assert [sibling.hex() for sibling in prove_inclusion(tree, position, size)] == expected


def test_leaves_and_nodes_are_told_apart_by_their_first_byte():
    assert hash_leaf(b"ab") == sha256(b"\x00ab").digest()
    assert hash_node(b"a", b"b") == sha256(b"\x01ab").digest()
    assert sha256(b"").digest() == EMPTY_ROOT == compute_root([])


# Against pymerkle, and the definitions


@pytest.mark.parametrize("size", SIZES)
def test_roots_and_inclusion_paths_equal_those_of_pymerkle(tree, oracle, size):
    if size == 0:
        assert compute_root([]) == oracle.get_root(0)
        return
    root = oracle.get_root(size)
    assert hash_range(tree, 0, size) == root_of(size) == root
    for position in {*range(min(size, 8)), size // 2, size - 1}:
        found = prove_inclusion(tree, position, size)
        theirs = oracle.prove_inclusion(position + 1, size).path
        theirs.remove(LEAVES[position])  # it counts from 1, and its path holds the leaf itself
        assert found == theirs
        check_inclusion(LEAVES[position], position, size, found, root)


@pytest.mark.parametrize("size", range(1, 66))
def test_proofs_are_the_definitions_of_rfc_6962(tree, size):
    leaves = LEAVES[:size]
    for m in range(size):
        assert prove_inclusion(tree, m, size) == path(m, leaves)
        assert prove_consistency(tree, m + 1, size) == proof(m + 1, leaves)


@pytest.mark.parametrize("new", [*range(2, 34), 64, 65, 255, 256, 257, 511, 1_000])
def test_consistency_proofs_hold_by_rfc_9162(tree, new):
    new_root = root_of(new)
    for old in {*range(1, min(new, 34)), new // 2, new - 1}:
        found = prove_consistency(tree, old, new)
        assert holds_consistency(old, new, root_of(old), new_root, found)
        check_consistency(old, new, root_of(old), new_root, found)


# Damaged proofs


def damaged(hashes):
    """Yield every way in which a proof is not what it was."""
    for at, sibling in enumerate(hashes):
        yield [*hashes[:at], bytes([sibling[0] ^ 1]) + sibling[1:], *hashes[at + 1 :]]
        yield [*hashes[:at], sibling[:-1] + bytes([sibling[-1] ^ 0x80]), *hashes[at + 1 :]]
        yield [*hashes[:at], *hashes[at + 1 :]]
        yield [*hashes[:at], sibling, *hashes[at:]]
        yield [*hashes[:at], sibling[:-1], *hashes[at + 1 :]]
        yield [*hashes[:at], ATTACKER, *hashes[at:]]
        if at and hashes[at - 1] != sibling:
            yield [*hashes[: at - 1], sibling, hashes[at - 1], *hashes[at + 1 :]]
    yield [*hashes, ATTACKER]
    yield [*hashes, ATTACKER] * 64


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 300])
def test_a_damaged_inclusion_proof_is_refused(tree, size):
    root = root_of(size)
    for position in {0, size // 2, size - 1}:
        for bad in damaged(prove_inclusion(tree, position, size)):
            with pytest.raises(InvalidProof):
                check_inclusion(LEAVES[position], position, size, bad, root)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 300])
def test_an_inclusion_proof_proves_nothing_else(tree, size):
    position, root = size // 2, root_of(size)
    found = prove_inclusion(tree, position, size)
    leaf = LEAVES[position]
    for changed in (
        (LEAVES[size], position, size, found, root),
        (root, position, size, found, ATTACKER),
        (leaf, position, size, found, ATTACKER),
        (leaf, position, size, found, root_of(size + 1)),
        (leaf, position + 1, size, found, root),
        (leaf, position - 1, size, found, root),
        (leaf, -1, size, found, root),
        (leaf, size, size, found, root),
        (leaf, position, 0, found, root),
        (leaf, position, 4 * size, found, root),
    ):
        with pytest.raises(InvalidProof):
            check_inclusion(*changed)


@pytest.mark.parametrize(
    ("old", "new"), [(1, 2), (1, 3), (2, 3), (3, 7), (4, 7), (6, 8), (64, 300), (299, 300)]
)
def test_a_damaged_consistency_proof_is_refused(tree, old, new):
    found = prove_consistency(tree, old, new)
    for bad in damaged(found):
        assert not holds_consistency(old, new, root_of(old), root_of(new), bad)
        with pytest.raises(InvalidProof):
            check_consistency(old, new, root_of(old), root_of(new), bad)


@pytest.mark.parametrize(("old", "new"), [(1, 2), (2, 3), (3, 7), (6, 8), (64, 300)])
def test_a_consistency_proof_proves_nothing_else(tree, old, new):
    found = prove_consistency(tree, old, new)
    old_root, new_root = root_of(old), root_of(new)
    for changed in (
        (old, new, ATTACKER, new_root, found),
        (old, new, old_root, ATTACKER, found),
        (old, new, new_root, old_root, found),
        (old, new, old_root, old_root, found),
        (new, old, new_root, old_root, found),
        (0, new, EMPTY_ROOT, new_root, found),
        (-1, new, old_root, new_root, found),
        (old, new, old_root, new_root, []),
        (old, 4 * new, old_root, new_root, found),
    ):
        with pytest.raises(InvalidProof):
            check_consistency(*changed)


@pytest.mark.parametrize("size", [1, 2, 3, 256])
def test_a_tree_is_consistent_with_itself_by_an_empty_proof(tree, size):
    root = root_of(size)
    assert prove_consistency(tree, size, size) == []
    check_consistency(size, size, root, root, [])
    for other_root, found in ((ATTACKER, []), (root, [root]), (root, [ATTACKER])):
        with pytest.raises(InvalidProof):
            check_consistency(size, size, root, other_root, found)


def test_a_tree_of_one_leaf_is_that_leaf():
    assert compute_root(Tree(LEAVES[:1]).frontier) == LEAVES[0]
    check_inclusion(LEAVES[0], 0, 1, [], LEAVES[0])


def test_a_proof_longer_than_any_tree_is_high_is_refused():
    with pytest.raises(InvalidProof, match="no proof for"):
        check_inclusion(ATTACKER, 0, 2**62, [ATTACKER] * (PROOF_LENGTH_MAX + 1), ATTACKER)


@pytest.mark.parametrize(("old", "new"), [(0, 1), (2, 1), (-1, 1)])
def test_there_is_no_proof_of_what_was_not(tree, old, new):
    with pytest.raises(InvalidProof, match="no consistency proof"):
        prove_consistency(tree, old, new)


@pytest.mark.parametrize(("position", "size"), [(0, 0), (1, 1), (-1, 5), (5, 3)])
def test_there_is_no_proof_of_a_leaf_outside_the_tree(tree, position, size):
    with pytest.raises(InvalidProof, match="no leaf"):
        prove_inclusion(tree, position, size)


def test_a_missing_leaf_is_damage_and_no_proof():
    tree = Tree(LEAVES[:5])
    with pytest.raises(Damage):
        prove_inclusion(tree, 0, 6)


# Tiles


def tiles_of(leaves):
    """Compute every full tile of a tree, level by level."""
    tiles, level, row = [], 0, list(leaves)
    while len(row) >= 256:
        full = [row[at : at + 256] for at in range(0, len(row) - 255, 256)]
        tiles += [Tile(level, index, b"".join(some)) for index, some in enumerate(full)]
        level, row = level + 1, [mth(some) for some in full]
    return tiles


@settings(max_examples=30)
@given(st.lists(st.integers(0, 600), max_size=6))
def test_tiles_do_not_depend_on_how_a_log_came_in(sizes):
    tree, at, tiles = Tree(), 0, []
    leaves = LEAVES * 4
    for size in sizes:
        tiles += tree.extend(leaves[at : at + size])
        at += size
    assert sorted(tiles) == tiles_of(leaves[:at])
    assert compute_root(tree.frontier) == mth(leaves[:at])


@pytest.fixture(scope="module")
def large():
    """A tree with a full tile of level 1, grown in uneven batches."""
    tree = Tree()
    leaves = [sha256(n.to_bytes(4)).digest() for n in range(66_000)]
    for at in range(0, 66_000, 7_000):
        tree.extend(leaves[at : at + 7_000])
    return tree


def test_a_large_tree_has_the_tiles_that_its_size_says(large):
    assert sorted(large.tiles) == [*((0, index) for index in range(257)), (1, 0)]
    assert large.tiles[1, 0] == b"".join(
        mth(large.leaves[n : n + 256]) for n in range(0, 65_536, 256)
    )


@pytest.mark.parametrize("position", [0, 255, 256, 65_535, 65_536, 65_999])
def test_a_proof_in_a_large_tree_reads_tiles_and_few_leaves(large, position):
    large.leaves_read = 0
    found = prove_inclusion(large, position, 66_000)
    assert large.leaves_read <= 2 * 256 + 66_000 % 256
    check_inclusion(large.leaves[position], position, 66_000, found, compute_root(large.frontier))


@pytest.mark.parametrize("old", [1, 255, 256, 65_535, 65_536, 65_537, 65_999])
def test_an_old_size_of_a_large_tree_is_proved_from_tiles(large, old):
    found = prove_consistency(large, old, 66_000)
    old_root = hash_range(large, 0, old)
    assert old_root == mth(large.leaves[:old])
    assert holds_consistency(old, 66_000, old_root, compute_root(large.frontier), found)


@given(st.integers(0, 600), st.integers(0, 400))
def test_leaves_that_are_pushed_together_leave_the_frontier_of_one_by_one(start, count):
    frontier: list[bytes] = []
    for size, leaf in enumerate(LEAVES[:start]):
        push_leaf(frontier, size, leaf)
    together = list(frontier)
    push_leaves(together, start, LEAVES[start : start + count])
    for size, leaf in enumerate(LEAVES[start : start + count], start=start):
        push_leaf(frontier, size, leaf)
    assert together == frontier
