"""Suspects: what code found that may have led to failed verdicts, grouped over the trials.

A suspicion is a candidate, no observation: arithmetic that fits. The same one in several trials
points to a systematic mistake, of what was tested or of the key.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from ledger.digest import Digest
from ledger.projections import DiagnosisState
from trials.criteria import Criteria
from trials.scorecard.places import Place, Trials, name_place, rank_variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """One candidate cause of what was wrong with one subject, on one variant.

    Attributes:
        subject: what was wrong, for example ``Travel 2026-08``.
        cause: the best candidate; ``None`` where no simple explanation was found.
        trials: in which it was found, each once, in the order of the plan; at least one.
        checks: that failed over it, in the order of the suite.
        verdicts: the failed verdicts, in the order of the plan.
    """

    variant: str
    subject: str
    cause: str | None
    trials: tuple[Place, ...]
    checks: tuple[str, ...]
    verdicts: tuple[Digest, ...]


def group_diagnoses(
    states: Iterable[DiagnosisState], trials: Trials, criteria: Criteria
) -> tuple[Suspicion, ...]:
    """Return the suspicions: gated variant first, then the most trials first."""
    groups: defaultdict[tuple[str, str, str | None], list[DiagnosisState]] = defaultdict(list)
    for state in states:
        cause = state.causes[0] if state.causes else None
        groups[state.variant, state.subject, cause].append(state)
    order = {check.name: index for index, check in enumerate(criteria.checks)}
    suspicions = [
        Suspicion(
            variant=variant,
            subject=subject,
            cause=cause,
            trials=tuple(name_place(trials[slot]) for slot in sorted({s.slot for s in group})),
            checks=tuple(sorted({state.check for state in group}, key=order.__getitem__)),
            verdicts=tuple(dict.fromkeys(state.verdict_event for state in group)),
        )
        for (variant, subject, cause), group in groups.items()
    ]
    gated = criteria.gated_variant
    return tuple(
        sorted(
            suspicions,
            key=lambda one: (
                rank_variant(gated, one.variant),
                -len(one.trials),
                one.subject,
                one.cause is None,
                one.cause or "",
            ),
        )
    )
