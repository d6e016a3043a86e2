"""All projections thrown away and folded again from the first event."""

from bench.ledgers import ACTOR, make_log
from bench.measurement import Row, Setting, at_least, measure_rate, run_in_turn
from cli.setting import open_ledger

EVENTS = 100_000


def measure(setting: Setting) -> list[Row]:
    with open_ledger(make_log(setting.folder, EVENTS), ACTOR) as opened:
        rates = run_in_turn(
            setting.pick(5, 3), {"rebuild": lambda: measure_rate(EVENTS, opened.keeper.rebuild)}
        )["rebuild"]
    return [
        Row(
            name="rebuild",
            what=f"rebuild of all projections, {EVENTS:,} events",
            unit="events/s",
            samples=rates.wall,
            cpu_samples=rates.cpu,
            bar=at_least(80_000),
        )
    ]
