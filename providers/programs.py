"""Programs: how a provider finds the one that it runs, and what is kept of how it ran."""

import json
import os
import shutil
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from ledger.artifact import JSON, TEXT
from ledger.digest import Digest, compute_digest
from providers.isolation import OUTPUT_BYTES_MAX, Ending, Workspace
from providers.provider import Failure, Part
from providers.setup import Setup

NAMED_BYTES_MAX = 256 * 2**20
LINE_LENGTH_MAX = 300
"""Characters of the last line on standard error that a failure tells."""


def find_program(setup: Setup, field: str, name: str) -> str:
    """Return the absolute path of the program ``name``, not following links.

    Args:
        setup: its environment has the PATH.
        field: of the configuration, for the message.
        name: with a slash, a path from the current folder.

    Raises:
        FaultyInput: there is none.
    """
    if "/" in name:
        found = shutil.which(os.path.abspath(name))  # noqa: PTH100
        where = "there"
    else:
        found = shutil.which(name, path=setup.vault.environment.get("PATH", os.defpath))
        where = "on the PATH"
    if found is None:
        what = f"there is no program {name!a:.200} {where}; install it or correct the path"
        raise setup.fault(field, what)
    return os.path.abspath(found)  # noqa: PTH100


def name_files(argv: Sequence[str]) -> tuple[tuple[str, Digest], ...]:
    """Return path and address of each file that ``argv`` names by its absolute path.

    What a configuration says of a program are words; these are the bytes that they stood for.
    """
    files = (Path(argument) for argument in argv if argument.startswith("/"))
    return tuple(
        (str(file), compute_digest(file.read_bytes()))
        for file in files
        if file.is_file() and file.stat().st_size <= NAMED_BYTES_MAX and os.access(file, os.R_OK)
    )


def look_after(
    workspace: Workspace, patterns: Sequence[str]
) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """Return what is kept of a workspace and what is noted of it, and remove it."""
    parts = workspace.collect(patterns)
    escapes = workspace.find_escapes()
    return parts, escapes + workspace.remove()


def describe_ending(
    ending: Ending,
    argv: Sequence[str],
    environment: Mapping[str, str],
    *,
    version: str | None = None,
    files: Sequence[tuple[str, Digest]] = (),
) -> tuple[Part, ...]:
    """Return how a program was run and how it ended, and its standard error where it has some.

    Of the environment the names are kept alone.
    """
    document = {
        "argv": list(argv),
        "version": version,
        "files": [list(file) for file in files],
        "environment": sorted(environment),
        "exit_code": ending.exit_code,
        "was_killed": ending.was_killed,
        "duration_us": ending.duration_us,
    }
    process = Part("process", json.dumps(document).encode(), JSON)
    stderr = Part("stderr", ending.stderr, TEXT)
    return (process, stderr) if ending.stderr else (process,)


def find_failure(ending: Ending, deadline_s: float) -> Failure | None:
    """Return why a program that ended so gave no answer, or ``None`` where it may have."""
    if ending.error is not None:
        if ending.is_transient:
            return Failure("start_failed", ending.error, is_transient=True)
        return Failure("program_missing", ending.error, stops_run=True)
    if ending.was_killed == "deadline":
        return Failure("timed_out", f"no end after {deadline_s:g} s")
    if ending.was_killed == "output":
        return Failure("too_large", f"it wrote more than {OUTPUT_BYTES_MAX:,} bytes")
    if ending.exit_code == 0:
        return None
    code = ending.exit_code or 0
    how = f"exit code {code}" if code > 0 else f"ended by {_name_signal(-code)}"
    said = _read_last_line(ending.stderr)
    detail = f"{how}: {said}" if said else how
    return Failure("program_failed", detail, is_transient=code == os.EX_TEMPFAIL)


def _name_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _read_last_line(stderr: bytes) -> str:
    """Return the last line with something on it, as a line of a terminal can carry it."""
    lines = stderr[-4 * LINE_LENGTH_MAX :].decode("utf-8", "replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    plain = "".join(sign if sign.isprintable() else " " for sign in last)
    return plain[:LINE_LENGTH_MAX]
