"""What a run of the small model left: the ledger's events, and the bytes that they name."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from cli.setting import open_ledger
from ledger.artifact import ArtifactRef
from ledger.digest import Digest
from ledger.events import (
    Entry,
    GraderAnswered,
    GraderAsked,
    GraderFailed,
    GradingStarted,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
    VerdictGiven,
)
from tests.trials.runs import Called

AnyBody = TypeVar("AnyBody")
Outcome = TrialCompleted | TrialFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One asking of a grader's model, and what came of it."""

    asked: GraderAsked
    outcome: GraderAnswered | GraderFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One run: what the program printed, and what it recorded."""

    folder: Path
    called: Called
    entries: tuple[Entry, ...]
    get: Callable[[Digest], bytes]

    def select(self, kind: type[AnyBody]) -> list[AnyBody]:
        """Return the bodies of one kind, in order."""
        return [entry.event.body for entry in self.entries if isinstance(entry.event.body, kind)]

    def read(self, ref: ArtifactRef | None) -> bytes:
        """Return the bytes that an event names."""
        assert ref is not None
        return self.get(ref.address)

    def parse(self, ref: ArtifactRef | None) -> Any:
        """Return the JSON that an event names."""
        return json.loads(self.read(ref))

    @property
    def grading(self) -> Digest:
        """The address of the only grading."""
        (address,) = (e.address for e in self.entries if isinstance(e.event.body, GradingStarted))
        return address

    @property
    def trials(self) -> dict[Digest, TrialStarted]:
        """The trials by address."""
        bodies = ((entry.address, entry.event.body) for entry in self.entries)
        return {address: body for address, body in bodies if isinstance(body, TrialStarted)}

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """What became of each case's trial."""
        trials = self.trials
        done: list[Outcome] = [*self.select(TrialCompleted), *self.select(TrialFailed)]
        return {trials[body.trial].case: body for body in done}

    @property
    def completed(self) -> list[tuple[TrialStarted, TrialCompleted]]:
        """The trials that brought an answer."""
        trials = self.trials
        return [(trials[body.trial], body) for body in self.select(TrialCompleted)]

    def list_questions(self, role: str) -> list[Question]:
        """Return what the graders asked in ``role``, in order."""
        answered: dict[Digest, GraderAnswered | GraderFailed] = {}
        answered |= {body.asked: body for body in self.select(GraderAnswered)}
        answered |= {body.asked: body for body in self.select(GraderFailed)}
        asked = [(e.address, e.event.body) for e in self.entries]
        return [
            Question(asked=body, outcome=answered[address])
            for address, body in asked
            if isinstance(body, GraderAsked) and body.role == role
        ]

    def find_verdict(self, check: str, trial: Digest) -> VerdictGiven:
        """Return the verdict of ``check`` on a trial."""
        given = self.select(VerdictGiven)
        (verdict,) = (body for body in given if (body.check, body.trial) == (check, trial))
        return verdict


@contextmanager
def open_record(folder: Path, called: Called) -> Iterator[Record]:
    """Read the ledger in ``folder``, which holds one run."""
    with open_ledger(folder, actor="ana") as opened:
        entries = tuple(opened.ledger.read())
        yield Record(folder=folder, called=called, entries=entries, get=opened.ledger.get)


def flatten(counts: dict[str, Any], prefix: str = "") -> dict[str, int]:
    """Return the whole numbers of a nested object, a nested name with dots."""
    flat: dict[str, int] = {}
    for name, value in counts.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{name}.")
        elif type(value) is int:
            flat[prefix + name] = value
    return flat
