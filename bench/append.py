"""Appending in batches of 1,000, beside bare ``sqlite3`` and ``eventsourcing``."""

import shutil
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from bench.ledgers import ACTOR, copy_ledger, make_template, measure_on_copy
from bench.measurement import (
    Rate,
    Rates,
    Row,
    Setting,
    at_least,
    divide_rates,
    measure_rate,
    run_in_turn,
)
from bench.mix import BATCH, batch_drafts, draft_runs
from bench.peers import insert_rows, read_rows, save_events
from cli.setting import open_ledger
from ledger.events import Body
from ledger.log import Ledger
from ledger.writer import Draft

EVENTS = 30_000


def measure(setting: Setting) -> list[Row]:
    template, materials = make_template(setting.folder)
    with open_ledger(template, ACTOR) as opened:
        drafts = list(islice(draft_runs(opened.ledger, materials), EVENTS))
    made, rows = _read_back(setting, drafts)
    datas = [draft.data for draft in drafts]
    bodies = [draft.event.body for draft in drafts]
    saving = Rates([], [])

    def on_copy(
        task: Callable[[Ledger], object], before: Sequence[Draft] = ()
    ) -> Callable[[], Rate]:
        def measure_task(ledger: Ledger) -> Rate:
            append_all(ledger, before)
            return measure_rate(EVENTS, lambda: task(ledger))

        return lambda: measure_on_copy(setting.folder, template, measure_task)

    def save() -> Rate:
        whole, part = save_events(setting.folder / "peer", datas, BATCH)
        saving.wall.append(part.wall)
        saving.cpu.append(part.cpu)
        return whole

    rates = run_in_turn(
        setting.pick(7, 3),
        {
            "ready": on_copy(lambda ledger: append_all(ledger, drafts)),
            "sqlite3": lambda: insert_rows(setting.folder / "bare", made, rows, BATCH),
            "drafted": on_copy(lambda ledger: draft_and_append(ledger, bodies), drafts),
            "eventsourcing": save,
        },
    )
    rates["eventsourcing's save"] = saving
    return [
        _compare(rates, "append", "append, batch 1,000", ("ready", "sqlite3"), 45),
        _compare(rates, "append_drafted", "same, drafting included", ("drafted", "sqlite3"), None),
        _compare(
            rates, "append_peer", "append, batch 1,000", ("ready", "eventsourcing's save"), 1.5
        ),
        _compare(
            rates, "append_peer_whole", "drafting included", ("drafted", "eventsourcing"), None
        ),
    ]


def append_all(ledger: Ledger, drafts: Iterable[Draft]) -> None:
    """Append ``drafts``, 1,000 at a time."""
    for batch in batch_drafts(drafts):
        ledger.append(batch)


def draft_and_append(ledger: Ledger, bodies: Sequence[Body]) -> None:
    """Draft ``bodies`` as events of now and append them, 1,000 at a time.

    What they name was recorded with the drafts that they come from.
    """
    for at in range(0, len(bodies), BATCH):
        ledger.append(ledger.draft_all(bodies[at : at + BATCH]))


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
    rates: dict[str, Rates], name: str, what: str, pair: tuple[str, str], bar: float | None
) -> Row:
    ours, theirs = pair
    is_share = theirs == "sqlite3"
    ratios = divide_rates(rates[ours], rates[theirs], 100 if is_share else 1)
    return Row(
        name=name,
        what=f"{what}, against {theirs}",
        unit="%" if is_share else "×",
        samples=ratios.wall,
        cpu_samples=ratios.cpu,
        bar=None if bar is None else at_least(bar),
        figures={side: rates[side].figure("events/s") for side in pair},
    )
