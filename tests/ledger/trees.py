"""Trees held in memory, and RFC 6962's definitions written out as they stand there."""

from hashlib import sha256

from ledger.errors import Damage
from ledger.merkle import Tile, complete_tiles, push_leaf

# The reference leaves and roots of certificate-transparency (merkletree tests).
CT_LEAVES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
CT_ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


class Tree:
    """Leaf hashes, tiles and frontier, grown in batches (``ledger.merkle.HashReader``)."""

    def __init__(self, leaves=()):
        self.leaves: list[bytes] = []
        self.tiles: dict[tuple[int, int], bytes] = {}
        self.frontier: list[bytes] = []
        self.leaves_read = 0
        self.extend(leaves)

    def extend(self, leaves) -> list[Tile]:
        """Add a batch, and return the tiles that it completed."""
        tiles = complete_tiles(self, len(self.leaves), leaves)
        for size, leaf in enumerate(leaves, start=len(self.leaves)):
            push_leaf(self.frontier, size, leaf)
        self.leaves += leaves
        self.tiles |= {(tile.level, tile.index): tile.hashes for tile in tiles}
        return tiles

    def read_leaves(self, start, stop):
        """Return leaf hashes, and count them."""
        if stop > len(self.leaves):
            raise Damage("not there")
        self.leaves_read += stop - start
        return self.leaves[start:stop]

    def read_tile(self, level, index):
        """Return a full tile."""
        assert level > 0
        return self.tiles.get((level, index))


def node(left, right):
    """Return the hash of a node (RFC 6962 2.1)."""
    return sha256(b"\x01" + left + right).digest()


def split(size):
    """Return k, the largest power of two smaller than ``size``."""
    k = 1
    while 2 * k < size:
        k *= 2
    return k


def mth(leaves):
    """Return MTH(D[n]) from leaf hashes (RFC 6962 2.1)."""
    if not leaves:
        return sha256().digest()
    if len(leaves) == 1:
        return leaves[0]
    k = split(len(leaves))
    return node(mth(leaves[:k]), mth(leaves[k:]))


def path(m, leaves):
    """Return PATH(m, D[n]) (RFC 6962 2.1.1)."""
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    if m < k:
        return [*path(m, leaves[:k]), mth(leaves[k:])]
    return [*path(m - k, leaves[k:]), mth(leaves[:k])]


def proof(m, leaves):
    """Return PROOF(m, D[n]) (RFC 6962 2.1.2)."""
    return subproof(m, leaves, is_whole=True)


def subproof(m, leaves, *, is_whole):
    """Return SUBPROOF(m, D[n], b)."""
    n = len(leaves)
    if m == n:
        return [] if is_whole else [mth(leaves)]
    k = split(n)
    if m <= k:
        return [*subproof(m, leaves[:k], is_whole=is_whole), mth(leaves[k:])]
    return [*subproof(m - k, leaves[k:], is_whole=False), mth(leaves[:k])]


def holds_consistency(first, second, first_hash, second_hash, consistency_path):
    """Verify by the steps of RFC 9162 2.1.4.2, one by one."""
    if not consistency_path:  # step 1
        return False
    if first & (first - 1) == 0:  # step 2
        consistency_path = [first_hash, *consistency_path]
    fn, sn = first - 1, second - 1  # step 3
    while fn & 1:  # step 4
        fn >>= 1
        sn >>= 1
    fr = sr = consistency_path[0]  # step 5
    for c in consistency_path[1:]:  # step 6
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr = node(c, fr)
            sr = node(c, sr)
            while fn & 1 == 0 and fn != 0:
                fn >>= 1
                sn >>= 1
        else:
            sr = node(sr, c)
        fn >>= 1
        sn >>= 1
    return fr == first_hash and sr == second_hash and sn == 0  # step 7
