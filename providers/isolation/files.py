"""Files that a session left: they are looked at and read without following a link of its making.

A session may have put a link to any file of the user into its folder; nothing here reads through
one, on no part of the way.
"""

import errno
import os
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ENTRIES_MAX = 20_000
"""Entries of a folder that are looked at; an installed package tree may have more."""
DEPTH_MAX = 10
"""Levels of folders: with names of 255 bytes, what Linux allows, a path stays within 4,096."""

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: a named pipe is opened without waiting for somebody to write to it.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Something in a folder that is not itself a folder, or a folder that cannot be read.

    Attributes:
        path: from the folder that was walked.
        size: bytes of a regular file; ``None``: it is something else.
        what: what it is, where it is no regular file.
    """

    path: str
    size: int | None
    what: str = ""


def walk_files(folder: Path) -> tuple[list[Found], bool]:
    """Return what is below ``folder``, sorted by path, and whether that is all of it.

    No link is followed. A folder without permission is given it: the session has ended, and the
    folder is removed next.
    """
    found: list[Found] = []
    waiting, seen = [""], 0
    while waiting:
        path = waiting.pop()
        try:
            entries = _scan(folder / path)
        except OSError as error:
            if path:
                found.append(Found(path=path, size=None, what=f"folder: {error.strerror}"))
            continue
        for entry in entries:
            seen += 1
            if seen > ENTRIES_MAX:
                return sorted(found, key=lambda item: item.path), False
            below = f"{path}/{entry.name}" if path else entry.name
            if entry.is_dir(follow_symlinks=False):
                waiting.append(below)
            else:
                with suppress(FileNotFoundError):
                    found.append(_describe(below, entry.stat(follow_symlinks=False)))
    return sorted(found, key=lambda item: item.path), True


def read_regular(folder: Path, path: str, *, size_max: int) -> bytes:
    """Return the bytes of the regular file at ``path`` below ``folder``.

    Raises:
        FileNotFoundError: there is nothing.
        OSError: it is something else, or larger than ``size_max``, or a part of the way is a link.
    """
    directory = os.open(folder, _DIRECTORY)
    try:
        *way, name = path.split("/")
        for part in way:
            below = os.open(part, _DIRECTORY, dir_fd=directory)
            os.close(directory)
            directory = below
        file = os.open(name, _FILE, dir_fd=directory)
    finally:
        os.close(directory)
    with os.fdopen(file, "rb") as stream:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        data = stream.read(size_max + 1)
    if len(data) > size_max:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
    return data


def allow_removal(folder: Path) -> None:
    """Give every folder below ``folder`` the permissions that its removal takes.

    One that lies deeper than DEPTH_MAX is moved up, so that neither a path nor shutil's recursion
    is too long for it.
    """
    waiting = [(folder, 0)]
    while waiting:
        with suppress(OSError):
            path, depth = waiting.pop()
            if not stat.S_ISDIR(path.lstat().st_mode):
                continue
            path.chmod(0o700)
            if depth == DEPTH_MAX:
                path, depth = path.rename(folder / secrets.token_hex(8)), 1
            with os.scandir(path) as entries:
                below = [item.path for item in entries if item.is_dir(follow_symlinks=False)]
            waiting += [(Path(item), depth + 1) for item in below]


def _scan(path: Path) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(path) as entries:
            return list(entries)
    except PermissionError:
        path.chmod(0o700)
        with os.scandir(path) as entries:
            return list(entries)


def _describe(path: str, status: os.stat_result) -> Found:
    if stat.S_ISREG(status.st_mode):
        return Found(path=path, size=status.st_size)
    what = "symbolic link" if stat.S_ISLNK(status.st_mode) else "no regular file"
    return Found(path=path, size=None, what=what)
