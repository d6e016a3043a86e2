"""Appending one event at a time: from one thread, from 64, and ``sqlite3`` by itself."""

import threading
from itertools import islice

from bench.ledgers import ACTOR, make_template, measure_on_copy
from bench.measurement import Row, Setting, at_least, divide_rates, measure_rate, run_in_turn
from bench.mix import draft_runs
from bench.peers import insert_rows
from cli.setting import open_ledger
from ledger.events import Body, TrialFailed
from ledger.log import Ledger

THREADS = 64
TABLE = (
    "CREATE TABLE event (position INTEGER PRIMARY KEY, address BLOB NOT NULL UNIQUE, "
    "leaf BLOB NOT NULL, data BLOB NOT NULL) STRICT"
)


def measure(setting: Setting) -> list[Row]:
    each = setting.pick(100, 25)
    alone = setting.pick(1_000, 300)
    template, materials = make_template(setting.folder)
    with open_ledger(template, ACTOR) as opened:
        drafts = list(islice(draft_runs(opened.ledger, materials), alone))
    rows = [(n, draft.raw_address, draft.leaf, draft.data) for n, draft in enumerate(drafts)]

    def fail(slot: int) -> Body:
        return TrialFailed(
            run=materials.suite,
            slot=slot,
            trial=materials.suite,
            attempt=1,
            cause="no_answer",
            detail="The provider did not answer.",
            sent=None,
            response=None,
            parts=(),
            resolved_model=None,
            request_id=None,
            stop_reason=None,
            usage=(),
            tokens=(),
            cost_usd=None,
            stated_cost_usd=None,
            tool_calls=None,
            duration_us=slot,
            stated_us=None,
            notes=(),
        )

    def append(ledger: Ledger, slots: range) -> None:
        for slot in slots:
            ledger.append([ledger.draft(fail(slot))])

    def append_from_many(ledger: Ledger) -> None:
        threads = [
            threading.Thread(target=append, args=(ledger, range(n * each, (n + 1) * each)))
            for n in range(THREADS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert ledger.head().size > THREADS * each

    rates = run_in_turn(
        setting.pick(7, 3),
        {
            "one": lambda: measure_on_copy(
                setting.folder,
                template,
                lambda ledger: measure_rate(alone, lambda: append(ledger, range(alone))),
            ),
            "many": lambda: measure_on_copy(
                setting.folder,
                template,
                lambda ledger: measure_rate(THREADS * each, lambda: append_from_many(ledger)),
            ),
            "sqlite3": lambda: insert_rows(setting.folder / "bare", TABLE, rows, 1),
        },
    )
    one = rates["one"].figure("events/s")
    gain = divide_rates(rates["many"], rates["one"])
    share = divide_rates(rates["one"], rates["sqlite3"], 100)
    return [
        Row(
            name="threads",
            what=f"single appends from {THREADS} threads, against one thread",
            unit="×",
            samples=gain.wall,
            bar=at_least(5),
            figures={
                f"{THREADS} threads": rates["many"].figure("events/s"),
                "one thread": one,
            },
        ),
        Row(
            name="single",
            what="single appends from one thread, against sqlite3",
            unit="%",
            samples=share.wall,
            cpu_samples=share.cpu,
            figures={"one thread": one, "sqlite3": rates["sqlite3"].figure("events/s")},
        ),
    ]
