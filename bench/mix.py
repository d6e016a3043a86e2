"""A log like those that people keep: runs of trials, each trial with a verdict.

A run is ``run.started``, then ``trial.started`` and ``trial.completed`` in turn, ``run.completed``,
``grading.started``, a ``verdict.given`` for each trial, ``grading.completed``. The prompts and
answers are few and shared by all runs: a measurement of events is not one of artifacts.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from ledger.artifact import JSON, TEXT, ArtifactRef
from ledger.digest import Digest
from ledger.events import (
    GradingCompleted,
    GradingStarted,
    RunCompleted,
    RunStarted,
    SuiteRegistered,
    TrialCompleted,
    TrialStarted,
    VerdictGiven,
)
from ledger.log import Ledger
from ledger.outcomes import Verdict
from ledger.writer import Draft

RUN_TRIALS = 1_000
TEXTS = 400
BATCH = 1_000
_VOCABULARY = """
    the a of and she he they has each every day more than left total apples eggs dollars hours
    buys sells gives pays makes twice half so now then number per week 2 3 4 6 12 15 20 40 60
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Materials:
    """What the events of a mix name: a suite and bytes that are recorded already."""

    suite: Digest
    listing: ArtifactRef
    prompts: list[ArtifactRef]
    answers: list[ArtifactRef]
    responses: list[ArtifactRef]


def record_materials(ledger: Ledger) -> Materials:
    """Record texts for prompts, answers and responses, and a suite that names them."""
    rng = random.Random(1)
    sizes = {"prompt": 70, "answer": 40, "response": 55}
    texts = {
        name: [ledger.put(_write(rng, words), media=TEXT) for _ in range(TEXTS)]
        for name, words in sizes.items()
    }
    listing = ledger.put_listing([ref for refs in texts.values() for ref in refs])
    manifest = ledger.put(b'{"name":"mix"}', media=JSON)
    suite = ledger.draft(SuiteRegistered(suite_name="mix", manifest=manifest, artifacts=listing))
    ledger.append([suite])
    return Materials(
        suite=suite.address,
        listing=listing,
        prompts=texts["prompt"],
        answers=texts["answer"],
        responses=texts["response"],
    )


def draft_runs(ledger: Ledger, materials: Materials) -> Iterator[Draft]:
    """Yield the events of one run after another, without end."""
    while True:
        yield from _draft_run(ledger, materials)


def batch_drafts(drafts: Iterable[Draft], size: int = BATCH) -> Iterator[list[Draft]]:
    """Yield ``drafts`` in lists of ``size``, the last one shorter."""
    source = iter(drafts)
    while batch := list(islice(source, size)):
        yield batch


def _draft_run(ledger: Ledger, materials: Materials) -> Iterator[Draft]:
    started = ledger.draft(
        RunStarted(
            suite=materials.suite,
            configuration=materials.prompts[0],
            configuration_name="mix",
            provider="recorded",
            model="model-1",
            effort=None,
            tools=(),
            plan=materials.prompts[1],
            planned=RUN_TRIALS,
            seed=0,
            order=materials.prompts[1],
            inputs=materials.listing,
        )
    )
    yield started
    trials: list[Digest] = []
    for slot in range(RUN_TRIALS):
        trial = _draft_trial(ledger, materials, started.address, slot)
        trials.append(trial.address)
        yield trial
        yield _draft_outcome(ledger, materials, started.address, slot, trial.address)
    yield ledger.draft(RunCompleted(run=started.address, completed=RUN_TRIALS, failed=0))
    grading = ledger.draft(
        GradingStarted(
            run=started.address,
            suite=materials.suite,
            criteria=materials.prompts[2],
            artifacts=materials.listing,
            planned=RUN_TRIALS,
        )
    )
    yield grading
    for slot, trial_address in enumerate(trials):
        yield _draft_verdict(ledger, grading.address, slot, trial_address)
    yield ledger.draft(GradingCompleted(grading=grading.address, verdicts=RUN_TRIALS))


def _draft_trial(ledger: Ledger, materials: Materials, run: Digest, slot: int) -> Draft:
    return ledger.draft(
        TrialStarted(
            run=run,
            slot=slot,
            case=f"case-{slot:04}",
            variant="plain",
            repetition=1,
            prompt=materials.prompts[slot % TEXTS],
            system=None,
            inputs=(),
        )
    )


def _draft_outcome(
    ledger: Ledger, materials: Materials, run: Digest, slot: int, trial: Digest
) -> Draft:
    return ledger.draft(
        TrialCompleted(
            run=run,
            slot=slot,
            trial=trial,
            attempt=1,
            answer=materials.answers[slot % TEXTS],
            sent=materials.prompts[slot % TEXTS],
            response=materials.responses[slot % TEXTS],
            parts=(),
            resolved_model="model-1-2026-05-01",
            request_id=f"req_{slot:024}",
            stop_reason="end_turn",
            usage=(("input_tokens", 812), ("output_tokens", 240)),
            tokens=(("input", 812), ("cache_read", 0), ("cache_write", 0), ("output", 240)),
            cost_usd="0.006036",
            stated_cost_usd=None,
            tool_calls=None,
            duration_us=1_834_211,
            stated_us=None,
            notes=(),
        )
    )


def _draft_verdict(ledger: Ledger, grading: Digest, slot: int, trial: Digest) -> Draft:
    is_pass = slot % 3 > 0
    return ledger.draft(
        VerdictGiven(
            grading=grading,
            trial=trial,
            slot=slot,
            check="final-answer",
            variant="plain",
            verdict=Verdict.PASS if is_pass else Verdict.FAIL,
            cause=None,
            reason=f"The answer states {slot}, the key {slot if is_pass else slot + 1}.",
            answers=(),
        )
    )


def _write(rng: random.Random, words: int) -> bytes:
    return " ".join(rng.choices(_VOCABULARY.split(), k=words)).encode()
