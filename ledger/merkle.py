"""The tree over the log: RFC 6962 with SHA-256, kept in tiles and a frontier. No I/O.

1. a leaf is SHA-256(0x00 ‖ event bytes), a node SHA-256(0x01 ‖ left ‖ right), the empty tree
   SHA-256 of nothing (RFC 6962 2.1), so that tools which are not ours can check it;
2. the *frontier* of a tree of n leaves is the roots of its complete subtrees, largest first, one
   for each 1-bit of n: enough to append and to give the root;
3. a *tile* is 256 hashes side by side at one level (C2SP tlog-tiles, height 8): tile level L
   holds the hashes of subtrees of 256^L leaves. A full tile is written once, when its last hash
   appears, and never again; the right edge is computed from fewer than 256 hashes a level;
4. proofs are RFC 6962 2.1.1 and 2.1.2, checked by the algorithms of RFC 9162 2.1.3.2 and 2.1.4.2.

    >>> leaves = [hash_leaf(bytes([n])) for n in range(3)]
    >>> frontier: list[bytes] = []
    >>> for size, leaf in enumerate(leaves):
    ...     push_leaf(frontier, size, leaf)
    >>> compute_root(frontier) == hash_node(hash_node(leaves[0], leaves[1]), leaves[2])
    True
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple, Protocol

from ledger.errors import InvalidProof

HASH_SIZE = 32
TILE_HEIGHT = 8
TILE_WIDTH = 1 << TILE_HEIGHT
EMPTY_ROOT = sha256(b"").digest()
PROOF_LENGTH_MAX = 63
"""Hashes; C2SP tlog-witness allows no longer consistency proof."""


class Tile(NamedTuple):
    """A full tile: 256 hashes of subtrees of 256^level leaves, the index-th such row."""

    level: int
    index: int  # type: ignore[assignment]  # hides a method that nobody asks of a tile
    hashes: bytes


class HashReader(Protocol):
    """What a proof has to be able to read; whether from disk or memory is the caller's matter."""

    def read_leaves(self, start: int, stop: int) -> list[bytes]:
        """Return the leaf hashes at positions start … stop - 1.

        Raises:
            Damage: one of them is not there.
        """
        ...

    def read_tile(self, level: int, index: int) -> bytes | None:
        """Return the 8,192 bytes of a full tile of level 1 or more, ``None`` if it is not full."""
        ...


def hash_leaf(data: bytes) -> bytes:
    """Return the leaf hash of the event whose canonical bytes are ``data``."""
    return sha256(b"\x00" + data).digest()


def hash_node(left: bytes, right: bytes) -> bytes:
    """Return the hash of the node over ``left`` and ``right``."""
    return sha256(b"\x01" + left + right).digest()


def push_leaf(frontier: list[bytes], size: int, leaf: bytes) -> None:
    """Change ``frontier``, of a tree of ``size`` leaves, to that with ``leaf`` added."""
    while size & 1:
        leaf = sha256(b"\x01" + frontier.pop() + leaf).digest()
        size >>= 1
    frontier.append(leaf)


def push_leaves(frontier: list[bytes], size: int, leaves: Sequence[bytes]) -> None:
    """Change ``frontier`` as ``push_leaf`` for each of ``leaves`` would, in half the time."""
    at = 0
    while at < len(leaves):
        # The largest complete subtree that begins at ``size``, up to a tile.
        width = min(
            size & -size or TILE_WIDTH, _largest_power_below(len(leaves) - at + 1), TILE_WIDTH
        )
        push_leaf(frontier, size // width, hash_row(leaves[at : at + width]))
        at, size = at + width, size + width


def compute_root(frontier: Sequence[bytes]) -> bytes:
    """Return the root of the tree that has this frontier."""
    if not frontier:
        return EMPTY_ROOT
    root = frontier[-1]
    for subtree in reversed(frontier[:-1]):
        root = hash_node(subtree, root)
    return root


def split_hashes(joined: bytes) -> list[bytes]:
    """Return the hashes that stand side by side in ``joined``: a tile, or a stored frontier."""
    return [joined[at : at + HASH_SIZE] for at in range(0, len(joined), HASH_SIZE)]


def hash_row(hashes: Sequence[bytes]) -> bytes:
    """Return the root of the complete subtree over 2^k ``hashes`` of one level."""
    row = list(hashes)
    while len(row) > 1:
        row = [sha256(b"\x01" + row[at] + row[at + 1]).digest() for at in range(0, len(row), 2)]
    return row[0]


def complete_tiles(reader: HashReader, size: int, leaves: Sequence[bytes]) -> list[Tile]:
    """Return the tiles that become full when ``leaves`` are added to a tree of ``size`` leaves.

    Args:
        reader: reads the tree as it was; at most 255 hashes a level are asked of it.
    """
    tiles: list[Tile] = []
    level, row = 0, list(leaves)
    while row and (size % TILE_WIDTH) + len(row) >= TILE_WIDTH:
        start = size - size % TILE_WIDTH
        row = _read_row(reader, level, start, size) + row
        above: list[bytes] = []
        for at in range(0, len(row) - TILE_WIDTH + 1, TILE_WIDTH):
            hashes = row[at : at + TILE_WIDTH]
            tiles.append(Tile(level, (start + at) // TILE_WIDTH, b"".join(hashes)))
            above.append(hash_row(hashes))
        level, size, row = level + 1, size // TILE_WIDTH, above
    return tiles


def hash_range(reader: HashReader, start: int, stop: int) -> bytes:
    """Return MTH(D[start:stop]) of RFC 6962; the range is one that its recursion reaches."""
    width = stop - start
    if width == 0:
        return EMPTY_ROOT
    half = _largest_power_below(width) if width > 1 else 0
    if 2 * half in (width, 0) and start % width == 0:
        return _hash_subtree(reader, width.bit_length() - 1, start // width)
    return hash_node(
        hash_range(reader, start, start + half), hash_range(reader, start + half, stop)
    )


def prove_inclusion(reader: HashReader, position: int, size: int) -> list[bytes]:
    """Return PATH(position, D[0:size]), from the leaf's sibling up to the root's child.

    Raises:
        InvalidProof: there is no leaf ``position`` in a tree of ``size`` leaves.
    """
    if not 0 <= position < size:
        raise InvalidProof(f"no leaf {position:,} in a tree of {size:,} leaves")
    path: list[bytes] = []
    start, stop = 0, size
    while stop - start > 1:
        middle = start + _largest_power_below(stop - start)
        if position < middle:
            path.append(hash_range(reader, middle, stop))
            stop = middle
        else:
            path.append(hash_range(reader, start, middle))
            start = middle
    return path[::-1]


def prove_consistency(reader: HashReader, old_size: int, new_size: int) -> list[bytes]:
    """Return PROOF(old_size, D[0:new_size]); empty where the sizes are equal.

    Raises:
        InvalidProof: not 1 <= old_size <= new_size; nothing is to be proved of an empty tree.
    """
    if not 1 <= old_size <= new_size:
        raise InvalidProof(f"no consistency proof from {old_size:,} to {new_size:,} leaves")
    proof: list[bytes] = []
    start, stop, is_whole = 0, new_size, True
    while old_size < stop:
        middle = start + _largest_power_below(stop - start)
        if old_size <= middle:
            proof.append(hash_range(reader, middle, stop))
            stop = middle
        else:
            proof.append(hash_range(reader, start, middle))
            start, is_whole = middle, False
    if not is_whole:
        proof.append(hash_range(reader, start, stop))
    return proof[::-1]


def check_inclusion(
    leaf: bytes, position: int, size: int, proof: Sequence[bytes], root: bytes
) -> None:
    """Check that ``leaf`` is at ``position`` of the tree with ``size`` leaves and this ``root``.

    Raises:
        InvalidProof: it does not follow (RFC 9162 2.1.3.2).
    """
    if not 0 <= position < size or len(proof) > PROOF_LENGTH_MAX:
        raise InvalidProof(f"no proof for leaf {position:,} of {size:,}")
    index, last, result = position, size - 1, leaf
    for sibling in proof:
        if last == 0:
            raise InvalidProof("the proof is longer than the tree is high")
        if index & 1 or index == last:
            result = hash_node(sibling, result)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            result = hash_node(result, sibling)
        index, last = index >> 1, last >> 1
    if last != 0 or result != root:
        raise InvalidProof(f"leaf {position:,} of {size:,}: the proof does not lead to the root")


def check_consistency(
    old_size: int, new_size: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]
) -> None:
    """Check that the tree with ``new_size`` leaves begins with that of ``old_size`` leaves.

    Raises:
        InvalidProof: it does not follow (RFC 9162 2.1.4.2). Equal sizes need equal roots and an
            empty proof, which RFC 6962 leaves open; a size below 1 has no proof.
    """
    failed = InvalidProof(f"{old_size:,} to {new_size:,} leaves: the proof does not hold")
    if not 1 <= old_size <= new_size or len(proof) > PROOF_LENGTH_MAX:
        raise failed
    if old_size == new_size:
        if proof or old_root != new_root:
            raise failed
        return
    path = list(proof)
    if old_size & (old_size - 1) == 0:
        path.insert(0, old_root)
    if not path:
        raise failed
    index, last = old_size - 1, new_size - 1
    while index & 1:
        index, last = index >> 1, last >> 1
    old = new = path[0]
    for sibling in path[1:]:
        if last == 0:
            raise failed
        if index & 1 or index == last:
            old, new = hash_node(sibling, old), hash_node(sibling, new)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            new = hash_node(new, sibling)
        index, last = index >> 1, last >> 1
    if last != 0 or old != old_root or new != new_root:
        raise failed


def _largest_power_below(width: int) -> int:
    """Return the largest power of two smaller than ``width``, which is 2 or more."""
    return 1 << (width - 1).bit_length() - 1


def _hash_subtree(reader: HashReader, level: int, index: int) -> bytes:
    """Return the hash of the index-th complete subtree of 2^level leaves."""
    tile_level, rows = divmod(level, TILE_HEIGHT)
    start = index << rows
    return hash_row(_read_row(reader, tile_level, start, start + (1 << rows)))


def _read_row(reader: HashReader, level: int, start: int, stop: int) -> list[bytes]:
    """Return hashes start … stop - 1 of a tile level; they lie within one tile."""
    if level == 0 or start == stop:
        return reader.read_leaves(start, stop) if start < stop else []
    tile = reader.read_tile(level, start // TILE_WIDTH)
    if tile is not None:
        offset = start % TILE_WIDTH
        return split_hashes(tile)[offset : offset + stop - start]
    # The right edge: a tile that is not full yet has at most 255 full ones below it.
    return [
        hash_row(_read_row(reader, level - 1, at * TILE_WIDTH, (at + 1) * TILE_WIDTH))
        for at in range(start, stop)
    ]
