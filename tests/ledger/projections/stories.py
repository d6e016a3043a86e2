"""Logs to fold: runs and gradings that go on side by side, some of them cut off."""

import random
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import get_origin

from ledger.artifact import JSON, ArtifactRef, describe_artifact
from ledger.codec import CODEC
from ledger.digest import Digest, compute_digest
from ledger.events import (
    Body,
    Entry,
    GradingCompleted,
    GradingStarted,
    RunCompleted,
    RunStarted,
    SuiteRegistered,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
    VerdictGiven,
)
from ledger.log import Ledger
from ledger.outcomes import Cause, Verdict
from ledger.writer import Draft
from tests.ledger.bodies import NOON, event_of, hints_of

Record = Callable[[Body], Digest]
BYTES = b"[]"
REF = describe_artifact(BYTES, media=JSON)


def make(cls: type[Body], **fields: object) -> Body:
    """Return a body with these fields, and with whatever will do for the others."""
    hints = hints_of(cls)
    empty: dict[object, object] = {str: "text", int: 1, ArtifactRef: REF}
    for name in hints.keys() - fields.keys():
        is_tuple = get_origin(hints[name]) is tuple
        fields[name] = () if is_tuple else empty.get(hints[name])
    return cls(**fields)


def tell(record: Record, seed: int, runs: int = 2) -> None:
    """Record some runs with their trials and gradings, step by step in a mixed order."""
    chance = random.Random(seed)
    suite = record(make(SuiteRegistered))
    going = [_run(record, chance, suite, number) for number in range(runs)]
    while going:
        one = chance.choice(going)
        if next(one, "end") == "end":
            going.remove(one)


def _run(record: Record, chance: random.Random, suite: Digest, number: int) -> Iterator[None]:
    planned = chance.randint(1, 4)
    name = f"c{number}"
    run = record(make(RunStarted, suite=suite, configuration_name=name, planned=planned))
    yield
    trials: list[Digest] = []
    for slot in range(planned):
        variant = chance.choice("vw")
        trials.append(record(make(TrialStarted, run=run, slot=slot, variant=variant)))
        yield
        luck = chance.random()
        if luck < 0.85:  # the rest is cut off
            kind = TrialCompleted if luck < 0.6 else TrialFailed
            record(make(kind, run=run, slot=slot, trial=trials[slot]))
        yield
    if chance.random() < 0.8:
        record(make(RunCompleted, run=run, completed=planned))
    for _ in range(chance.randint(0, 2)):
        yield from _grading(record, chance, suite, run, trials)


def _grading(
    record: Record, chance: random.Random, suite: Digest, run: Digest, trials: list[Digest]
) -> Iterator[None]:
    checks = ["total", "a/b", "é"][: chance.randint(1, 3)]
    planned = len(trials) * len(checks)
    grading = record(make(GradingStarted, run=run, suite=suite, planned=planned))
    yield
    for slot, trial in enumerate(trials):
        for check in checks:
            given = {"grading": grading, "trial": trial, "slot": slot, "check": check}
            verdict = chance.choice(list(Verdict))
            cause = chance.choice(list(Cause)) if verdict is Verdict.UNPROVEN else None
            outcome = {"verdict": verdict, "cause": cause, "variant": chance.choice("vw")}
            record(make(VerdictGiven, **given, **outcome))
            yield
    if chance.random() < 0.8:
        record(make(GradingCompleted, grading=grading, verdicts=planned))


def entries_of(seed: int, runs: int = 2) -> list[Entry]:
    """Return a story as it would be read from a log."""
    entries: list[Entry] = []

    def record(body: Body) -> Digest:
        # A second later each time: the same event twice would be one event in a log.
        event = event_of(body, at=NOON + timedelta(seconds=len(entries)))
        address = compute_digest(CODEC.encode(event))
        entries.append(Entry(len(entries), address, event))
        return address

    tell(record, seed, runs)
    return entries


def append_story(ledger: Ledger, seed: int, runs: int = 2) -> None:
    """Append a story to ``ledger`` as one batch."""
    ledger.put(BYTES, media=REF.media)
    drafts: list[Draft] = []

    def record(body: Body) -> Digest:
        drafts.append(ledger.draft(body))
        return drafts[-1].address

    tell(record, seed, runs)
    ledger.append(drafts)
