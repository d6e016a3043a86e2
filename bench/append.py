"""Appending in batches of 1,000, beside bare ``sqlite3`` and ``eventsourcing``."""

import shutil
from collections.abc import Callable, Iterable
from itertools import islice

from bench.ledgers import ACTOR, copy_ledger, make_template, measure_on_copy
from bench.measurement import Figure, Row, Setting, at_least, divide_samples, run_in_turn, time_s
from bench.mix import BATCH, batch_drafts, draft_runs
from bench.peers import insert_rows, read_rows, save_events
from cli.setting import open_ledger
from ledger.log import Draft, Ledger


def measure(setting: Setting) -> list[Row]:
    events = setting.pick(30_000, 10_000)
    template, materials = make_template(setting.folder)
    with open_ledger(template, ACTOR) as opened:
        drafts = list(islice(draft_runs(opened.ledger, materials), events))
    made, rows = _read_back(setting, drafts)
    datas = [draft.data for draft in drafts]
    saving: list[float] = []

    def on_copy(task: Callable[[Ledger], object]) -> Callable[[], float]:
        return lambda: events / measure_on_copy(
            setting.folder, template, lambda ledger: time_s(lambda: task(ledger))
        )

    def insert() -> float:
        return events / insert_rows(setting.folder / "bare", made, rows, BATCH)

    def save() -> float:
        whole, part = save_events(setting.folder / "peer", datas, BATCH)
        saving.append(events / part)
        return events / whole

    rates = run_in_turn(
        setting.pick(7, 3),
        {
            "ready": on_copy(lambda ledger: append_all(ledger, drafts)),
            "sqlite3": insert,
            "drafted": on_copy(
                lambda ledger: append_all(ledger, islice(draft_runs(ledger, materials), events))
            ),
            "eventsourcing": save,
        },
    )
    figures = {name: Figure(unit="events/s", samples=some) for name, some in rates.items()}
    figures["eventsourcing, save alone"] = Figure(unit="events/s", samples=saving)
    return [
        _compare(figures, "append", "append, batch 1,000", "ready", "sqlite3", 45),
        _compare(figures, "append_drafted", "same, drafting included", "drafted", "sqlite3", None),
        _compare(figures, "append_peer", "same", "drafted", "eventsourcing", 1.5),
        _compare(figures, "append_peer_save", "append", "ready", "eventsourcing, save alone", None),
    ]


def append_all(ledger: Ledger, drafts: Iterable[Draft]) -> None:
    """Append ``drafts``, 1,000 at a time."""
    for batch in batch_drafts(drafts):
        ledger.append(batch)


def _read_back(setting: Setting, drafts: list[Draft]) -> tuple[str, list[tuple[object, ...]]]:
    """Return how our table is made, and the rows that ``drafts`` become in it."""
    template, _ = make_template(setting.folder)
    folder = copy_ledger(template, setting.folder / "read-back")
    with open_ledger(folder, ACTOR) as opened:
        first = opened.ledger.head().size
        append_all(opened.ledger, drafts)
    made, rows = read_rows(folder, "event")
    shutil.rmtree(folder)
    return made, rows[first:]


def _compare(
    figures: dict[str, Figure], name: str, what: str, ours: str, theirs: str, bar: float | None
) -> Row:
    is_share = theirs == "sqlite3"
    ratios = divide_samples(figures[ours].samples, figures[theirs].samples)
    return Row(
        name=name,
        what=f"{what}, against {theirs}",
        unit="%" if is_share else "×",
        samples=[100 * ratio for ratio in ratios] if is_share else ratios,
        bar=None if bar is None else at_least(bar),
        figures={ours: figures[ours], theirs: figures[theirs]},
    )
