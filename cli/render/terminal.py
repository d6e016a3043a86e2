"""What a terminal is given: tables, JSON, progress, and no commands that strangers wrote."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

PIPE_WIDTH = 1_000
"""Columns where there is no terminal to ask: wider than any table, so that no line is broken."""

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def console(out: TextIO | None = None) -> Console:
    """Return what tables are printed on: ``out``, or standard output."""
    out = out or sys.stdout
    width = None if out.isatty() else PIPE_WIDTH
    return Console(file=out, width=width, highlight=False, emoji=False)


def start_table() -> Table:
    """Return a table without columns yet, in the one style that all of them have."""
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")


def make_printable(text: str) -> str:
    """Return ``text`` with its control characters spelled out, but for line feeds and tabs.

    What a model answered may hold what a terminal takes for a command.
    """
    spelled = _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    return spelled.encode("utf-8", "backslashreplace").decode()


def print_json(value: object, out: TextIO | None = None) -> None:
    """Print ``value`` for a program."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True), file=out)


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """Yield what is told how many of how many are done; shown on a terminal alone, on stderr."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(label, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)
