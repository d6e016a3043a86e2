"""The whole verification of a long log: bytes, tree, names, projections."""

from functools import partial
from pathlib import Path

from bench.ledgers import make_log
from bench.machine import count_cores
from bench.measurement import Row, Setting, at_least, measure_rate, run_in_turn
from cli.setting import open_stores
from ledger.verify import Tally, verify_ledger

EVENTS, FEW = 300_000, 100_000


def measure(setting: Setting) -> list[Row]:
    events = setting.pick(EVENTS, FEW)
    folder = make_log(setting.folder, events)
    rates = run_in_turn(
        setting.pick(3, 2), {"": lambda: measure_rate(events, partial(_verify, folder, events))}
    )[""]
    return [
        Row(
            name="verify",
            what=f"full verify, {events:,} events, {count_cores()} cores",
            unit="events/s",
            samples=rates.wall,
            cpu_samples=rates.cpu,
            bar=at_least(50_000),
        )
    ]


def _verify(folder: Path, events: int) -> None:
    tally = Tally()
    findings = list(verify_ledger(partial(open_stores, folder), tally))
    assert not findings, findings
    assert tally.events == events
    assert tally.projection_rows > 0
