"""How a demo tells its story: numbered titles, and what to try next, ready to be pasted."""

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from cli.verify import exit_code, print_finding, print_tally, verify_folder


def tell_title(title: str) -> None:
    """Print the title of the next part."""
    click.secho(f"\n{title}", bold=True)


def verify_all(folder: Path) -> int:
    """Verify the ledger in ``folder``, print what was found, and return the exit code."""
    tally, findings = verify_folder(folder, tell=print_finding)
    print_tally(tally, findings)
    return exit_code(findings)


def suggest(folder: Path, commands: Sequence[str]) -> None:
    """Print ``commands`` as they are called from here, on the ledger in ``folder``."""
    tell_title("what to try next")
    call = f"{name_program()} --ledger {shlex.quote(str(folder))}"
    for text in commands:
        click.echo(f"  {call} {text}")


def name_program() -> str:
    """Return what calls this program again from here: its name, or its path if that is needed."""
    path = Path(sys.argv[0])
    if shutil.which("verdict") or path.name != "verdict":
        return "verdict"
    here = Path.cwd()
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))
