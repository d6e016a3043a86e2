"""What the files of a suite hold, and the lists of its document, however much is wrong with it."""

from collections.abc import Iterable

from ledger.errors import FaultyInput
from trials.suite.documents import decode_text, join_path, parse_json, parse_yaml, show_value
from trials.suite.faults import Faults, format_fault
from trials.suite.folder import FoundFile
from trials.suite.model import SuiteFile

ENDINGS = (".json", ".yaml", ".yml")
"""Of the name of a file that holds a document."""


def read_document(file: FoundFile | SuiteFile) -> dict[str, object]:
    """Return the object that a JSON or YAML file holds, by the ending of its name.

    Raises:
        FaultyInput: it is not text, or not an object, or breaks a rule of ``documents``.
    """
    if not file.path.endswith(ENDINGS):
        raise FaultyInput([format_fault(file.path, "", "is not a .json, .yaml or .yml file")])
    text = decode_text(file.data, file.path)
    parse = parse_json if file.path.endswith(".json") else parse_yaml
    document = parse(text, f"{file.path}: ")
    if isinstance(document, list):
        raise FaultyInput([format_fault(file.path, "", "is a list; write an object")])
    return document


def read_prose(file: FoundFile | SuiteFile) -> str:
    """Return the text of a prompt or a rubric, nothing stripped.

    Raises:
        FaultyInput: it is not text, or blank.
    """
    text = decode_text(file.data, file.path)
    if not text.strip():
        raise FaultyInput([format_fault(file.path, "", "is empty; write it")])
    return text


def list_items(document: dict[str, object], field: str) -> Iterable[tuple[int, object]]:
    """Return index and item of the list under ``field``; none where no list stands there."""
    items = document.get(field)
    return enumerate(items) if isinstance(items, list) else ()


def list_names(document: dict[str, object], field: str, name_field: str) -> list[tuple[int, str]]:
    """Return index and name of each item that has one, whatever else is wrong with it."""
    return [
        (index, item[name_field])
        for index, item in list_items(document, field)
        if isinstance(item, dict) and isinstance(item.get(name_field), str)
    ]


def check_names(
    document: dict[str, object], field: str, name_field: str, name: str, faults: Faults
) -> None:
    """Note every name that stands twice in the list under ``field`` of the file ``name``."""
    seen: dict[str, int] = {}
    for index, found in list_names(document, field, name_field):
        first = seen.setdefault(found, index)
        if first != index:
            faults.add(
                f"{name}: {join_path(field, index)}.",
                name_field,
                f"{show_value(found)} is also the name of {join_path(field, first)}; "
                "a name stands once",
            )
