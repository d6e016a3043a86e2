"""A ledger in memory, and gradings recorded in it by hand, event by event."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ledger.artifact import JSON, ArtifactRef
from ledger.canonical import format_canonical
from ledger.digest import Digest, compute_digest
from ledger.events import (
    Body,
    DiagnosisMade,
    GraderAnswered,
    GraderAsked,
    GraderFailed,
    GradingCompleted,
    GradingStarted,
    RunStarted,
    SuiteRegistered,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
    VerdictGiven,
)
from ledger.log import Ledger
from ledger.outcomes import Cause, Verdict
from ledger.projections import Keeper
from ledger.tools import ToolKind
from tests.ledger.ledgers import MemoryHome
from tests.ledger.projections.stories import BYTES, REF, make
from trials.criteria import Criteria, parse_criteria
from trials.scorecard import Report, make_report

Where = tuple[str] | tuple[str, str] | tuple[str, str, int]
"""Case, variant and repetition of a trial; ``v`` and 1 by default."""

PASS, FAIL, UNPROVEN = Verdict.PASS, Verdict.FAIL, Verdict.UNPROVEN
NOT_APPLICABLE, UNRESOLVED = Verdict.NOT_APPLICABLE, Verdict.UNRESOLVED
JUDGE = b'{"name":"judge","resolved_models":["judge-1-2026"]}'
GRADER = compute_digest(JUDGE)
KEY = compute_digest(b"key")
RUBRIC = compute_digest(b"rubric")


def make_criteria(
    checks: Sequence[str] = ("a", "b"),
    cases: Sequence[str] = ("x", "y"),
    *,
    is_judged: bool = False,
    minimum: str = "0.5",
    description: str = "Is so.",
    refuses_other_models: bool = False,
) -> bytes:
    """Return criteria whose gated variant is ``v``."""
    files = [["rubric", "rubric.md", RUBRIC]] if is_judged else []
    graders = [["judge", GRADER, "acme", "judge-1", "low"]] if is_judged else []
    stated = [
        {
            "check_name": name,
            "critical": False,
            "description": description,
            "evidence": "answer",
            "fields": {},
            "files": files,
            "grader": {"name": "phrases"},
            "minimum_pass_rate": minimum,
        }
        for name in checks
    ]
    document: Any = {
        "cases": [[case, False, KEY] for case in cases],
        "checks": stated,
        "gated_variant": "v",
        "graders": graders,
        "refuse_other_models": refuses_other_models,
        "suite_name": "sums",
        "v": 1,
    }
    return format_canonical(document)


def read_criteria(*arguments: Any, **options: Any) -> Criteria:
    """Return the criteria of ``make_criteria``."""
    return parse_criteria(make_criteria(*arguments, **options))


class Desk:
    """A run and a grading that grow as a test says."""

    def __init__(self, ledger: Ledger, keeper: Keeper) -> None:
        """Begin with a suite."""
        self.ledger = ledger
        self.keeper = keeper
        self.trials: dict[int, Digest] = {}
        self.places: dict[int, str] = {}
        ledger.put(BYTES, media=REF.media)
        self.suite = self.register(b'"first"')

    def record(self, cls: type[Body], **fields: Any) -> Digest:
        """Append an event with these fields, and with whatever will do for the others."""
        draft = self.ledger.draft(make(cls, **fields))
        self.ledger.append([draft])
        return draft.address

    def put(self, data: bytes) -> ArtifactRef:
        """Put bytes."""
        return self.ledger.put(data, media=JSON)

    def register(self, manifest: bytes) -> Digest:
        """Record a suite."""
        return self.record(SuiteRegistered, manifest=self.put(manifest))

    def start(self, planned: int = 4, **fields: Any) -> None:
        """Begin a run of ``planned`` trials."""
        told = {"provider": "acme", "model": "m-1", "effort": "high", "tools": (ToolKind.SHELL,)}
        self.run = self.record(RunStarted, suite=self.suite, planned=planned, **(told | fields))

    def grade(self, criteria: bytes | None = None, planned: int = 8, **fields: Any) -> None:
        """Begin a grading."""
        stated = self.put(criteria or make_criteria())
        named = {"run": self.run, "suite": self.suite, "criteria": stated, "planned": planned}
        named["artifacts"] = self.ledger.put_listing([self.put(JUDGE)])
        self.grading = self.record(GradingStarted, **(named | fields))

    def open(self, slot: int, case: str = "x", variant: str = "v", repetition: int = 1) -> None:
        """Start a trial."""
        place = {"case": case, "variant": variant, "repetition": repetition}
        self.trials[slot] = self.record(TrialStarted, run=self.run, slot=slot, **place)
        self.places[slot] = variant

    def complete(self, slot: int, **fields: Any) -> None:
        """Let a trial come to its answer."""
        self.record(TrialCompleted, run=self.run, slot=slot, trial=self.trials[slot], **fields)

    def fail(self, slot: int, **fields: Any) -> None:
        """Let a trial fail."""
        self.record(TrialFailed, run=self.run, slot=slot, trial=self.trials[slot], **fields)

    def give(self, slot: int, check: str, verdict: Verdict, reason: str = "So it is.") -> Digest:
        """Give a verdict."""
        return self.record(
            VerdictGiven,
            grading=self.grading,
            trial=self.trials[slot],
            slot=slot,
            check=check,
            variant=self.places[slot],
            verdict=verdict,
            cause=Cause.TRIAL_FAILED if verdict is UNPROVEN else None,
            reason=reason,
        )

    def diagnose(self, slot: int, check: str, verdict: Digest, *causes: str) -> None:
        """Record what may have led to a failed verdict."""
        self.record(
            DiagnosisMade,
            grading=self.grading,
            verdict=verdict,
            slot=slot,
            check=check,
            variant=self.places[slot],
            number=0,
            subject="Travel",
            causes=causes,
        )

    def ask(self, slot: int) -> Digest:
        """Ask the judge."""
        asked = {"grading": self.grading, "trial": self.trials[slot], "slot": slot}
        return self.record(GraderAsked, **asked, role="judge")

    def answer(self, slot: int, asked: Digest, **fields: Any) -> None:
        """Let the judge answer."""
        self.record(GraderAnswered, grading=self.grading, slot=slot, asked=asked, **fields)

    def break_off(self, asked: Digest) -> None:
        """Let the call to the judge fail."""
        self.record(GraderFailed, asked=asked)

    def close(self) -> None:
        """End the grading."""
        self.record(GradingCompleted, grading=self.grading)

    def report(self, as_of: int | None = None) -> Report:
        """Return the report."""
        return make_report(self.ledger, self.keeper, self.grading, as_of)


@contextmanager
def new_desk() -> Iterator[Desk]:
    """Open one."""
    home = MemoryHome()
    with home.open() as ledger:
        yield Desk(ledger, Keeper(ledger, home.projections))
