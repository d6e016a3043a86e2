"""``verdict demo``: the worked examples, end to end, offline.

Each leaves its ledger in ``.demo/NAME/``, to go on looking.
"""

import shutil
from importlib import import_module
from importlib.resources import as_file, files
from pathlib import Path

import click

from cli.setting import DATABASE, name_folder
from ledger.errors import NoLedger

DEMOS = {
    "gsm8k": ("cli.demos.gsm8k", "gsm8k"),
    "expense": ("cli.demos.expense", "expense_analysis"),
}
"""Name to the module that tells the story, loaded when it is called, and the example's folder."""

LEDGER_NAMES = {DATABASE, f"{DATABASE}-shm", f"{DATABASE}-wal"} | {
    *("artifacts", "last-signed", "locks", "signing.key", "staging")
}
"""What a ledger's folder may hold."""


@click.command()
@click.argument("name", type=click.Choice(sorted(DEMOS)), default="gsm8k", metavar="[NAME]")
@click.pass_obj
def command(where: str | None, name: str) -> None:
    """Run a worked example; its ledger stays in .demo/NAME/. Nothing is asked of any network.

    gsm8k (the default): real answers of four model configurations to 400 questions. 1,600 trials
    are run and graded, a failed verdict is traced to the bytes, a grading decided again, the log
    signed, an inclusion proved, everything verified.

    expense: scripted sessions of six configurations that analyse a household's expenses. Sixteen
    checks by code and by model judges, candidate causes of wrong totals, and the same answers
    graded again under a revised key.
    """
    # VERDICT_LEDGER names a ledger to keep; an example is not written into it.
    folder = (name_folder(where) if where else None) or Path(".demo") / name
    _clear(folder)
    module, example = DEMOS[name]
    with as_file(files("examples") / example) as home:
        code: int = import_module(module).perform(folder, home)
    raise SystemExit(0 if code == 0 else 1)


def _clear(folder: Path) -> None:
    """Remove the ledger of an earlier demo; nothing but a ledger is ever removed."""
    if not folder.exists():
        return
    is_ledger = not folder.is_symlink() and (folder / DATABASE).is_file()
    if folder.parent.name != ".demo" or not is_ledger or not _names(folder) <= LEDGER_NAMES:
        raise NoLedger(
            f"{folder}: it is there and holds more or less than a demo leaves: move it away, or "
            "name another folder with --ledger"
        )
    shutil.rmtree(folder)


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}
