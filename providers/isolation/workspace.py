"""A workspace: the folder, the home and the environment that one session has to itself.

1. below a fresh temporary folder that only this user may enter there are ``work`` (the working
   directory: the input files and nothing else), ``home`` and ``tmp``, both empty;
2. an environment is made of a short list of names, those that a provider allows, and places within
   the workspace: no setting, key or history of the user comes along;
3. after the session, what it did to its inputs, what it left and what changed outside is noted;
4. all of it is removed at the end; what cannot be removed is noted.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path

from ledger.errors import FaultyInput
from providers.isolation.files import Found, allow_removal, read_regular, walk_files
from providers.isolation.listing import NAMES_MAX, format_listing, show_name
from providers.isolation.watch import PREFIX, Watch, watch_user
from providers.provider import InputFile, Part
from providers.vault import Vault

COLLECTED_BYTES_MAX = 16 * 2**20
"""Bytes of all collected files together."""
COLLECTED_MAX = 64
"""Files that are collected: an event that names more might exceed what an event holds."""
PART_NAME_MAX = 80
"""Characters of a collected file's name."""
OCTETS = "application/octet-stream"

PASSED_ON = frozenset(
    {"PATH", "LANG", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR"}
    | {"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"}
)
"""Variables that every session gets, beside ``LC_…``: without them programs do not run at all."""

_UNFIT = re.compile(r"[^a-z0-9_.-]")


class Workspace:
    """Where one session takes place.

    Attributes:
        folder: the working directory.
        home: its HOME; a provider may put what its program needs there before the start.
        tmp: its TMPDIR.
    """

    def __init__(
        self, base: Path, inputs: tuple[InputFile, ...], watches: tuple[Watch, ...]
    ) -> None:
        """Take an empty folder of its own; ``inputs`` are put there by ``open_workspace``."""
        self._base = base
        self._root = base / "root"
        self.folder = self._root / "work"
        self.home = self._root / "home"
        self.tmp = self._root / "tmp"
        self._inputs = {item.path: item.data for item in inputs}
        self._watches = watches
        self._uncollected: list[str] = []

    def environment(
        self, vault: Vault, allowed: Iterable[str], extra: Mapping[str, str]
    ) -> dict[str, str]:
        """Return all variables that the session gets.

        Args:
            vault: has the environment of this process.
            allowed: further names that are handed on, where they are set.
            extra: values that a provider sets; they win over all others.
        """
        names = {*PASSED_ON, *allowed}
        passed = {
            name: value
            for name, value in vault.environment.items()
            if name in names or name.startswith("LC_")
        }
        # A relative entry would find programs among the input files.
        path = passed.get("PATH", os.defpath).split(os.pathsep)
        return {
            **passed,
            "PATH": os.pathsep.join(entry for entry in path if Path(entry).is_absolute()),
            "HOME": str(self.home),
            "TMPDIR": str(self.tmp),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_DATA_HOME": str(self.home / ".local/share"),
            "XDG_RUNTIME_DIR": str(self.tmp),
            "XDG_STATE_HOME": str(self.home / ".local/state"),
            **extra,
        }

    def find_escapes(self) -> tuple[str, ...]:
        """Return one line about each thing that a reader of the trial should know.

        Called when the session has ended, and after ``collect``: what was not collected is here
        too.
        """
        left, is_whole = walk_files(self.folder)
        new = [_show_found(item) for item in left if item.path not in self._inputs]
        outside = [f"../{show_name(name)}" for name in _list(self._root, {"work", "home", "tmp"})]
        outside += [f"../../{show_name(name)}" for name in _list(self._base, {"root"})]
        changed = [change for watch in self._watches for change in watch.find_changes()]
        listings = (
            ("left in the working directory", new, is_whole),
            ("not collected", self._uncollected, True),
            ("written outside the working directory", outside, True),
            ("changed outside while this session ran", changed, True),
        )
        return (
            *self._check_inputs(),
            *(
                format_listing(label, names, is_whole=is_all)
                for label, names, is_all in listings
                if names
            ),
        )

    def collect(
        self, patterns: Sequence[str], *, size_max: int = COLLECTED_BYTES_MAX
    ) -> tuple[Part, ...]:
        """Return the files in the working directory that the session made or changed.

        A link is not read. What is not taken for its size, or because there are too many, is among
        the lines of ``find_escapes``.

        Args:
            patterns: those whose path from the working directory matches one are taken; ``*``
                matches any characters, ``/`` too.
            size_max: bytes of all together.
        """
        parts: dict[str, Part] = {}
        room = size_max
        for item in walk_files(self.folder)[0]:
            if not any(fnmatchcase(item.path, pattern) for pattern in patterns):
                continue
            given = self._inputs.get(item.path)
            if given is not None and not _check_input(self.folder, item.path, given):
                continue
            try:
                data = read_regular(self.folder, item.path, size_max=room)
            except OSError as error:
                self._uncollected.append(f"{show_name(item.path)} ({error.strerror})")
                continue
            if len(parts) == COLLECTED_MAX:
                self._uncollected.append(f"{show_name(item.path)} (more than {COLLECTED_MAX})")
                continue
            room -= len(data)
            name = _name_part(item.path, parts)
            parts[name] = Part(name, data, OCTETS)
        return tuple(parts.values())

    def remove(self) -> tuple[str, ...]:
        """Remove all of it, and return a line about what could not be; it may be called again."""
        if not os.path.lexists(self._base):
            return ()
        for _ in range(2):
            # RecursionError: folders nested more deeply than shutil goes.
            with suppress(OSError, RecursionError):
                shutil.rmtree(self._base)
            if not os.path.lexists(self._base):
                return ()
            allow_removal(self._base)
        return (f"the workspace could not be removed: {show_name(str(self._base))}",)

    def _check_inputs(self) -> list[str]:
        """Return a line about each input that is not as it was."""
        lines = []
        for path, data in self._inputs.items():
            what = _check_input(self.folder, path, data)
            if what:
                lines.append(f"input {show_name(path)} {what}")
        if len(lines) > NAMES_MAX:
            rest = len(lines) - NAMES_MAX
            lines[NAMES_MAX:] = [f"and {rest:,} more inputs were changed or deleted"]
        return lines


@contextmanager
def open_workspace(inputs: tuple[InputFile, ...]) -> Iterator[Workspace]:
    """Make a workspace that holds ``inputs``, and remove it at the end.

    Removing may take a while; ``Workspace.remove`` does it earlier, in a thread, with its notes.

    Raises:
        FaultyInput: an input's path is not below the working directory.
        OSError: it cannot be made, as where the disk is full.
    """
    for item in inputs:
        _check_path(item.path)
    # Real: what a program says about its folder has no link in it.
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix=PREFIX)))
    workspace = Workspace(base, inputs, watch_user())
    try:
        for folder in (workspace.folder, workspace.home, workspace.tmp):
            folder.mkdir(mode=0o700, parents=True)
        for item in inputs:
            file = workspace.folder / item.path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(item.data)
        yield workspace
    finally:
        workspace.remove()


def _check_path(path: str) -> None:
    parts = path.split("/")
    if "\0" in path or not parts or {"", ".", ".."} & set(parts):
        raise FaultyInput([f"input {show_name(path)}: is no path below the working directory"])


def _check_input(folder: Path, path: str, data: bytes) -> str:
    """Return what became of an input, or nothing where it is as it was."""
    try:
        is_same = read_regular(folder, path, size_max=len(data) + 1) == data
    except (FileNotFoundError, NotADirectoryError):
        return "was deleted"
    except OSError:
        return "was replaced, or can no longer be read"
    return "" if is_same else "was changed"


def _list(folder: Path, known: set[str]) -> list[str]:
    """Return the names in ``folder`` that are not ``known``, sorted."""
    try:
        return sorted({path.name for path in folder.iterdir()} - known)
    except OSError:
        return []


def _show_found(item: Found) -> str:
    if item.size is None:
        return f"{show_name(item.path)} ({item.what})"
    unit = "byte" if item.size == 1 else "bytes"
    return f"{show_name(item.path)} ({item.size:,} {unit})"


def _name_part(path: str, taken: Mapping[str, Part]) -> str:
    """Return a part's name for the file at ``path`` that none of ``taken`` has."""
    name = "file." + _UNFIT.sub("-", path.lower())[:PART_NAME_MAX]
    count, unique = 1, name
    while unique in taken:
        count += 1
        unique = f"{name}-{count}"
    return unique
