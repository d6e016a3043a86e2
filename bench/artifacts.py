"""Artifacts put and committed: small ones as rows, beside ``sqlite3``; large ones as files."""

import base64
import random
import shutil
from collections.abc import Sequence
from functools import partial

from bench.ledgers import ACTOR, copy_ledger, make_template, measure_on_copy
from bench.measurement import (
    Rate,
    Row,
    Setting,
    at_least,
    divide_rates,
    measure_rate,
    run_in_turn,
)
from bench.mix import BATCH, Materials
from bench.peers import Values, insert_rows, read_rows
from cli.setting import open_ledger
from ledger.artifact import TEXT
from ledger.events import TrialCompleted
from ledger.log import Ledger

SMALL = 2_048
LARGE = 40 * 1_024


def measure(setting: Setting) -> list[Row]:
    template, materials = make_template(setting.folder)
    small = _write_texts(setting.pick(10_000, 4_000), SMALL)
    large = _write_texts(setting.pick(200, 50), LARGE)
    made, rows = _read_back(setting, small, materials)

    def put(texts: Sequence[bytes], ledger: Ledger) -> Rate:
        return measure_rate(len(texts), partial(put_all, ledger, materials, texts))

    rates = run_in_turn(
        setting.pick(5, 3),
        {
            "rows": lambda: measure_on_copy(setting.folder, template, partial(put, small)),
            "sqlite3": lambda: insert_rows(setting.folder / "bare", made, rows, BATCH),
            "files": lambda: measure_on_copy(setting.folder, template, partial(put, large)),
        },
    )
    unit = "artifacts/s"
    share = divide_rates(rates["rows"], rates["sqlite3"], 100)
    return [
        Row(
            name="artifacts",
            what="2 KB artifacts put and committed",
            unit=unit,
            samples=rates["rows"].wall,
            cpu_samples=rates["rows"].cpu,
            bar=at_least(6_000),
        ),
        Row(
            name="artifacts_share",
            what="the same, against sqlite3 with the same rows",
            unit="%",
            samples=share.wall,
            cpu_samples=share.cpu,
            figures={"sqlite3": rates["sqlite3"].figure(unit)},
        ),
        Row(
            name="files",
            what="40 KiB artifacts, a file each",
            unit=unit,
            samples=rates["files"].wall,
            cpu_samples=rates["files"].cpu,
        ),
    ]


def put_all(ledger: Ledger, materials: Materials, texts: Sequence[bytes]) -> None:
    """Put ``texts`` and append events that name two of them each, 1,000 texts a commit."""
    for at in range(0, len(texts), BATCH):
        refs = [ledger.put(text, media=TEXT) for text in texts[at : at + BATCH]]
        ledger.append(
            [
                ledger.draft(
                    TrialCompleted(
                        run=materials.suite,
                        slot=at,
                        trial=materials.suite,
                        attempt=1,
                        answer=answer,
                        sent=None,
                        response=response,
                        parts=(),
                        resolved_model=None,
                        request_id=None,
                        stop_reason=None,
                        usage=(),
                        tokens=(),
                        cost_usd=None,
                        stated_cost_usd=None,
                        tool_calls=None,
                        duration_us=0,
                        stated_us=None,
                        notes=(),
                    )
                )
                for answer, response in zip(refs[::2], refs[1::2], strict=True)
            ]
        )


def _write_texts(count: int, size: int) -> list[bytes]:
    """Return ``count`` texts that have nothing in common and that zstd can shrink by a quarter."""
    rng = random.Random(size)
    return [base64.b64encode(rng.randbytes(size * 3 // 4)) for _ in range(count)]


def _read_back(
    setting: Setting, texts: Sequence[bytes], materials: Materials
) -> tuple[str, list[Values]]:
    """Return how the table of artifacts is made, and the rows that ``texts`` become in it."""
    template, _ = make_template(setting.folder)
    folder = copy_ledger(template, setting.folder / "read-back")
    with open_ledger(folder, ACTOR) as opened:
        put_all(opened.ledger, materials, texts)
    made, rows = read_rows(folder, "artifact")
    shutil.rmtree(folder)
    return made, rows[-len(texts) :]
