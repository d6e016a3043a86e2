"""What a scorecard says, in words that every form for people uses alike."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from fractions import Fraction
from typing import NamedTuple

from cli.render.figures import (
    format_cost,
    format_count,
    format_minimum,
    format_ratio,
    format_time,
)
from ledger.digest import Digest, shorten_digest
from ledger.outcomes import LEFT_OUT, Verdict
from ledger.projections import Inventory
from trials.scorecard import (
    Answering,
    CaseRow,
    GraderUse,
    Identity,
    Place,
    Report,
    Revisions,
    Row,
    Suspicion,
    Timing,
)
from trials.suite.configuration import RECORDED

COLUMNS = (
    (Verdict.PASS, "pass"),
    (Verdict.FAIL, "fail"),
    (Verdict.UNPROVEN, "unproven"),
    (Verdict.UNRESOLVED, "unresolved"),
    (Verdict.NOT_APPLICABLE, "n/a"),
)
FAULTS_SHOWN = 5
"""Critical faults that a gate's line names."""
ADDRESSES_SHOWN = 8
"""Keys or files that are named one by one; more of them are in the JSON."""
VALUE_WIDTH = 86
"""Columns of a line of a hundred beside the name of a fact."""
TRIALS_SHOWN = 8
"""Trials of a suspicion that are named."""
NOTED_SHOWN = 3
"""Cases with notes that are named."""
CASES_SHOWN = range(2, 21)
"""Numbers of cases whose table is shown unasked; more are asked for."""


class Fact(NamedTuple):
    """A line of what a scorecard belongs to; ``is_odd`` if it should catch the eye."""

    name: str
    value: str
    is_odd: bool = False


class Entry(NamedTuple):
    """A fact with all its lines."""

    name: str
    lines: tuple[str, ...]
    is_odd: bool


# What it belongs to


def describe_report(report: Report) -> list[Fact]:
    """Return what a scorecard belongs to."""
    identity, inventory = report.identity, report.inventory
    revisions = identity.revisions
    graded = f"{_when(identity.graded_at)}, as of {format_count(report.as_of, 'event')}"
    suite, answered = shorten_digest(revisions.suite), shorten_digest(revisions.answered_suite)
    decided = f"suite {suite}, criteria {shorten_digest(revisions.criteria)}"
    if suite != answered:
        decided += f"; the answers were given to suite {answered}"
    head, *rest = describe_inventory(inventory, identity.recorded_from)
    return [
        Fact("suite", report.criteria.suite_name),
        head,
        rest[0],
        _describe_models(identity),
        Fact("tools", ", ".join(inventory.tools) or "none"),
        *_describe_graders(identity.graders),
        Fact("revisions", decided),
        *_describe_revisions(revisions),
        Fact("trials", describe_trials(inventory)),
        *_describe_calls(report),
        Fact("run", f"{shorten_digest(inventory.run)}, {_when(identity.started_at)}"),
        Fact("grading", f"{shorten_digest(report.card.grading)}, {graded}"),
    ]


def gather_facts(facts: Iterable[Fact]) -> list[Entry]:
    """Return each fact with the lines that go on with it, which have no name of their own."""
    entries: list[Entry] = []
    for name, value, is_odd in facts:
        if name:
            entries.append(Entry(name, (value,), is_odd))
        else:
            last = entries[-1]
            entries[-1] = Entry(last.name, (*last.lines, value), last.is_odd or is_odd)
    return entries


def describe_inventory(inventory: Inventory, source: str | None = None) -> list[Fact]:
    """Return what a run is and what became of its trials."""
    effort = f", effort {inventory.effort}" if inventory.effort else ""
    source = f"; recorded from {source}" if source else ""
    return [
        Fact("configuration", inventory.configuration_name),
        Fact("asked", f"{inventory.provider}, model {inventory.model}{effort}{source}"),
        Fact("trials", describe_trials(inventory)),
        Fact("run", shorten_digest(inventory.run)),
    ]


def describe_trials(inventory: Inventory) -> str:
    """Return what became of the planned trials."""
    return (
        f"{inventory.planned:,} planned, {inventory.completed:,} completed, "
        f"{inventory.failed:,} failed, {inventory.missing:,} missing"
    )


def describe_answering(models: Sequence[Answering]) -> str:
    """Return who answered, and how often where several did."""
    if not models or {one.model for one in models} == {None}:
        return "not stated"
    if len(models) == 1:
        return str(models[0].model)
    return ", ".join(
        f"{one.model or 'not stated'} ({format_count(one.answers, 'answer')})" for one in models
    )


def _describe_models(identity: Identity) -> Fact:
    said = describe_answering(identity.models)
    if not identity.others:
        return Fact("answered by", said)
    counts = (sum(one.answers for one in some) for some in (identity.others, identity.models))
    others, total = counts
    told = f"{said}: another name than was asked for, {others:,} of {format_count(total, 'answer')}"
    return Fact("answered by", told, is_odd=True)


def _describe_graders(graders: Sequence[GraderUse]) -> list[Fact]:
    if not graders:
        return [Fact("graders", "code alone")]
    lines = [(describe_grader(use), bool(use.others)) for use in graders]
    return [Fact("" if n else "graders", line, is_odd) for n, (line, is_odd) in enumerate(lines)]


def describe_grader(use: GraderUse) -> str:
    """Return what answers a role, whom it says it was, and how often it was asked."""
    grader = use.grader
    effort = f", effort {grader.effort}" if grader.effort else ""
    told = f"{grader.role}: {grader.provider}, model {grader.model}{effort}"
    if use.others:
        told += f"; answered by {describe_answering(use.models)}"
    told += f"; {format_count(use.answers, 'answer')}"
    return f"{told}, {format_count(use.failed, 'failed call')}" if use.failed else told


def _describe_calls(report: Report) -> Iterator[Fact]:
    """Yield what is known of cost, retries and notes; nothing of what is as usual."""
    if report.failures:
        told = ", ".join(f"{cause} {count:,}" for cause, count in report.failures)
        yield Fact("failed for", told)
    attempts, trials = report.attempts
    if attempts > trials:
        yield Fact("attempts", f"{attempts:,} for {format_count(trials, 'trial')}")
    if report.cost.priced.trials or report.cost.stated.trials:
        yield Fact("cost", describe_cost(report))
    if report.noted:
        told = _list_cases(report.noted)
        count = format_count(len(report.noted), "trial")
        yield Fact("notes", f"on {count}: {told}; see verdict trace", is_odd=True)


def describe_cost(report: Report) -> str:
    """Return what the gated variant cost, by whose account, and of how many trials it is known."""
    cost = report.cost
    total = format_count(cost.trials, "trial")
    parts = []
    if cost.priced.trials:
        known = f"({cost.priced.trials:,} of {total})"
        parts.append(f"{format_cost(cost.priced.cost_usd)} by the suite's prices {known}")
    if cost.stated.trials:
        said = f"the provider says {format_cost(cost.stated.cost_usd)}"
        same = cost.stated.trials == cost.priced.trials
        parts.append(said if same else f"{said} ({cost.stated.trials:,} of {total})")
    if cost.failed_attempts:
        attempts = format_count(cost.failed_attempts, "failed attempt")
        parts.append(f"without {attempts}")
    if len(group_rows(report)) > 1:
        parts.append(f"variant {report.criteria.gated_variant} alone")
    return "; ".join(parts)


def _list_cases(places: Iterable[Place]) -> str:
    cases = list(dict.fromkeys(place.case for place in places))
    more = len(cases) - NOTED_SHOWN
    told = ", ".join(cases[:NOTED_SHOWN])
    return f"{told} and {more:,} more" if more > 0 else told


def _describe_revisions(revisions: Revisions) -> list[Fact]:
    keys = [(case, key) for case, key in revisions.keys if key is not None]
    total = f"{len(keys):,} of {format_count(len(revisions.keys), 'case')} have one"
    return [
        *_list_addresses("keys", keys, total),
        *_list_addresses("files", revisions.files, format_count(len(revisions.files), "file")),
    ]


def _list_addresses(
    name: str, items: Sequence[tuple[str, Digest]], otherwise: str
) -> Iterable[Fact]:
    """Return the addresses on one line if they fit, else a line each, or how many there are."""
    if len(items) > ADDRESSES_SHOWN:
        return [Fact(name, otherwise)]
    lines = [f"{shorten_digest(address)} {what}" for what, address in items]
    if len(", ".join(lines)) <= VALUE_WIDTH:
        lines = [", ".join(lines)] if lines else []
    return [Fact("" if n else name, line) for n, line in enumerate(lines)]


def _when(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC"


# What came out


def describe_gate(report: Report) -> str:
    """Return in words why the gate did not pass."""
    return "; ".join(list_gate_reasons(report))


def list_gate_reasons(report: Report) -> list[str]:
    """Return what keeps the gate from passing, a phrase each; empty where it passed."""
    card = report.card
    if report.gate == "incomplete":
        if card.given < card.planned:
            return [f"{card.given:,} of {card.planned:,} verdicts are given"]
        return ["all verdicts are given, and the grading was not closed yet"]
    short = [_describe_miss(row) for row in report.rows if row.is_gated and not row.meets]
    faults = report.critical_faults
    if faults:
        more = f" and {len(faults) - FAULTS_SHOWN:,} more" if len(faults) > FAULTS_SHOWN else ""
        short.append(f"critical cases did not pass: {', '.join(faults[:FAULTS_SHOWN])}{more}")
    if report.criteria.refuses_other_models and report.other_models:
        total = format_count(report.cost.trials, "trial")
        told = ", ".join(f"{one.model} {one.answers:,} of {total}" for one in report.other_models)
        short.append(f"answered by another model: {told}")
    return short


def _describe_miss(row: Row) -> str:
    if row.rate is None:
        return f"{row.counts.check} was never decided"
    passed = format_ratio(row.ratio)
    if row.rate < Fraction(row.minimum):
        minimum = format_minimum(row.minimum)
        critical = " and is critical" if row.is_critical else ""
        return f"{row.counts.check} passed {passed}, at least {minimum} is required{critical}"
    return f"{row.counts.check} is critical and passed only {passed}"


def mark_row(row: Row, report: Report) -> str:
    """Return whether a row meets its minimum, where that is settled and decides something."""
    if not row.is_gated or report.gate == "incomplete":
        return ""
    return "meets" if row.meets else "misses"


def group_rows(report: Report) -> dict[str, list[Row]]:
    """Return the rows of each variant, the gated one first."""
    by_variant: dict[str, list[Row]] = {}
    for row in report.rows:
        by_variant.setdefault(row.counts.variant, []).append(row)
    return by_variant


def name_variant(report: Report, variant: str) -> str:
    """Return a variant's name, and whether it decides."""
    is_gated = variant == report.criteria.gated_variant
    return f"variant {variant}, {'gated' if is_gated else 'not gated'}"


def list_columns(report: Report) -> list[tuple[Verdict, str]]:
    """Return the columns of a table: what is left out of the rate only where there is some."""
    return [
        (verdict, name)
        for verdict, name in COLUMNS
        if verdict not in LEFT_OUT or any(row.counts.count(verdict) for row in report.rows)
    ]


def describe_causes(report: Report) -> str:
    """Return why verdicts are unproven, empty where none is."""
    return ", ".join(f"{cause.value} {count:,}" for cause, count in report.causes.items())


def has_joint(report: Report) -> bool:
    """Return whether the joint rate says more than the rows: with one check it is the row."""
    return len(report.criteria.checks) > 1


def shows_cases(report: Report, *, is_asked: bool) -> bool:
    """Return whether the table by case is shown."""
    return is_asked or len(report.criteria.keys) in CASES_SHOWN


def list_short(row: CaseRow) -> list[str]:
    """Return the checks of a case that did not pass each time, with their counts."""
    return [
        f"{counts.check} {counts.count(Verdict.PASS):,}/{counts.counted:,}"
        for counts in row.checks
        if counts.count(Verdict.PASS) < counts.counted
    ]


def describe_places(one: Suspicion) -> str:
    """Return in which trials something was found: each case with its repetitions."""
    by_case: dict[str, list[int]] = {}
    for place in one.trials[:TRIALS_SHOWN]:
        by_case.setdefault(place.case, []).append(place.repetition)
    told = "; ".join(f"{case} {', '.join(map(str, some))}" for case, some in by_case.items())
    more = len(one.trials) - TRIALS_SHOWN
    return f"{told} and {more:,} more" if more > 0 else told


def describe_suspect(one: Suspicion) -> str:
    """Return what was wrong and the candidate cause, or that there is none."""
    cause = one.cause or "no simple explanation found"
    return cause if cause.startswith(one.subject) else f"{one.subject}: {cause}"


def describe_times(report: Report) -> str:
    """Return whose account the times are and which one is left out; empty without any."""
    timing = report.timing
    if not timing.rows and timing.warm_up is None:
        return ""
    if is_meaningless(timing, report.inventory):
        return "the recording states none, and how long it takes to read says nothing of the model"
    told = "as the sessions state it" if timing.source == "stated" else "measured from the slot"
    if timing.warm_up is None:
        return f"{told}; the first trial did not complete, so none is left out as a warm-up"
    (case, variant, repetition), time_us = timing.warm_up
    return (
        f"{told}, without the warm-up: the first trial, {case} {variant} {repetition}, "
        f"{format_time(time_us)}"
    )


def is_meaningless(timing: Timing, inventory: Inventory) -> bool:
    """Return whether the times are of reading a recording, and say nothing about a model."""
    return timing.source == "measured" and inventory.provider == RECORDED
