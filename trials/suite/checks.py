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
EXTRACTION_FIELDS = {
    "instructions_file": "extraction_instructions",
    "schema_file": "extraction_schema",
}
"""The same for the suite's ``fact_extraction``, which is given to checks that ask an extractor."""
DOCUMENTS = frozenset({"schema", "extraction_schema"})
"""Grader's fields that take an object; the others take text."""

Contents = dict[str, tuple[str, object]]
"""Grader's field to the path of a file and what it holds; ``None`` for a file at fault."""


def load_checks(
    folder: Folder, document: dict[str, object], name: str, faults: Faults
) -> tuple[Check, ...]:
    """Return the sound checks of the suite file ``name``.

    What is wrong with their common fields is among the faults of the whole document; what only
    shows with the grader and its files is noted here.
    """
    checks = []
    asked: dict[str, list[str]] = {}
    home = f"{name}: fact_extraction."
    shared = _read_extraction(folder, document, home, faults)
    is_complete = True
    check_names(document, "checks", "check_name", name, faults)
    for index, item in list_items(document, "checks"):
        if not isinstance(item, dict):
            is_complete = False
            continue
        prefix = f"{name}: {join_path('checks', index)}."
        fields = _list_own_fields(item, prefix, faults)
        contents = _read_files(folder, FILE_FIELDS, fields, prefix, faults)
        if _is_extracting(item):
            contents |= shared
        grader, lines = _make_grader(item.get("grader"), fields, contents, prefix, home)
        faults.lines += [line for line in lines if line not in faults.lines]
        for role in grader.roles if grader else ():
            asked.setdefault(role, []).append(prefix)
        is_complete = is_complete and grader is not None
        entry = Faults().attempt(check_entry, CheckEntry, item, "")
        if entry is not None and grader is not None:
            files = tuple(sorted((field, path) for field, (path, _) in contents.items()))
            checks.append(_make_check(entry, grader, fields, files))
    _check_roles(document, name, asked, faults, is_complete=is_complete)
    return tuple(checks)


def _check_roles(
    document: dict[str, object],
    name: str,
    asked: Mapping[str, list[str]],
    faults: Faults,
    *,
    is_complete: bool,
) -> None:
    """Note each check that asks a role without a configuration, and each role that none asks.

    Args:
        document: the suite file's.
        name: of the suite file.
        asked: role to the places of the checks that ask it.
        faults: where to.
        is_complete: whether every check's grader could be made; one that could not may ask.
    """
    named = document.get("grader_configurations", {})
    if not isinstance(named, dict):  # It is among the faults of the document.
        return
    for role, places in asked.items():
        if role not in named:
            what = f"asks {_add_article(role)}, and grader_configurations names none; add one"
            for place in places:
                faults.add(place, "grader", what)
    for role in sorted(named.keys() - asked.keys()) if is_complete else ():
        saying = suggest_name(role, asked)
        advice = saying if saying.startswith("did you mean") else "remove it"
        field = join_path("grader_configurations", role)
        faults.add(f"{name}: ", field, f"no check asks {_add_article(role)}; {advice}")


def _add_article(role: str) -> str:
    return f"{'an' if role[:1] in 'aeiou' else 'a'} {role:.100}"


def _read_extraction(
    folder: Folder, document: dict[str, object], prefix: str, faults: Faults
) -> Contents:
    """Return what the suite's ``fact_extraction`` names; nothing where it has none.

    Both files are in it or none is: one that is missing or not named is at fault.
    """
    entry = document.get("fact_extraction")
    if entry is None:
        return {}
    contents: Contents = dict.fromkeys(EXTRACTION_FIELDS.values(), ("", None))
    if isinstance(entry, dict):  # What is no object is among the faults of the document.
        contents |= _read_files(folder, EXTRACTION_FIELDS, entry, prefix, faults)
    return contents


def _is_extracting(item: dict[str, object]) -> bool:
    """Return whether a check's grader is given the suite's fact extraction."""
    name = item.get("grader")
    if not isinstance(name, str) or "pattern" in item:
        return False
    try:
        return find_member(name).is_extracting
    except FaultyInput:  # It is noted where the grader is made.
        return False


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
        elif field in EXTRACTION_FIELDS.values():
            faults.add(prefix, field, "unknown field; fact_extraction says it for all checks")
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
    folder: Folder,
    table: Mapping[str, str],
    fields: dict[str, object],
    prefix: str,
    faults: Faults,
) -> Contents:
    """Return what the files hold that ``fields`` name, by the grader's field."""
    contents: Contents = {}
    for field, target in table.items():
        if target in fields:
            faults.add(prefix, target, f"stands in the suite file; name a file in {field}")
            contents[target] = "", None
        if field not in fields:
            continue
        path = fields[field]
        contents[target] = "", None
        if not isinstance(path, str):
            faults.add(prefix, field, f"{show_value(path)} is not a string; name a file")
            continue
        file = faults.attempt(folder.read_named, path, f"{prefix}{field}")
        if file is not None:
            contents[target] = file.path, faults.attempt(_read_content, target, file)
    return contents


def rebuild_grader(name: str, fields: JsonObject, files: Mapping[str, SuiteFile]) -> Grader:
    """Return the grader of a recorded check.

    Args:
        name: the grader's.
        fields: the grader's own fields, as ``Check.grader_fields`` has them.
        files: a grader's field to the file whose content it takes, as it was.

    Raises:
        FaultyInput: this program has no such grader, or its fields have changed.
    """
    given: dict[str, object] = {
        field: value for field, value in fields.items() if field not in FILE_FIELDS
    }
    for field, file in files.items():
        given[field] = _read_content(field, file)
    return find_member(name).factory(given)


def _read_content(target: str, file: FoundFile | SuiteFile) -> object:
    return _make_exact(read_document(file)) if target in DOCUMENTS else read_prose(file)


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
    name: object, fields: dict[str, object], contents: Contents, prefix: str, home: str
) -> tuple[Grader | None, list[str]]:
    """Return the grader of a check, or what is wrong with it.

    Args:
        name: the grader's.
        fields: the check's own.
        contents: what the grader is given out of files.
        prefix: the check's, see ``format_fault``.
        home: that of the suite's ``fact_extraction``.
    """
    if not isinstance(name, str):
        return None, []
    taken = FILE_FIELDS.keys() | FILE_FIELDS.values()
    given = {field: simplify_value(item) for field, item in fields.items() if field not in taken}
    sound = {target: held for target, (_, held) in contents.items() if held is not None}
    # A file that could not be read has its own fault; that its content is missing is none.
    hidden = contents.keys() - sound.keys()
    if hidden & set(EXTRACTION_FIELDS.values()):
        hidden |= {"grader", "pattern"}  # where a grader says what it would have taken instead
    try:
        grader = find_member(name).factory(given | sound)
    except FaultyInput as error:
        lines = [line for line in error.faults if re.split(r"\W", line)[0] not in hidden]
        return None, [_place_line(line, prefix, home) for line in lines]
    return grader if len(sound) == len(contents) else None, []


def _place_line(line: str, prefix: str, home: str) -> str:
    """Return a grader's fault with its place; one about what a file holds names the file's field.

    A fault of the suite's ``fact_extraction`` is the same for every check.
    """
    for table, place in ((EXTRACTION_FIELDS, home), (FILE_FIELDS, prefix)):
        for field, target in table.items():
            if re.match(rf"{target}\b", line):
                return place + field + line.removeprefix(target)
    return prefix + line


def _make_check(
    entry: CheckEntry,
    grader: Grader,
    fields: dict[str, object],
    files: tuple[tuple[str, str], ...],
) -> Check:
    return Check(
        name=entry.check_name,
        grader=grader,
        grader_fields={field: simplify_value(value) for field, value in fields.items()},
        files=files,
        minimum_pass_rate=entry.minimum_pass_rate,
        critical=entry.critical,
        description=entry.description,
        evidence=entry.evidence,
    )
