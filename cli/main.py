"""The program: one group, whose commands are loaded when they are called.

Start-up is part of the product: ``verdict --help`` reads this file, click and the error tree, and
no library of any command.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from ledger.errors import LedgerError

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("cli.init", "Create a ledger here."),
    "demo": ("cli.demo", "The worked example, end to end, offline."),
    "suite": ("cli.suite", "Check a suite, begin one, or describe its files."),
    "run": ("cli.run", "Run a suite: trials, grading, scorecard, gate."),
    "scorecard": ("cli.scorecard", "Show what a grading came to."),
    "show": ("cli.show", "Show any event or artifact."),
    "trace": ("cli.trace", "Follow a verdict down to the bytes."),
    "replay": ("cli.replay", "Decide recorded verdicts again and compare."),
    "verify": ("cli.verify", "Check every hash, proof, artifact and projection."),
    "checkpoint": ("cli.checkpoint", "Sign the log as it is now."),
    "prove": ("cli.prove", "Prove that an event is in the log, or that the log only grew."),
    "rebuild": ("cli.rebuild", "Throw the projections away and fold the log again."),
}
"""Name to module and first line of help, in the order in which they are listed."""


class LazyGroup(click.Group):
    """A group whose commands are modules with a ``command`` each."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, loaded now."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; if nobody reads what it prints any more, leave with 141.

        click and rich leave with 1 then, which here is a gate that failed.
        """
        try:
            return super().invoke(ctx)
        except (BrokenPipeError, SystemExit) as left:
            cause = left.__context__ if isinstance(left, SystemExit) else left
            if not isinstance(cause, BrokenPipeError):
                raise
            sys.stdout = None  # or Python would complain once more at exit
            raise SystemExit(141) from left

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list without loading anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the named command; for an unknown one, say which there are."""
        if args and args[0] not in COMMANDS:
            ctx.fail(f"No command {args[0]!r}; there are {', '.join(COMMANDS)}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--ledger",
    "where",
    metavar="FOLDER",
    help="The ledger's folder. [default: VERDICT_LEDGER, else the nearest .verdict/]",
)
@click.version_option(package_name="verdict-ledger", message="%(version)s")
@click.pass_context
def verdict(ctx: click.Context, where: str | None) -> None:
    """An evidence ledger for LLM evals: what was asked, answered and judged, provably."""
    ctx.obj = where


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program; an expected error is a line on stderr and an exit code, no traceback."""
    try:
        code: Any = verdict.main(arguments, prog_name="verdict", standalone_mode=False)
    except LedgerError as error:
        for line in str(error).splitlines():
            click.echo(f"error: {line}", err=True)
        code = error.exit_code
    except click.UsageError as error:
        code = _show_usage(error)
    except BrokenPipeError:
        raise
    except OSError as error:  # a full disk under the output, a folder where a file should be
        click.echo(f"error: {error.filename or 'output'}: {error.strerror or error}", err=True)
        code = 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("stopped; what was recorded stands", err=True)
        code = 130
    sys.exit(code if isinstance(code, int) else 0)


def _show_usage(error: click.UsageError) -> int:
    """Print what is wrong with the call, on one line, and return the exit code."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
    else:
        asked = error.ctx.command_path if error.ctx else "verdict"
        what = error.format_message().rstrip(".").replace("\n", " ")
        click.echo(f"error: {what}: see '{asked} --help'", err=True)
    return error.exit_code
