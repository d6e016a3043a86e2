"""The cases of a suite: a file of records, or a folder that holds one folder for each case.

A file is a ``.jsonl`` (one record a line, blank lines skipped) or a ``.json`` (a list of records);
a record is a ``RecordEntry``. A case's folder is named by its id and holds, each of them optional:

- ``case.json``: the fields of a record without the id;
- ``inputs/``: what each trial gets a copy of, nested as it stands;
- ``expected_facts.json``: name of a fact to the list of its accepted values;
- ``reference_ledger.json``: the entries of which facts are totals (``references``);
- anything else, for people; it belongs to the suite and is never given to a trial.

Whatever begins with a dot beside the cases' folders is left alone. No key may lie in ``inputs/``.
Another revision of the keys (``revision``) takes the place of what a case says itself.
"""

import difflib
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass

from graders.grader import Key
from graders.reference import Reference
from ledger.errors import FaultyInput
from trials.suite.documents import decode_text, join_path, parse_json, show_value
from trials.suite.faults import LIKENESS, Faults, format_fault
from trials.suite.folder import Folder, FoundFile
from trials.suite.model import Case
from trials.suite.references import check_sums, read_reference
from trials.suite.revision import FACTS_FILE, KEY_FILES, REFERENCE_FILE, Revision
from trials.suite.schema import CaseEntry, FactsEntry, RecordEntry, check_entry
from trials.suite.values import NAME

CASE_FILE = "case.json"
INPUTS = "inputs"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedCase:
    """A case and where it is written, for people: ``cases.jsonl line 17``."""

    place: str
    case: Case


def load_cases(
    folder: Folder, path: str, revision: Revision, origin: str, faults: Faults
) -> list[PlacedCase]:
    """Return the sound cases at ``path``, noting the faults of all of them.

    Args:
        folder: the suite's.
        path: from there.
        revision: keys that take the place of the cases' own.
        origin: what names the path, for example ``eval_suite.json: cases``.
        faults: where to.
    """
    is_folder = faults.attempt(folder.is_folder, path, origin)
    if is_folder is None:
        return []
    before = len(faults.lines)
    if is_folder:
        cases = _load_folders(folder, posixpath.normpath(path), revision, origin, faults)
    else:
        cases = _load_records(folder, path, revision, origin, faults)
    if not cases and len(faults.lines) == before:
        faults.add(origin, "", f"{path} holds no case; add one")
    _check_unique(cases, faults)
    return cases


def _load_records(
    folder: Folder, path: str, revision: Revision, origin: str, faults: Faults
) -> list[PlacedCase]:
    file = faults.attempt(folder.read_named, path, origin)
    if file is None:
        return []
    if not file.path.endswith((".json", ".jsonl")):
        faults.add(origin, "", f"{path} is neither a .json nor a .jsonl file nor a folder")
        return []
    text = faults.attempt(decode_text, file.data, file.path)
    if text is None:
        return []
    split = _split_lines if file.path.endswith(".jsonl") else _split_list
    cases = []
    for prefix, record in split(text, file.path, faults):
        entry = faults.attempt(check_entry, RecordEntry, record, prefix)
        if entry is None:
            continue
        place = prefix.rstrip(" :.")
        key = _load_key(entry, place, {}, revision.get(entry.id, {}), faults)
        case = _make_case(entry.id, entry, key=key, inputs=())
        cases.append(PlacedCase(place=place, case=case))
    return cases


def _split_lines(text: str, path: str, faults: Faults) -> list[tuple[str, object]]:
    """Return the place and the record of each line; only a line feed ends one."""
    records: list[tuple[str, object]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        prefix = f"{path} line {number}: "
        record = faults.attempt(parse_json, line, prefix) if line.strip(" \t\r") else None
        if record is not None:
            records.append((prefix, record))
    return records


def _split_list(text: str, path: str, faults: Faults) -> list[tuple[str, object]]:
    """Return the place and the record of each item of the list."""
    document = faults.attempt(parse_json, text, f"{path}: ")
    if isinstance(document, dict):
        faults.add(path, "", "is an object; write a list of records")
    if not isinstance(document, list):
        return []
    return [(f"{path}: [{index}].", record) for index, record in enumerate(document)]


def _load_folders(
    folder: Folder, path: str, revision: Revision, origin: str, faults: Faults
) -> list[PlacedCase]:
    cases = []
    for name in faults.attempt(folder.list_names, path, origin) or []:
        if name.startswith("."):
            continue
        place = f"{path}/{name}"
        if re.fullmatch(NAME, name) is None:
            faults.add(
                ascii(place),
                "",
                "the folder's name is no id; use letters, digits, "
                "'.', '_' and '-', at most 100, a letter or digit first",
            )
            continue
        is_folder = faults.attempt(folder.is_folder, place, place)
        if is_folder is False:
            faults.add(place, "", "is not the folder of a case; move it elsewhere")
        if is_folder:
            case = _load_folder(folder, name, place, revision.get(name, {}), faults)
            cases += [case] if case else []
    return cases


def _load_folder(
    folder: Folder, name: str, place: str, revised: Mapping[str, FoundFile], faults: Faults
) -> PlacedCase | None:
    before = len(faults.lines)
    _check_names(folder, place, faults)
    inputs: list[FoundFile] = []
    others: dict[str, FoundFile] = {}
    for path in folder.walk(place, faults):
        below = path.removeprefix(f"{place}/")
        if below.startswith(f"{INPUTS}/"):
            file = faults.attempt(folder.read_input, path, name)
            inputs += [file] if file else []
            if posixpath.basename(path) in KEY_FILES:
                faults.add(
                    path,
                    "",
                    f"a key among the inputs, where every trial would read it; move it to {place}",
                )
        elif below not in revised:
            file = faults.attempt(folder.read_named, path, path)
            others |= {below: file} if file else {}
    entry = faults.attempt(_read_case, others.get(CASE_FILE))
    if entry is None:
        return None
    key = _load_key(entry, f"{place}/{CASE_FILE}", others, revised, faults)
    if len(faults.lines) > before:
        return None
    cut = len(f"{place}/{INPUTS}/")
    data = tuple((file.path[cut:], file.data) for file in inputs)
    return PlacedCase(
        place=place,
        case=_make_case(name, entry, key=key, inputs=data),
    )


def _check_names(folder: Folder, place: str, faults: Faults) -> None:
    """Note what looks like a slip: with ``expected_fact.json`` a case would lose its key."""
    known = {CASE_FILE, INPUTS} | KEY_FILES
    names = set(faults.attempt(folder.list_names, place, place) or [])
    for name in sorted(names - known):
        stem = name.rpartition(".")[0]
        close = difflib.get_close_matches(name, known - names, n=1, cutoff=LIKENESS)
        close = close or [item for item in known - names if item.startswith(f"{stem}.")]
        if close:
            faults.add(f"{place}/{name}", "", f"did you mean {close[0]!r}? rename it")
    for name in sorted(known & names):
        # A link or a pipe is noted where the folder is walked.
        is_folder = Faults().attempt(folder.is_folder, f"{place}/{name}", place)
        if name == INPUTS and is_folder is False:
            faults.add(f"{place}/{name}", "", "is not a folder; put the input into one")
        if name != INPUTS and is_folder:
            faults.add(f"{place}/{name}", "", "is a folder; it has to be a file")


def _read_case(file: FoundFile | None) -> CaseEntry:
    if file is None:
        return CaseEntry()
    document = parse_json(decode_text(file.data, file.path), f"{file.path}: ")
    if isinstance(document, dict) and "id" in document:
        raise FaultyInput(
            [
                format_fault(
                    f"{file.path}: ",
                    "id",
                    f"the folder's name is the id; remove {show_value(document['id'])}",
                )
            ]
        )
    return check_entry(CaseEntry, document, f"{file.path}: ")


def _load_key(
    entry: CaseEntry,
    place: str,
    own: Mapping[str, FoundFile],
    revised: Mapping[str, FoundFile],
    faults: Faults,
) -> Key | None:
    """Return what the case and its key files say about its answers; ``None`` if they say nothing.

    Args:
        entry: the case's fields.
        place: where they are written.
        own: the case's files by name.
        revised: the files that take the place of its own.
        faults: where to; with one the key is not to be used.
    """
    written = {} if FACTS_FILE in revised else entry.facts
    file = revised.get(FACTS_FILE) or own.get(FACTS_FILE)
    facts = faults.attempt(_read_facts, file) if file else {}
    for fact in sorted(written.keys() & (facts or {}).keys()):
        faults.add(
            f"{file.path if file else place}: ",
            join_path("", fact),
            f"also stands in {posixpath.basename(place)}; keep one of them",
        )
    source = revised.get(REFERENCE_FILE) or own.get(REFERENCE_FILE)
    reference = faults.attempt(read_reference, source) if source else None
    if facts is None:
        return None
    key = _make_key(entry, written | facts, reference)
    if key is not None and source is not None and reference is not None:
        places = dict.fromkeys(written, place)
        places |= dict.fromkeys(facts, file.path if file else place)
        check_sums(reference, key.facts, f"{source.path}: ", places, faults)
    return key


def _read_facts(file: FoundFile) -> dict[str, tuple[str, ...]]:
    document = parse_json(decode_text(file.data, file.path), f"{file.path}: ")
    return check_entry(FactsEntry, {"facts": document}, f"{file.path}: ").facts


def _make_key(
    entry: CaseEntry, facts: dict[str, tuple[str, ...]], reference: Reference | None
) -> Key | None:
    key = Key(
        facts=facts,
        must_include=tuple(entry.must_include),
        must_not_include=tuple(entry.must_not_include),
        expectation=entry.expectation,
        reference=reference,
    )
    return None if key == Key() else key


def _make_case(
    name: str, entry: CaseEntry, *, key: Key | None, inputs: tuple[tuple[str, bytes], ...]
) -> Case:
    return Case(
        id=name,
        category=entry.category,
        critical=entry.critical,
        question=entry.question,
        inputs=inputs,
        key=key,
    )


def _check_unique(cases: list[PlacedCase], faults: Faults) -> None:
    """Note ids that stand twice, and cases that ask the same under two ids."""
    by_id: dict[str, PlacedCase] = {}
    by_content: dict[object, PlacedCase] = {}
    for placed in cases:
        case = placed.case
        first = by_id.setdefault(case.id, placed)
        if first is not placed:
            faults.add(
                f"{placed.place}: ",
                "id",
                f"{case.id!r} is also the id of {first.place}; an id stands once",
            )
            continue
        first = by_content.setdefault((case.question, case.inputs), placed)
        if first is not placed:
            faults.add(
                f"{placed.place}: ",
                "question",
                f"identical to {first.case.id!r} ({first.place}), inputs too; remove one",
            )
