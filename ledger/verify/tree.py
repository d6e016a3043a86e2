"""The tree grown again from the leaves, compared with tiles, head and signed statements."""

from collections.abc import Iterator, Sequence

from ledger import merkle
from ledger.checkpoint import Checkpoint, Verifier, open_note
from ledger.errors import Damage, InvalidProof
from ledger.ports import Head, RecordStore
from ledger.verify.findings import Finding, Outcome, Tally, damage, missing


class TreeCheck:
    """Takes all leaves in order, then says what of the stored tree does not follow from them."""

    def __init__(
        self, records: RecordStore, verifier: Verifier, last_signed: str | None, tally: Tally
    ) -> None:
        """Read the signed statements first: their roots are taken while the tree grows."""
        self._records = records
        self._verifier = verifier
        self._last_signed = last_signed
        self._tally = tally
        self._signed = dict(records.read_checkpoints())
        self._wanted = {*self._signed, self._size_of(last_signed)}
        self._wanted.update(self._size_of(note) for note in self._signed.values())
        self._roots: dict[int, bytes] = {0: merkle.EMPTY_ROOT}
        self._rows: list[list[bytes]] = [[]]
        self._full = [0]
        self._tiled: list[bytes] = []
        self._size = 0
        self._newest = 0

    def push(self, leaves: Sequence[bytes]) -> Iterator[Finding]:
        """Add leaves, and compare each tile that they fill."""
        row = self._rows[0]
        at = 0
        while at < len(leaves):
            tiled = self._size - len(row)
            some = leaves[at : at + merkle.TILE_WIDTH - len(row)]
            sizes = range(self._size + 1, self._size + len(some) + 1)
            row += some
            at += len(some)
            self._size += len(some)
            for size in self._wanted.intersection(sizes):
                self._roots[size] = merkle.compute_root(self._frontier(row[: size - tiled]))
            if len(row) == merkle.TILE_WIDTH:
                yield from self._compare_tile(0)

    def check_tiles(self) -> Iterator[Finding]:
        """Check that no tile is there which the log does not fill."""
        for tile in self._records.read_tiles():
            self._tally.tiles += 1
            is_level = 0 <= tile.level < len(self._full)
            is_known = is_level and 0 <= tile.index < self._full[tile.level]
            if not is_known:
                yield damage(f"tile {tile.level}/{tile.index}", "the log does not fill it")

    def check_head(self, head: Head) -> Iterator[Finding]:
        """Check that the head says what the events are, and that there are no more of them."""
        frontier = self._frontier(self._rows[0])
        if head.root != merkle.compute_root(frontier):
            yield damage("head", "its root is not the root of the events")
        if head.frontier != b"".join(frontier):
            yield damage("head", "its frontier is not that of the events")
        if next(self._records.read_events(-(2**63), 0), None) is not None:
            yield damage("head", "there are events before the first position")
        if next(self._records.read_events(head.size, 2**63), None) is not None:
            yield damage("head", f"it counts {head.size:,} events and there are more")

    def check_statements(self) -> Iterator[Finding]:
        """Check every signed note against the events, and the one kept outside the database."""
        for size, note in sorted(self._signed.items()):
            self._tally.checkpoints += 1
            where = f"checkpoint {size:,}"
            try:
                checkpoint = open_note(note, self._verifier)
            except InvalidProof as error:
                yield damage(where, str(error))
                continue
            self._newest = max(self._newest, checkpoint.size)
            if checkpoint.size != size:
                yield damage(where, f"the note in this row states size {checkpoint.size:,}")
            yield from self._check_statement(where, checkpoint)
        yield from self._check_last_signed()

    def _check_last_signed(self) -> Iterator[Finding]:
        where = "last-signed"
        if self._last_signed is None:
            if self._signed:
                yield missing(where, "checkpoints were signed, and the memory of it is not there")
            return
        try:
            last = open_note(self._last_signed, self._verifier)
        except InvalidProof as error:
            yield damage(where, str(error))
            return
        yield from self._check_statement(where, last)
        if last.size < self._newest:
            yield Finding(
                outcome=Outcome.ROLLBACK,
                where=where,
                what=f"it remembers size {last.size:,} and {self._newest:,} was signed: an older "
                "copy of the file was put back",
            )
        elif last.size not in self._signed:
            yield Finding(
                outcome=Outcome.UNKNOWN,
                where=f"checkpoint {last.size:,}",
                what="it was signed and is not in the database: its signing was cut off, or it was "
                "removed; the next 'verdict checkpoint' enters it again",
            )

    def _check_statement(self, where: str, checkpoint: Checkpoint) -> Iterator[Finding]:
        if checkpoint.size > self._size:
            yield Finding(
                outcome=Outcome.ROLLBACK,
                where=where,
                what=f"{checkpoint.size:,} events were signed and the log has {self._size:,}: an "
                "older copy of the database was put back; put the newest copy in its place",
            )
        elif self._roots.get(checkpoint.size) != checkpoint.root:
            yield damage(
                where,
                f"the first {checkpoint.size:,} events are not those that were signed: they were "
                "changed, or an older copy was put back and written on",
            )

    def _frontier(self, leaves: Sequence[bytes]) -> list[bytes]:
        """Return the frontier over the full tiles and, after them, less than a tile of leaves."""
        frontier = list(self._tiled)
        merkle.push_leaves(frontier, self._full[0] * merkle.TILE_WIDTH, leaves)
        return frontier

    def _compare_tile(self, level: int) -> Iterator[Finding]:
        row = self._rows[level]
        index = self._full[level]
        where = f"tile {level}/{index}"
        try:
            stored = self._records.read_tile(level, index)
            if stored is None:
                yield missing(where, "the log fills it and it is not there")
            elif stored != b"".join(row):
                yield damage(where, "its hashes are not those of the events below it")
        except Damage as error:
            yield damage(where, str(error).removeprefix(f"{where}: "))
        self._full[level] += 1
        above = merkle.hash_row(row)
        if level == 0:
            merkle.push_leaf(self._tiled, index, above)
        row.clear()
        if level + 1 == len(self._rows):
            self._rows.append([])
            self._full.append(0)
        self._rows[level + 1].append(above)
        if len(self._rows[level + 1]) == merkle.TILE_WIDTH:
            yield from self._compare_tile(level + 1)

    def _size_of(self, note: str | None) -> int:
        try:
            return open_note(note or "", self._verifier).size
        except InvalidProof:
            return 0
