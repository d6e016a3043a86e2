"""What of ``docs/`` is made from the program itself: ``python -m cli.manual [--check]``.

``cli.md`` is made from the help texts, and the kinds of event in ``format.md`` from their classes.
Run in a checkout. With ``--check`` nothing is written, and the exit status is 1 if a page is not
what the program says. No command imports this module.
"""

import inspect
import re
import sys
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import click

from cli.main import COMMANDS, verdict
from ledger.artifact import ArtifactRef
from ledger.canonical import Count
from ledger.digest import Digest
from ledger.events import Body
from ledger.events.registry import KINDS
from ledger.outcomes import Cause, Verdict
from ledger.tools import ToolKind

DOCS = Path(__file__).parents[1] / "docs"
WIDTH = 100
FORMS: Mapping[Any, str] = {
    ArtifactRef: "artifact",
    Cause: "cause",
    Count: "count",
    Digest: "event",
    NoneType: "null",
    ToolKind: "kind of tool",
    Verdict: "verdict",
    str: "string",
}
"""What the type of a field is called in ``format.md``."""
_SECTION = re.compile(r"(<!-- (kinds): made by `make docs` -->\n).*?(<!-- end -->)", re.DOTALL)
_HEAD = """# The command line

Made from the help texts by `make docs`; a test holds the two equal. `verdict COMMAND --help` shows
the same.

Exit status: 0 done, and what was to be decided was decided well; 1 a gate failed, a verdict did not
come out again, or `verify` found damage; 2 refused: the call, its input or the ledger is not as it
has to be, or `verify` could not finish; 3 incomplete: what is recorded stands, go on later; 130
stopped by Ctrl-C; 141 whoever read the output left. An expected error is a line on stderr that
begins with `error:`; where there are several faults, a line for each.
"""


def format_manual() -> str:
    """Return the page."""
    parent = click.Context(verdict, info_name="verdict", **verdict.context_settings)
    parts = [_HEAD, _format_page(verdict, parent)]
    for name in COMMANDS:
        command = verdict.get_command(parent, name)
        if command is None:
            raise AssertionError(name)
        context = click.Context(command, parent, name)
        parts.append(_format_page(command, context))
        members = command.commands if isinstance(command, click.Group) else {}
        parts += [
            _format_page(member, click.Context(member, context, below))
            for below, member in members.items()
        ]
    return "\n".join(parts)


def _format_page(command: click.Command, context: click.Context) -> str:
    context.terminal_width = context.max_content_width = WIDTH
    title = context.command_path
    return f"## {title}\n\n```text\n{command.get_help(context).rstrip()}\n```\n"


def format_kinds() -> str:
    """Return a section for each kind of event."""
    return "".join(f"\n{_format_kind(KINDS[name])}" for name in sorted(KINDS)) + "\n"


def _format_kind(kind: type[Body]) -> str:
    first, _, rest = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:")
    meanings = dict(re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", rest, re.MULTILINE))
    hints = get_type_hints(kind, include_extras=True)
    rows = ["| field | form | what |", "| --- | --- | --- |"]
    for field in sorted(fields(kind), key=lambda field: field.name):  # type: ignore[arg-type]
        meaning = _plain(meanings.get(field.name, "")).removesuffix(".")
        rows.append(f"| `{field.name}` | {name_form(hints[field.name])} | {meaning} |")
    return "\n".join([f"### {kind.KIND}, version {kind.V}", "", _plain(first), "", *rows, ""])


def name_form(hint: Any) -> str:
    """Return what the form of a field of the type ``hint`` is called."""
    if hint in FORMS:
        return FORMS[hint]
    args = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(name_form(arg) for arg in args)
    if get_origin(hint) is tuple and args[-1] is Ellipsis:
        return f"list of {name_form(args[0])}"
    if get_origin(hint) is tuple:
        return f"[{', '.join(name_form(arg) for arg in args)}]"
    raise TypeError(f"{hint}: the page has no word for this type")


def _plain(text: str) -> str:
    """Return the text of a docstring on one line, marked as Markdown does, with JSON's words."""
    return " ".join(text.replace("``", "`").replace("`None`", "null").split())


def make_pages() -> dict[Path, str]:
    """Return each page that is made, wholly or in part, with its text."""
    page = DOCS / "format.md"
    text = _SECTION.sub(lambda match: match[1] + format_kinds() + match[3], page.read_text("utf-8"))
    return {DOCS / "cli.md": format_manual(), page: text}


def main(arguments: list[str]) -> int:
    """Write or check the pages; return the exit status."""
    pages = make_pages()
    if arguments == ["--check"]:
        behind = [
            path.name
            for path, text in pages.items()
            if not path.is_file() or path.read_text("utf-8") != text
        ]
        if behind:
            click.echo(f"{', '.join(behind)}: not what the program says: run 'make docs'", err=True)
        return 1 if behind else 0
    for path, text in pages.items():
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
