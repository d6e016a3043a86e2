"""Large artifacts as files named by their address, written so that a crash leaves no garbage.

1. bytes are laid down in ``staging/<owner>/`` and synced, file and folder both;
2. under the head lock they are linked to ``artifacts/ab/cd/<hex>[.zst]`` and the folders synced,
   before the commit that names them;
3. after the commit the staged name goes.

So a name in ``artifacts/`` that no committed row knows is still listed in ``staging/``: recovery
walks that folder alone. An owner is a process; it holds a lock on its folder, which the kernel
takes away when it dies, so that nobody sweeps the work of the living.
"""

import contextlib
import errno
import fcntl
import os
import re
import secrets
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from ledger.errors import Damage, StoreUnavailable
from ledger.ports import RecordStore, Staged

SUFFIXES = {"plain": "", "zstd": ".zst"}
_STAGED = re.compile(r"[0-9a-f]{64}-[0-9a-f]{8}(?:\.zst)?\Z")


class FileBlobs:
    """The blob store of a ledger folder (``ledger.ports.BlobStore``)."""

    def __init__(self, folder: Path) -> None:
        """Keep files below ``folder``; nothing is made before something is staged."""
        self._artifacts = folder / "artifacts"
        self._staging = folder / "staging"
        self._own: Path | None = None
        self._lock: int | None = None
        self._making = threading.Lock()

    def stage(self, address: bytes, codec: str, data: bytes) -> Staged:
        """Write and sync ``data`` in this process's staging folder."""
        with _translated(self._staging):
            folder = self._own_folder()
            name = f"{address.hex()}-{secrets.token_hex(4)}{SUFFIXES[codec]}"
            # The folder is opened before the write: a sync error must not be lost with an inode.
            with _opened(folder) as directory:
                _write_synced(folder / name, data)
                os.fsync(directory)
            return Staged(address=address, codec=codec, name=name)

    def publish(self, staged: Sequence[Staged]) -> None:
        """Link staged files into place and sync the folders."""
        for item in staged:
            place = self._place(item.address, item.codec)
            with _translated(place):
                _make_folders(place.parent, self._artifacts.parent)
                with _opened(place.parent) as directory:
                    self._link(item, place)
                    os.fsync(directory)

    def settle(self, staged: Sequence[Staged]) -> None:
        """Remove staged names; one that cannot be removed is left to the next sweep."""
        for item in staged:
            with contextlib.suppress(OSError):
                (self._own_folder() / item.name).unlink()

    def read(self, address: bytes, codec: str) -> bytes | None:
        """Return the bytes of a file, ``None`` where there is none.

        Raises:
            Damage: the file is there and cannot be read.
        """
        place = self._place(address, codec)
        try:
            return place.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Damage(f"{place}: cannot be read: {error.strerror}") from error

    def delete(self, address: bytes, codec: str) -> None:
        """Remove a file."""
        with _translated(self._artifacts):
            self._place(address, codec).unlink(missing_ok=True)

    def sweep(self, records: RecordStore) -> None:
        """Remove what dead processes staged, and its place where no committed row names it."""
        if not self._staging.is_dir():
            return
        for folder in self._staging.iterdir():
            with _abandoned(folder) as is_abandoned:
                if is_abandoned:
                    with contextlib.suppress(FileNotFoundError):  # another sweeper was faster
                        self._sweep_folder(folder, records)

    def close(self) -> None:
        """Give up the staging folder of this process."""
        if self._own is not None and self._lock is not None:
            _remove_folder(self._own)
            with contextlib.suppress(OSError):  # nothing that was recorded rests on it
                os.close(self._lock)
            self._own = self._lock = None

    def _sweep_folder(self, folder: Path, records: RecordStore) -> None:
        names = [path for path in folder.iterdir() if _STAGED.match(path.name)]
        if names:
            # The lock of the head: nobody is between linking a file and committing its row.
            with records.begin() as transaction:
                for path in names:
                    address = bytes.fromhex(path.name[:64])
                    if not transaction.find_artifacts([address]):
                        codec = "zstd" if path.suffix else "plain"
                        self._place(address, codec).unlink(missing_ok=True)
                    path.unlink()
        _remove_folder(folder)

    def _own_folder(self) -> Path:
        with self._making:
            if self._own is None:
                self._own, self._lock = self._make_own()
            return self._own

    def _make_own(self) -> tuple[Path, int]:
        while True:  # until no sweeper is faster than the lock
            folder = self._staging / f"{os.getpid()}-{secrets.token_hex(4)}"
            _make_folders(folder, self._staging.parent)
            lock = _lock_folder(folder)
            if lock is not None:
                return folder, lock

    def _place(self, address: bytes, codec: str) -> Path:
        name = address.hex()
        return self._artifacts / name[:2] / name[2:4] / (name + SUFFIXES[codec])

    def _link(self, item: Staged, place: Path) -> None:
        source = self._own_folder() / item.name
        try:
            os.link(source, place)
        except FileExistsError:
            # No committed row names it (the caller looked), so a killed or failed writer left
            # it, perhaps torn. Ours is whole; the staged name has to stay until the commit.
            place.unlink()
            os.link(source, place)
        place.chmod(0o444)


def _lock_folder(folder: Path) -> int | None:
    """Return the held lock of a new staging folder, ``None`` if it was swept before that."""
    path = folder / "lock"
    try:
        lock = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    except FileNotFoundError:
        return None
    fcntl.flock(lock, fcntl.LOCK_EX)
    with contextlib.suppress(FileNotFoundError):
        if os.path.samestat(os.fstat(lock), path.stat()):
            return lock
    os.close(lock)
    return None


def _remove_folder(folder: Path) -> None:
    """Remove a staging folder in which nothing but its lock is left."""
    with contextlib.suppress(OSError):
        if [path.name for path in folder.iterdir()] == ["lock"]:
            (folder / "lock").unlink()
            folder.rmdir()


def _write_synced(path: Path, data: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        # Half a file takes the room of which there is too little.
        with contextlib.suppress(OSError):
            path.unlink()
        raise


def _make_folders(folder: Path, root: Path) -> None:
    """Make ``folder`` and its parents up to ``root``, and sync each one that got an entry."""
    if folder.is_dir():
        return
    _make_folders(folder.parent, root)
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
    try:
        sync_folder(folder.parent)
    except OSError:
        # Whoever found the folder there would not sync it again, and its entry might be lost.
        with contextlib.suppress(OSError):
            folder.rmdir()
        raise


def sync_folder(folder: Path) -> None:
    """Make the entries of ``folder`` durable."""
    with _opened(folder) as directory:
        os.fsync(directory)


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int]:
    directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield directory
    finally:
        os.close(directory)


@contextlib.contextmanager
def _abandoned(folder: Path) -> Iterator[bool]:
    """Say whether the process that made ``folder`` is gone, and keep others from sweeping it."""
    try:
        lock = os.open(folder / "lock", os.O_RDWR)
    except (FileNotFoundError, NotADirectoryError):
        # Just made, or just swept: an owner without a lock has staged nothing yet. Or not ours.
        yield False
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(lock)


@contextlib.contextmanager
def _translated(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = "make room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "check the disk"
        raise StoreUnavailable(
            f"{error.filename or place}: {error.strerror}: the artifact is not stored; {hint} "
            "and resume"
        ) from error
