"""The checks of a suite: the common fields, and a grader made of the rest.

A grader's own fields go to its factory as the file states them, with two exceptions: a number with
a fraction goes as its text, never as a float, and a field that names a file (``FILE_FIELDS``) is
replaced by what the file holds, in which a number with a fraction is a ``Decimal``.
"""

import re
from collections.abc import Mapping
from decimal import Decimal

from graders.grader import Grader
from graders.registry import find_member
from ledger.canonical import JsonObject, JsonValue, format_canonical
from ledger.errors import FaultyInput, NotCanonical
from trials.suite.contents import check_names, list_items, read_document, read_prose
from trials.suite.documents import Numeral, join_path, show_value
from trials.suite.faults import Faults, format_fault, suggest_name
from trials.suite.folder import Folder, FoundFile
from trials.suite.model import Check, SuiteFile
from trials.suite.schema import CheckEntry, check_entry

FILE_FIELDS = {"rubric_file": "rubric", "schema_file": "schema"}
"""A check's field that names a file, and the grader's field that takes what the file holds."""


def load_checks(
    folder: Folder, document: dict[str, object], name: str, faults: Faults
) -> tuple[Check, ...]:
    """Return the sound checks of the suite file ``name``.

    What is wrong with their common fields is among the faults of the whole document; what only
    shows with the grader and its files is noted here.
    """
    checks = []
    check_names(document, "checks", "check_name", name, faults)
    for index, item in list_items(document, "checks"):
        if not isinstance(item, dict):
            continue
        prefix = f"{name}: {join_path('checks', index)}."
        fields = _list_own_fields(item, prefix, faults)
        contents = _read_files(folder, fields, prefix, faults)
        grader = _make_grader(item.get("grader"), fields, contents, prefix, faults)
        entry = Faults().attempt(check_entry, CheckEntry, item, "")
        if entry is not None and grader is not None:
            checks.append(_make_check(entry, grader, fields))
    return tuple(checks)


def simplify_value(value: object) -> JsonValue:
    """Return ``value`` within canonical JSON: a number with a fraction is its text."""
    if isinstance(value, Numeral):
        return value.text
    if isinstance(value, list):
        return [simplify_value(item) for item in value]
    if isinstance(value, dict):
        return {key: simplify_value(item) for key, item in value.items()}
    if value is None or isinstance(value, str | int):
        return value
    raise TypeError(f"{value!r:.60} is not out of a document")


def _list_own_fields(item: dict[str, object], prefix: str, faults: Faults) -> dict[str, object]:
    """Return the grader's fields of a check, less those that a common field's slip explains."""
    own: dict[str, object] = {}
    absent = CheckEntry.model_fields.keys() - item.keys()
    for field, value in item.items():
        if field in CheckEntry.model_fields:
            continue
        saying = suggest_name(field, absent)
        if saying.startswith("did you mean"):
            faults.add(prefix, join_path("", field), f"unknown field; {saying}")
        elif not field.isascii() or not field.isidentifier():
            faults.add(prefix, join_path("", field), "unknown field; no field is spelt so")
        elif faults.attempt(_check_canonical, value, f"{prefix}{field}"):
            own[field] = value
    return own


def _check_canonical(value: object, origin: str) -> bool:
    try:
        format_canonical(simplify_value(value))
    except NotCanonical as error:
        raise FaultyInput([format_fault(origin, "", str(error))]) from error
    return True


def _read_files(
    folder: Folder, fields: dict[str, object], prefix: str, faults: Faults
) -> dict[str, object]:
    """Return what the named files hold by the grader's field; ``None`` for one at fault."""
    contents: dict[str, object] = {}
    for field, target in FILE_FIELDS.items():
        if target in fields:
            faults.add(prefix, target, f"stands in the suite file; name a file in {field}")
            contents[target] = None
        if field not in fields:
            continue
        contents[target] = None
        path = fields[field]
        if not isinstance(path, str):
            faults.add(prefix, field, f"{show_value(path)} is not a string; name a file")
            continue
        file = faults.attempt(folder.read_named, path, f"{prefix}{field}")
        if file is not None:
            contents[target] = faults.attempt(_read_content, target, file)
    return contents


def rebuild_grader(name: str, fields: JsonObject, files: Mapping[str, SuiteFile]) -> Grader:
    """Return the grader of a recorded check.

    Args:
        name: the grader's.
        fields: the grader's own fields, as ``Check.grader_fields`` has them.
        files: a field that names a file to that file, as it was.

    Raises:
        FaultyInput: this program has no such grader, or its fields have changed.
    """
    given: dict[str, object] = {
        field: value for field, value in fields.items() if field not in FILE_FIELDS
    }
    for field, file in files.items():
        given[FILE_FIELDS[field]] = _read_content(FILE_FIELDS[field], file)
    return find_member(name).factory(given)


def _read_content(target: str, file: FoundFile | SuiteFile) -> object:
    return _make_exact(read_document(file)) if target == "schema" else read_prose(file)


def _make_exact(value: object) -> object:
    """Return ``value`` with a ``Decimal`` for each number with a fraction or an exponent."""
    if isinstance(value, Numeral):
        return Decimal(value.text)
    if isinstance(value, list):
        return [_make_exact(item) for item in value]
    if isinstance(value, dict):
        return {key: _make_exact(item) for key, item in value.items()}
    return value


def _make_grader(
    name: object,
    fields: dict[str, object],
    contents: dict[str, object],
    prefix: str,
    faults: Faults,
) -> Grader | None:
    if not isinstance(name, str):
        return None
    taken = FILE_FIELDS.keys() | FILE_FIELDS.values()
    given = {field: simplify_value(item) for field, item in fields.items() if field not in taken}
    sound = {target: held for target, held in contents.items() if held is not None}
    try:
        grader = find_member(name).factory(given | sound)
    except FaultyInput as error:
        # A file that could not be read has its own fault; that its content is missing is none.
        faults.lines += [
            prefix + _name_file(line)
            for line in error.faults
            if re.split(r"\W", line)[0] not in contents.keys() - sound.keys()
        ]
        return None
    return grader if len(sound) == len(contents) else None


def _name_file(line: str) -> str:
    """Return a grader's fault about what a file holds as one about the field that names it."""
    for field, target in FILE_FIELDS.items():
        if re.match(rf"{target}\b", line):
            return field + line.removeprefix(target)
    return line


def _make_check(entry: CheckEntry, grader: Grader, fields: dict[str, object]) -> Check:
    return Check(
        name=entry.check_name,
        grader=grader,
        grader_fields={field: simplify_value(value) for field, value in fields.items()},
        minimum_pass_rate=entry.minimum_pass_rate,
        critical=entry.critical,
        description=entry.description,
    )
