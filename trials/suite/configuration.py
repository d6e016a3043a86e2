"""A configuration: a provider and a model with all their settings, read as strictly as a suite.

It is what is under test, or what a grader asks. Fields: ``configuration_name`` (by default the
file's name without its ending), ``provider``, ``model``, and, each of them optional, ``effort``,
``tools`` (kinds of tool that a session may use, see ``ledger/tools.py``), ``resolved_models``
(names under which the model may answer beside its own), ``limits``, ``description`` and
``settings``, an object that is the provider's own, in which a number with a fraction is kept as its
text (``"0.7"``).

The provider ``recorded`` takes its answers from the file that ``settings.answers_file`` names, from
those that ``settings.transcripts`` lists, or from both, relative to the configuration's folder.
They may lie in that folder, beside it (``../answers/``) or below either; further up is refused, so
that a suite's folder can be moved as a whole.

    {"provider": "recorded", "model": "m-1", "settings": {"answers_file": "../answers/a.jsonl"}}
"""

import posixpath
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ledger.canonical import JsonObject, format_canonical
from ledger.errors import FaultyInput, NotCanonical
from providers import Limits
from trials.suite.checks import simplify_value
from trials.suite.contents import ENDINGS, read_document
from trials.suite.documents import join_path
from trials.suite.faults import Faults, format_fault
from trials.suite.folder import Folder, FoundFile
from trials.suite.model import Configuration, SuiteFile
from trials.suite.schema import (
    ConfigurationEntry,
    LimitsEntry,
    TranscriptsEntry,
    check_entry,
)

ANSWERS_BYTES_MAX = 512 * 2**20
"""A file of recorded answers; it is held in memory while a run starts."""
RECORDED = "recorded"

Reader = Callable[[str, str], FoundFile]
"""From a path, which may begin with ``../``, and the place that names it, to the file."""


def load_configuration(path: Path) -> Configuration:
    """Return the configuration that the file at ``path`` states.

    Raises:
        FaultyInput: one line for every fault, "file: field: what is wrong; what to do".
    """
    if not path.name.endswith(ENDINGS):
        raise FaultyInput([format_fault(str(path), "", "is not a .json, .yaml or .yml file")])
    file = Folder(path.parent).read(path.name, path.name)
    return _make_configuration(file, partial(_read_beside, path.parent.resolve()))


def load_graders(
    folder: Folder, document: dict[str, object], name: str, faults: Faults
) -> tuple[tuple[str, Configuration], ...]:
    """Return the sound ``grader_configurations`` of the suite file ``name``, sorted by role.

    A configuration and its answers lie in the suite's folder and belong to the suite. Its value is
    the same as when it is loaded by itself.
    """
    named = document.get("grader_configurations")
    graders = []
    for role, path in sorted(named.items()) if isinstance(named, dict) else ():
        if not isinstance(path, str):  # It is among the faults of the document.
            continue
        origin = f"{name}: {join_path('grader_configurations', role)}"
        file = faults.attempt(folder.read_named, path, origin)
        if file is None:
            continue
        read = partial(_read_within, folder, posixpath.dirname(file.path))
        configuration = faults.attempt(_make_configuration, file, read)
        graders += [(role, configuration)] if configuration else []
    return tuple(graders)


def _make_configuration(file: FoundFile, read: Reader) -> Configuration:
    """Return the configuration that ``file`` states; ``read`` finds what its settings name.

    Raises:
        FaultyInput: one line for every fault.
    """
    name = posixpath.basename(file.path)
    prefix = f"{file.path}: "
    document = read_document(file)
    if document.get("configuration_name") is None:
        document["configuration_name"] = posixpath.splitext(name)[0]
    faults = Faults()
    entry = faults.attempt(check_entry, ConfigurationEntry, document, prefix)
    settings = faults.attempt(_read_settings, document.get("settings"), prefix)
    files = [SuiteFile(path=name, data=file.data)]
    if document.get("provider") == RECORDED and settings is not None:
        files += _read_recordings(settings, prefix, read, faults)
    faults.settle()
    if entry is None or settings is None:  # Then a fault was noted, and settle has raised.
        raise AssertionError(name)
    limits = entry.limits or LimitsEntry()
    return Configuration(
        name=entry.configuration_name,
        provider=entry.provider,
        model=entry.model,
        effort=entry.effort,
        tools=tuple(entry.tools),
        recorded_from=entry.recorded_from,
        description=entry.description or "",
        settings=settings,
        files=tuple(sorted(files, key=lambda item: item.path)),
        resolved_models=tuple(entry.resolved_models),
        limits=Limits(
            deadline_s=limits.deadline_s,
            output_tokens_max=limits.output_tokens_max,
            cost_usd_max=limits.cost_usd_max,
        ),
        attempts_max=limits.attempts_max,
        requests_per_minute=limits.requests_per_minute,
    )


def _read_settings(settings: object, prefix: str) -> JsonObject:
    """Return the settings within canonical JSON; what is no object is the entry's fault."""
    if not isinstance(settings, dict):
        return {}
    simple: JsonObject = {key: simplify_value(item) for key, item in settings.items()}
    try:
        format_canonical(simple)
    except NotCanonical as error:
        raise FaultyInput([format_fault(prefix, "settings", str(error))]) from error
    return simple


def _read_recordings(
    settings: JsonObject, prefix: str, read: Reader, faults: Faults
) -> list[SuiteFile]:
    """Return the files of answers and of transcripts, each once."""
    named: dict[str, str] = {}
    if "answers_file" in settings or "transcripts" not in settings:
        path = faults.attempt(_name_answers, settings, prefix)
        named |= {path: f"{prefix}settings.answers_file"} if path else {}
    if "transcripts" in settings:
        listed = faults.attempt(_list_transcripts, settings, f"{prefix}settings.")
        for index, path in enumerate(listed or ()):
            field = join_path("settings.transcripts", index)
            named.setdefault(posixpath.normpath(path), f"{prefix}{field}.file")
    found = [(path, faults.attempt(read, path, field)) for path, field in named.items()]
    return [SuiteFile(path=path, data=file.data) for path, file in found if file]


def _name_answers(settings: JsonObject, prefix: str) -> str:
    path = settings.get("answers_file")
    if not isinstance(path, str) or not path:
        what = f"the provider {RECORDED!r} needs the path of a file of answers"
        raise FaultyInput([format_fault(prefix, "settings.answers_file", what)])
    return posixpath.normpath(path)


def _list_transcripts(settings: JsonObject, prefix: str) -> list[str]:
    """Return the path of each transcript; what is in the file is for its format to say."""
    listed = check_entry(TranscriptsEntry, {"transcripts": settings["transcripts"]}, prefix)
    return [entry.file for entry in listed.transcripts]


def _read_beside(home: Path, path: str, field: str) -> FoundFile:
    """Read by the folder above ``home`` where ``path`` leads there, so that it leads no further."""
    is_beside = path.startswith("../")
    folder = Folder(home.parent if is_beside else home, size_bytes_max=ANSWERS_BYTES_MAX)
    return folder.read(path.removeprefix("../"), field)


def _read_within(folder: Folder, home: str, path: str, field: str) -> FoundFile:
    """Read from ``folder``, in which ``home`` is the configuration's; it leads no further up."""
    below = path.removeprefix("../")
    if below.startswith("../"):
        what = f"{below} leads out of the folder; move the file into it"
        raise FaultyInput([format_fault(field, "", what)])
    if path.startswith("/"):
        return folder.read_named(path, field)  # It refuses any path that is not relative.
    found = posixpath.join(home, path)
    return folder.read_named(found, field, size_bytes_max=ANSWERS_BYTES_MAX)
