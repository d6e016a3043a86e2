"""A configuration: a provider and a model with all their settings, read as strictly as a suite.

It is what is under test, or what a grader asks. Fields: ``configuration_name`` (by default the
file's name without its ending), ``provider``, ``model``, and, each of them optional, ``effort``,
``tools`` (kinds of tool that a session may use, see ``ledger/tools.py``), ``description`` and
``settings``, an object that is the provider's own, in which a number with a fraction is kept as its
text (``"0.7"``).

The provider ``recorded`` takes its answers from the file that ``settings.answers_file`` names,
relative to the configuration's folder. It may lie in that folder, beside it (``../answers/``) or
below either; further up is refused, so that a suite's folder can be moved as a whole.

    {"provider": "recorded", "model": "m-1", "settings": {"answers_file": "../answers/a.jsonl"}}
"""

import posixpath
from pathlib import Path

from ledger.canonical import JsonObject, format_canonical
from ledger.errors import FaultyInput, NotCanonical
from trials.suite.checks import simplify_value
from trials.suite.contents import read_document
from trials.suite.faults import Faults, format_fault
from trials.suite.folder import Folder
from trials.suite.model import Configuration, SuiteFile
from trials.suite.schema import ConfigurationEntry, check_entry

ANSWERS_BYTES_MAX = 512 * 2**20
"""A file of recorded answers; it is held in memory while a run starts."""
RECORDED = "recorded"


def load_configuration(path: Path) -> Configuration:
    """Return the configuration that the file at ``path`` states.

    Raises:
        FaultyInput: one line for every fault, "file: field: what is wrong; what to do".
    """
    if not path.name.endswith((".json", ".yaml", ".yml")):
        raise FaultyInput([format_fault(str(path), "", "is not a .json, .yaml or .yml file")])
    own = Folder(path.parent)
    file = own.read(path.name, path.name)
    prefix = f"{path.name}: "
    document = read_document(file)
    if document.get("configuration_name") is None:
        document["configuration_name"] = path.stem
    faults = Faults()
    entry = faults.attempt(check_entry, ConfigurationEntry, document, prefix)
    settings = faults.attempt(_read_settings, document.get("settings"), prefix)
    files = [SuiteFile(path=file.path, data=file.data)]
    if document.get("provider") == RECORDED and settings is not None:
        answers = faults.attempt(_read_answers, settings, path.parent, prefix)
        files += [answers] if answers else []
    faults.settle()
    if entry is None or settings is None:  # Then a fault was noted, and settle has raised.
        raise AssertionError(path)
    return Configuration(
        name=entry.configuration_name,
        provider=entry.provider,
        model=entry.model,
        effort=entry.effort,
        tools=tuple(entry.tools),
        description=entry.description or "",
        settings=settings,
        files=tuple(sorted(files, key=lambda item: item.path)),
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


def _read_answers(settings: JsonObject, parent: Path, prefix: str) -> SuiteFile:
    field = f"{prefix}settings.answers_file"
    path = settings.get("answers_file")
    if not isinstance(path, str) or not path:
        what = f"the provider {RECORDED!r} needs the path of a file of answers"
        raise FaultyInput([format_fault(field, "", what)])
    # By the folder above, so that `..` leads there and no further; what the configuration's own
    # folder is called is no part of the path that is kept.
    resolved = posixpath.normpath(path)
    is_beside = resolved.startswith("../")
    home = parent.resolve()
    folder = Folder(home.parent if is_beside else home, size_bytes_max=ANSWERS_BYTES_MAX)
    file = folder.read(resolved.removeprefix("../"), field)
    return SuiteFile(path=f"../{file.path}" if is_beside else file.path, data=file.data)
