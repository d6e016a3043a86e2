"""Watched places: the top level of the user's home and of the current folder, before and after.

A change there is noted, not blamed on a session: other trials and the user were at work too. One
pass over the names is all that it costs; what lies deeper is not looked at.
"""

import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from providers.isolation.listing import show_name

ENTRIES_MAX = 5_000
"""A place with more entries is not watched: looking at it would take longer than it tells."""
PREFIX = "session-"
"""What the name of a workspace begins with. It tells a session nothing about what it is for."""

Mark = tuple[str, int, int]
"""What an entry is, its size and when it was changed; the last two are 0 but for a file or link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """A place as it was.

    Attributes:
        label: what stands for the place in a note, such as ``~``.
        marks: by name; ``None`` where the place cannot be watched.
    """

    place: Path
    label: str
    marks: dict[str, Mark] | None

    def find_changes(self) -> list[str]:
        """Return the path of each entry that is new, changed or gone by now, fit to be shown."""
        after = _look(self.place)
        if self.marks is None or after is None:
            return []
        changes = []
        for name in sorted(self.marks.keys() | after.keys()):
            path = f"{self.label}/{show_name(name)}"
            if name not in after:
                changes.append(f"{path} (gone)")
            elif name not in self.marks:
                changes.append(f"{path} (new)")
            elif after[name] != self.marks[name]:
                changes.append(path)
        return changes


def watch_user() -> tuple[Watch, ...]:
    """Return the places of the user as they are now."""
    places = {Path(os.path.realpath(os.path.expanduser("~"))): "~"}  # noqa: PTH111 - never raises
    with suppress(FileNotFoundError):  # The current folder was deleted: nothing is written there.
        places.setdefault(Path.cwd(), ".")
    return tuple(
        Watch(place=place, label=label, marks=_look(place)) for place, label in places.items()
    )


def _look(place: Path) -> dict[str, Mark] | None:
    marks: dict[str, Mark] = {}
    # Workspaces of other trials come and go there.
    is_temporary = place == Path(os.path.realpath(tempfile.gettempdir()))
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                if is_temporary and entry.name.startswith(PREFIX):
                    continue
                if len(marks) == ENTRIES_MAX:
                    return None
                marks[entry.name] = _mark(entry)
    except OSError:
        return None
    return marks


def _mark(entry: "os.DirEntry[str]") -> Mark:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return ("unknown", 0, 0)
    if stat.S_ISREG(status.st_mode):
        return ("file", status.st_size, status.st_mtime_ns)
    if stat.S_ISLNK(status.st_mode):
        return ("link", status.st_size, status.st_mtime_ns)
    return ("folder" if stat.S_ISDIR(status.st_mode) else "other", 0, 0)
