"""``verdict trace``: from a verdict down to the bytes."""

import shutil
import sys
import textwrap
from dataclasses import asdict

import click

from cli.render import make_printable, print_json
from cli.setting import find_folder, open_ledger
from ledger.digest import shorten_digest
from trials.trace import Step, trace_verdict

DATA_CHARS = 100
"""Characters of a line of JSON that are shown; 'verdict show' gives all of it."""
WIDTH_MIN = 110
"""Columns below which a terminal shows addresses by their first 12 digits."""


@click.command()
@click.argument("verdict")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@click.pass_obj
def command(where: str | None, verdict: str, *, as_json: bool) -> None:
    """Show on what VERDICT rests: every event and artifact of the chain, with its address.

    Each link can be looked at with 'verdict show ADDRESS'.
    """
    with open_ledger(find_folder(where)) as opened:
        _, address = opened.ledger.resolve(verdict)
        steps = list(trace_verdict(opened.ledger, opened.keeper, address))
    if as_json:
        print_json([asdict(step) for step in steps])
        return
    for step in steps:
        print_step(step)


def print_step(step: Step) -> None:
    """Print one link."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in format_step(step, width):
        click.echo(line)


def format_step(step: Step, width: int | None) -> list[str]:
    """Return the lines of one link.

    Args:
        step: the link.
        width: of the terminal, within whose lines words are kept whole; ``None`` for a pipe, where
            no line is broken and every address is whole.
    """
    indent = "  " * step.depth
    place = "artifact" if step.position is None else f"event {step.position:,}"
    is_narrow = width is not None and width < WIDTH_MIN
    address = shorten_digest(step.address) if is_narrow else step.address
    label = click.style(step.label, bold=True)
    lines = [f"{indent}{label}  {place}  {click.style(address, dim=True)}"]
    for name, value in step.fields:
        lines += _fold(make_printable(f"{name}: {value}"), f"{indent}  ", width)
    if step.excerpt is not None:
        text = make_printable(step.excerpt)
        is_data = text.startswith(('{"', "["))
        for line in text.removesuffix("\n").split("\n") if text else ["(empty)"]:
            lines += (_cut if is_data else _fold)(line, f"{indent}  | ", width)
    return lines


def _fold(text: str, indent: str, width: int | None) -> list[str]:
    """Return ``text`` behind ``indent``, in as many lines as the terminal needs."""
    if width is None or len(indent) + len(text) <= width:
        return [indent + text]
    room = max(width - len(indent), len(indent))
    return [indent + part for part in textwrap.wrap(text, room, break_on_hyphens=False)]


def _cut(text: str, indent: str, width: int | None) -> list[str]:
    """Return one line of ``text``: JSON tells nobody more by being longer."""
    room = DATA_CHARS if width is None else min(DATA_CHARS, max(width - len(indent) - 2, 1))
    return [indent + (text if len(text) <= room else f"{text[:room]} …")]
