"""The page ``docs/cli.md``, made from the help texts: ``python -m cli.manual [--check]``.

Run in a checkout. With ``--check`` nothing is written, and the exit status is 1 if the page is not
what the help texts say. No command imports this module.
"""

import sys
from pathlib import Path

import click

from cli.main import COMMANDS, verdict

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"
WIDTH = 100
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
        parts.append(_format_page(command, click.Context(command, parent, name)))
    return "\n".join(parts)


def _format_page(command: click.Command, context: click.Context) -> str:
    context.terminal_width = context.max_content_width = WIDTH
    title = context.command_path
    return f"## {title}\n\n```text\n{command.get_help(context).rstrip()}\n```\n"


def main(arguments: list[str]) -> int:
    """Write or check the page; return the exit status."""
    manual = format_manual()
    if arguments == ["--check"]:
        is_same = PAGE.is_file() and PAGE.read_text("utf-8") == manual
        if not is_same:
            click.echo(f"{PAGE.name} is not what the help texts say: run 'make docs'", err=True)
        return 0 if is_same else 1
    PAGE.write_text(manual, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
