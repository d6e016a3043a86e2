"""The files of a suite, read so that nothing outside the folder and nothing odd can come in.

A path is relative, with ``/`` between its parts; ``..`` is resolved by its text and may not leave
the folder. No part may be a symbolic link, wherever it leads: what the path says is what is read.
A file is a regular file of at most ``FILE_BYTES_MAX``. Each file is read once, so that one load
sees one state of it.
"""

import os
import posixpath
import stat
from dataclasses import dataclass
from pathlib import Path

from ledger.errors import FaultyInput
from trials.suite.faults import Faults, format_fault

FILE_BYTES_MAX = 64 * 2**20
"""A file of a suite; what a trial is given is read by a model, and none reads that much."""

PATH_LENGTH_MAX = 1_000
"""Characters of a path from the suite's folder; macOS ends at 1,024 bytes for a whole path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A file as it was read.

    Attributes:
        path: from the folder, resolved.
        identity: device and inode: two paths with one identity are one file (a hard link, or
            another case on a file system that folds case).
    """

    path: str
    data: bytes
    identity: tuple[int, int]


class Folder:
    """One folder's files.

    Attributes:
        found: every file read so far, by its path.
        named: of these, the ones that the suite itself needs, each with the place that names it;
            none of them, nor a copy, may be an input of a case.
        given: the files that trials get copies of, each with the id of its case.
    """

    def __init__(self, root: Path, *, size_bytes_max: int = FILE_BYTES_MAX) -> None:
        self.found: dict[str, FoundFile] = {}
        self.named: dict[str, str] = {}
        self.given: dict[str, str] = {}
        self._root = root
        self._size_bytes_max = size_bytes_max

    def read_named(self, path: str, origin: str, *, size_bytes_max: int | None = None) -> FoundFile:
        """Return the file at ``path``, noted as named by ``origin``.

        Args:
            path: from the folder.
            origin: the place, for example ``eval_suite.json: variants[0].prompt_file``.
            size_bytes_max: another bound than the folder's for this file.

        Raises:
            FaultyInput: one line that begins with ``origin``.
        """
        file = self.read(path, origin, size_bytes_max=size_bytes_max)
        self.named.setdefault(file.path, origin)
        return file

    def read_input(self, path: str, case: str) -> FoundFile:
        """Return the file at ``path``, noted as an input of ``case``.

        Raises:
            FaultyInput: one line that begins with ``path``.
        """
        file = self.read(path, path)
        self.given[file.path] = case
        return file

    def read(self, path: str, origin: str, *, size_bytes_max: int | None = None) -> FoundFile:
        """Return the file at ``path``; the arguments are those of ``read_named``.

        Raises:
            FaultyInput: one line that begins with ``origin``.
        """
        resolved = self._resolve(path, origin)
        if resolved not in self.found:
            if stat.S_ISDIR(self._inspect(resolved, origin).st_mode):
                raise _refuse(origin, f"{resolved} is a folder; name a file")
            try:
                bound = size_bytes_max or self._size_bytes_max
                self.found[resolved] = _read_regular(self._root, resolved, origin, bound)
            except OSError as error:
                raise _refuse(origin, f"{resolved} cannot be read: {error.strerror}") from error
        return self.found[resolved]

    def is_folder(self, path: str, origin: str) -> bool:
        """Return whether a folder stands at ``path``; false for a file.

        Raises:
            FaultyInput: nothing stands there, or the path is not allowed.
        """
        return stat.S_ISDIR(self._inspect(self._resolve(path, origin), origin).st_mode)

    def list_names(self, path: str, origin: str) -> list[str]:
        """Return the names in the folder at ``path``, sorted, so that no disk's order shows.

        Raises:
            FaultyInput: it cannot be read.
        """
        resolved = self._resolve(path, origin)
        try:
            return sorted(item.name for item in (self._root / resolved).iterdir())
        except OSError as error:
            raise _refuse(origin, f"{resolved} cannot be read: {error.strerror}") from error

    def walk(self, path: str, faults: Faults) -> list[str]:
        """Return the path of every file below the folder at ``path``, sorted; faults are noted."""
        files: list[str] = []
        for name in faults.attempt(self.list_names, path, path) or []:
            below = f"{path}/{name}"
            if not name.isprintable():
                faults.add(ascii(below), "", "the name is not printable UTF-8; rename it")
                continue
            is_folder = faults.attempt(self.is_folder, below, below)
            if is_folder:
                files += self.walk(below, faults)
            elif is_folder is not None:
                files.append(below)
        return files

    def _resolve(self, path: str, origin: str) -> str:
        if not path or not path.isprintable():
            raise _refuse(origin, f"{path[:80]!a} is no path; name a file")
        if len(path) > PATH_LENGTH_MAX:
            raise _refuse(origin, f"{path[:80]}… is longer than {PATH_LENGTH_MAX} characters")
        if path.startswith("/") or "\\" in path:
            raise _refuse(origin, f"{path} is not a relative path with '/' between its parts")
        resolved = posixpath.normpath(path)
        if resolved == ".":
            raise _refuse(origin, f"{path} is the folder itself; name something in it")
        if resolved == ".." or resolved.startswith("../"):
            raise _refuse(origin, f"{path} leads out of the folder; move the file into it")
        return resolved

    def _inspect(self, resolved: str, origin: str) -> os.stat_result:
        """Return the status of what ``resolved`` names, having looked at every part of the way."""
        ways = [resolved[:cut] for cut, sign in enumerate(resolved) if sign == "/"]
        for way in ways:
            self._inspect_part(way, resolved, origin)
        status = self._inspect_part(resolved, resolved, origin)
        if not stat.S_ISDIR(status.st_mode) and not stat.S_ISREG(status.st_mode):
            raise _refuse(origin, f"{resolved} is not a regular file")
        return status

    def _inspect_part(self, part: str, resolved: str, origin: str) -> os.stat_result:
        try:
            status = (self._root / part).lstat()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise _refuse(origin, f"{resolved} is missing; add it or correct the path") from error
        except OSError as error:
            raise _refuse(origin, f"{resolved} cannot be read: {error.strerror}") from error
        if stat.S_ISLNK(status.st_mode):
            raise _refuse(origin, f"{part} is a symbolic link; put the file itself there")
        return status


def _read_regular(root: Path, resolved: str, origin: str, size_bytes_max: int) -> FoundFile:
    # Without O_NONBLOCK, opening a pipe that took the file's place would wait for ever.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with open(os.open(root / resolved, flags), "rb") as stream:  # noqa: PTH123
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise _refuse(origin, f"{resolved} is not a regular file")
        data = stream.read(size_bytes_max + 1)
    if len(data) > size_bytes_max:
        raise _refuse(origin, f"{resolved} is larger than {size_bytes_max} bytes")
    return FoundFile(path=resolved, data=data, identity=(status.st_dev, status.st_ino))


def _refuse(origin: str, what: str) -> FaultyInput:
    return FaultyInput([format_fault(origin, "", what)])
