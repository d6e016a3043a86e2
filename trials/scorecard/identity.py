"""What a result belongs to: which models answered, which graders judged, by which revisions."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from ledger.canonical import JsonObject, parse_canonical
from ledger.digest import Digest
from ledger.errors import RedactedArtifact, UnknownAddress
from ledger.events import (
    Entry,
    GraderAnswered,
    GraderAsked,
    GraderFailed,
    GradingCompleted,
    GradingStarted,
    RunStarted,
    SuiteRegistered,
)
from ledger.log import Ledger
from ledger.projections import Scorecard, TrialState
from trials.criteria import Criteria, RecordedGrader
from trials.scorecard.places import Trials
from trials.scorecard.times import sum_usage


class Answering(NamedTuple):
    """How many answers came from a model, by the name that it gave itself.

    ``model`` is ``None`` for answers of which the provider does not tell.
    """

    model: str | None
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderUse:
    """What answers a role of graders' questions, and how often it did in one grading.

    Attributes:
        grader: its configuration, by address and by name.
        answers: questions that were answered, readable or not; those taken over from an earlier
            grading are not among them.
        failed: calls that failed.
        models: who answered.
        others: of these, the ones whose name is not what was asked for.
        usage: name and total, as sent.
    """

    grader: RecordedGrader
    answers: int
    failed: int
    models: tuple[Answering, ...]
    others: tuple[Answering, ...]
    usage: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Revisions:
    """By which documents a grading decided, each by address.

    Attributes:
        suite: manifest of the suite whose checks and keys decided.
        answered_suite: manifest of the suite whose cases and prompts were asked; another one only
            where the answers were graded again.
        criteria: of the grading; names all that follows.
        keys: each case, in the order of the suite, with its key or ``None``.
        files: path and address of each rubric, schema or instruction that a check takes, sorted.
    """

    suite: Digest
    answered_suite: Digest
    criteria: Digest
    keys: tuple[tuple[str, Digest | None], ...]
    files: tuple[tuple[str, Digest], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What a result belongs to, beyond what its inventory says.

    Attributes:
        started_at: when the run began.
        graded_at: when the grading did.
        recorded_from: of recorded answers, what the configuration says they come from.
        names: under which the model that was asked for may answer.
        models: who gave the answers under test, the most frequent first.
        others: of these, the ones of another name.
    """

    started_at: datetime
    graded_at: datetime
    recorded_from: str | None
    names: frozenset[str]
    models: tuple[Answering, ...]
    others: tuple[Answering, ...]
    graders: tuple[GraderUse, ...]
    revisions: Revisions


def read_identity(
    ledger: Ledger, card: Scorecard, criteria: Criteria, trials: Trials, as_of: int
) -> Identity:
    """Return what the grading of ``card`` belongs to, from the events before ``as_of``."""
    grading, run = ledger.find(card.grading), ledger.find(card.run)
    begun, tried = grading.event.body, run.event.body
    assert isinstance(begun, GradingStarted)  # noqa: S101 - the projection read it
    assert isinstance(tried, RunStarted)  # noqa: S101 - likewise
    files = {pair for check in criteria.checks for pair in check.files.values()}
    configuration = _read_configuration(ledger, tried.configuration.address)
    source = configuration.get("recorded_from")
    names = _list_names(configuration, tried.model)
    models = count_answers(trials.values())
    return Identity(
        started_at=run.event.at,
        graded_at=grading.event.at,
        recorded_from=source if isinstance(source, str) else None,
        names=names,
        models=models,
        others=find_others(models, names),
        graders=_count_uses(ledger, card, criteria.graders, as_of) if criteria.graders else (),
        revisions=Revisions(
            suite=_find_manifest(ledger, card.suite),
            answered_suite=_find_manifest(ledger, tried.suite),
            criteria=begun.criteria.address,
            keys=tuple(criteria.keys.items()),
            files=tuple(sorted(files)),
        ),
    )


def count_answers(trials: Iterable[TrialState]) -> tuple[Answering, ...]:
    """Return who answered how many of ``trials``."""
    return count_models(trial.resolved_model for trial in trials if trial.answer is not None)


def count_models(names: Iterable[str | None]) -> tuple[Answering, ...]:
    """Return who answered how often, the most frequent first."""
    return tuple(Answering(*item) for item in Counter(names).most_common())


def find_others(models: Iterable[Answering], names: Collection[str]) -> tuple[Answering, ...]:
    """Return those of ``models`` that gave themselves a name that is none of ``names``.

    Where the provider does not tell, nothing is said against the answer.
    """
    return tuple(one for one in models if one.model is not None and one.model not in names)


def _find_manifest(ledger: Ledger, suite: Digest) -> Digest:
    body = ledger.find(suite).event.body
    if not isinstance(body, SuiteRegistered):
        raise UnknownAddress(f"{suite} is a {body.KIND}, not a suite")
    return body.manifest.address


def _read_configuration(ledger: Ledger, address: Digest) -> JsonObject:
    """Return a recorded configuration; nothing where it was redacted."""
    try:
        document: Any = parse_canonical(ledger.get(address))
    except RedactedArtifact:
        return {}
    return document if isinstance(document, dict) else {}


def _list_names(configuration: JsonObject, model: str) -> frozenset[str]:
    """Return the names under which ``model`` may answer; an old configuration has no others."""
    others = configuration.get("resolved_models", [])
    listed = others if isinstance(others, list) else []
    return frozenset({model, *(name for name in listed if isinstance(name, str))})


def _count_uses(
    ledger: Ledger, card: Scorecard, graders: Iterable[RecordedGrader], as_of: int
) -> tuple[GraderUse, ...]:
    """Return the use of each grader, from the events of the grading alone."""
    roles: dict[Digest, str] = {}
    answers: defaultdict[str, list[GraderAnswered]] = defaultdict(list)
    failed: Counter[str] = Counter()
    for entry in _read_grading(ledger, card, as_of):
        body = entry.event.body
        if isinstance(body, GraderAsked) and body.grading == card.grading:
            roles[entry.address] = body.role
        elif isinstance(body, GraderAnswered) and body.asked in roles:
            answers[roles[body.asked]].append(body)
        elif isinstance(body, GraderFailed) and body.asked in roles:
            failed[roles[body.asked]] += 1
    return tuple(
        _make_use(ledger, grader, answers[grader.role], failed[grader.role]) for grader in graders
    )


def _make_use(
    ledger: Ledger, grader: RecordedGrader, answers: list[GraderAnswered], failed: int
) -> GraderUse:
    models = count_models(body.resolved_model for body in answers)
    names = _list_names(_read_configuration(ledger, grader.configuration), grader.model)
    return GraderUse(
        grader=grader,
        answers=len(answers),
        failed=failed,
        models=models,
        others=find_others(models, names),
        usage=tuple(sum_usage(chain(*(body.usage for body in answers))).items()),
    )


def _read_grading(ledger: Ledger, card: Scorecard, as_of: int) -> Iterator[Entry]:
    """Yield the events from the beginning of a grading to its end; others' are among them."""
    for entry in ledger.read(card.position, as_of):
        yield entry
        body = entry.event.body
        if isinstance(body, GradingCompleted) and body.grading == card.grading:
            return
