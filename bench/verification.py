"""The whole verification of a long log: bytes, tree, names, projections."""

from functools import partial
from pathlib import Path

from bench.ledgers import make_log
from bench.machine import count_cores
from bench.measurement import Row, Setting, at_least, run_in_turn, time_s
from cli.setting import open_stores
from ledger.verify import Tally, verify_ledger

EVENTS = 300_000


def measure(setting: Setting) -> list[Row]:
    folder = make_log(setting.folder, EVENTS)
    rates = run_in_turn(
        setting.pick(3, 1), {"verify": lambda: EVENTS / time_s(partial(_verify, folder))}
    )
    return [
        Row(
            name="verify",
            what=f"full verify, {EVENTS:,} events, {count_cores()} cores",
            unit="events/s",
            samples=rates["verify"],
            bar=at_least(50_000),
        )
    ]


def _verify(folder: Path) -> None:
    tally = Tally()
    findings = list(verify_ledger(partial(open_stores, folder), tally))
    assert not findings, findings
    assert tally.events == EVENTS
    assert tally.projection_rows > 0
