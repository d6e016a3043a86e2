"""The ledgers that are measured: made once, copied, grown."""

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

from bench.measurement import Rate
from bench.mix import BATCH, Materials, batch_drafts, draft_runs, record_materials
from cli.founding import init_ledger
from cli.setting import open_ledger
from ledger.log import Ledger

ACTOR = "bench"


@cache
def make_template(parent: Path) -> tuple[Path, Materials]:
    """Return a ledger that has the materials of the mix and nothing else; it is to be copied."""
    folder = parent / "template"
    init_ledger(folder, "verdict-ledger.example/bench")
    with open_ledger(folder, ACTOR) as opened:
        materials = record_materials(opened.ledger)
    return folder, materials


@cache
def make_log(parent: Path, events: int) -> Path:
    """Return a ledger with a mix of ``events``, its projections kept up; made once.

    It is grown from a copy of the largest smaller one that was made before.
    """
    template, materials = make_template(parent)
    smaller = [path for path in parent.glob("log-*") if int(path.name[4:]) < events]
    source = max(smaller, key=lambda path: int(path.name[4:]), default=template)
    folder = copy_ledger(source, parent / f"log-{events}")
    with open_ledger(folder, ACTOR) as opened:
        ledger = opened.ledger
        for batch in batch_drafts(draft_runs(ledger, materials)):
            room = events - ledger.head().size
            ledger.append(batch[:room])
            if room <= BATCH:
                break
        opened.keeper.catch_up()
    return folder


def copy_ledger(source: Path, folder: Path) -> Path:
    """Return ``folder``, made a copy of the ledger ``source``, which nobody has open."""
    return Path(shutil.copytree(source, folder))


def measure_on_copy(parent: Path, source: Path, task: Callable[[Ledger], Rate]) -> Rate:
    """Return what ``task`` returns of a fresh copy of ``source``, which is then removed."""
    folder = copy_ledger(source, parent / "copy")
    try:
        with open_ledger(folder, ACTOR) as opened:
            return task(opened.ledger)
    finally:
        shutil.rmtree(folder)
