"""Another revision of the answer keys: the folder that the suite's ``keys`` names.

It has a folder for each case whose key it revises, named by the case's id, with
``expected_facts.json``, ``reference_ledger.json`` or both. The first takes the place of all facts
of the case, wherever they are written; the second that of the case's reference. What is replaced is
not read and does not belong to the suite. So two suite files beside the same prompts and inputs can
differ in their keys alone.
"""

import posixpath
from collections.abc import Mapping

from trials.suite.faults import Faults
from trials.suite.folder import Folder, FoundFile

FACTS_FILE = "expected_facts.json"
REFERENCE_FILE = "reference_ledger.json"
KEY_FILES = frozenset({FACTS_FILE, REFERENCE_FILE})
"""Names that say that a file is a key; below ``inputs/`` they can only be a mistake."""

Revision = Mapping[str, Mapping[str, FoundFile]]
"""Id of a case to its revised files by name."""


def load_revision(
    folder: Folder, document: dict[str, object], name: str, faults: Faults
) -> Revision:
    """Return the revised keys of the suite file ``name``; none where it names no ``keys``."""
    path = document.get("keys")
    origin = f"{name}: keys"
    if not isinstance(path, str):  # What is no text is among the faults of the document.
        return {}
    is_folder = faults.attempt(folder.is_folder, path, origin)
    if is_folder is False:
        faults.add(origin, "", f"{path} is a file; name a folder with a folder for each case")
    if not is_folder:
        return {}
    path = posixpath.normpath(path)
    before = len(faults.lines)
    revision = {}
    for case in faults.attempt(folder.list_names, path, origin) or []:
        if case.startswith("."):
            continue
        files = _load_folder(folder, f"{path}/{case}", faults)
        if files:
            revision[case] = files
    if not revision and len(faults.lines) == before:
        faults.add(origin, "", f"{path} holds no key; add one or leave the field out")
    return revision


def check_cases(revision: Revision, known: set[str], name: str, faults: Faults) -> None:
    """Note each revised key whose case is not among the ``known`` ones."""
    for case in sorted(revision.keys() - known):
        place = posixpath.dirname(next(iter(revision[case].values())).path)
        what = f"{place} is the key of no case; name the folder as a case is named"
        faults.add(f"{name}: keys", "", what)


def _load_folder(folder: Folder, place: str, faults: Faults) -> dict[str, FoundFile]:
    is_folder = faults.attempt(folder.is_folder, place, _show_path(place))
    if is_folder is False:
        faults.add(place, "", "is not the folder of a case; move it elsewhere")
    if not is_folder:
        return {}
    files = {}
    names = faults.attempt(folder.list_names, place, place) or []
    for name in names:
        below = f"{place}/{name}"
        if name not in KEY_FILES:
            known = " and ".join(sorted(KEY_FILES))
            faults.add(_show_path(below), "", f"is no key; the folder takes {known}")
            continue
        file = faults.attempt(folder.read_named, below, below)
        if file is not None:
            files[name] = file
    if not names:
        faults.add(place, "", f"is empty; add {' or '.join(sorted(KEY_FILES))}")
    return files


def _show_path(path: str) -> str:
    return path if path.isprintable() else ascii(path)
