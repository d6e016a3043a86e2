"""A scorecard as JSON: every count, every address in full, nothing rounded.

A rate is two counts, its interval two decimal strings, a time integer microseconds. Keys stay:
``tests/cli/test_scorecard_json.py`` has all of them.
"""

from typing import Any, TextIO

from cli.render.sheet import Sheet
from cli.render.terminal import print_json
from cli.render.words import list_gate_reasons
from ledger.outcomes import Verdict
from ledger.projections import Counts, Inventory
from trials.scorecard import (
    Answering,
    CaseRow,
    Cost,
    GraderUse,
    Interval,
    Known,
    Ratio,
    Report,
    Revisions,
    Row,
    Shortfall,
    Suspicion,
    Timing,
)

Object = dict[str, Any]


def render(sheet: Sheet, out: TextIO) -> None:
    """Write the sheet."""
    document = report_to_json(sheet.report)
    if sheet.is_failed:
        document["failed"] = [shortfall_to_json(short) for short in sheet.shortfalls]
    print_json(document, out)


def report_to_json(report: Report) -> Object:
    """Return a scorecard for a program; rates are counted, never rounded."""
    inventory, identity = report.inventory, report.identity
    return {
        "as_of": report.as_of,
        "attempts": report.attempts._asdict(),
        "candidate_causes": [_suspicion_to_json(one) for one in report.suspicions],
        "cases": [_case_to_json(row) for row in report.cases],
        "configuration": inventory.configuration_name,
        "cost": _cost_to_json(report.cost),
        "critical_faults": list(report.critical_faults),
        "effort": inventory.effort,
        "failures": [{"cause": cause, "trials": count} for cause, count in report.failures],
        "gate": report.gate,
        "gate_reasons": list_gate_reasons(report),
        "gated_variant": report.criteria.gated_variant,
        "graded_at": identity.graded_at.isoformat(),
        "graders": [_grader_to_json(use) for use in identity.graders],
        "grading": report.card.grading,
        "joint": [
            {"variant": variant, **_ratio_to_json(ratio)} for variant, ratio in report.joints
        ],
        "model": inventory.model,
        "noted": [place._asdict() for place in report.noted],
        "other_models": {
            "is_refused": report.criteria.refuses_other_models,
            "models": _models_to_json(report.other_models),
            "trials": report.cost.trials,
        },
        "provider": inventory.provider,
        "recorded_from": identity.recorded_from,
        "resolved_models": _models_to_json(identity.models),
        "revisions": _revisions_to_json(identity.revisions),
        "rows": [_row_to_json(row) for row in report.rows],
        "run": inventory.run,
        "started_at": identity.started_at.isoformat(),
        "suite": report.criteria.suite_name,
        "timing": _timing_to_json(report.timing),
        "tools": list(inventory.tools),
        "trials": _trials_to_json(inventory),
        "unproven_causes": {cause.value: count for cause, count in report.causes.items()},
        "usage": [
            {"name": one.name, "total": one.total, "trials": one.trials, "variant": one.variant}
            for one in report.usage
        ],
        "verdicts": {"given": report.card.given, "planned": report.card.planned},
    }


def inventory_to_json(inventory: Inventory) -> Object:
    """Return a run that is not graded yet, for a program."""
    return {
        "configuration": inventory.configuration_name,
        "effort": inventory.effort,
        "gate": "incomplete",
        "gate_reasons": ["the run is not graded yet"],
        "model": inventory.model,
        "provider": inventory.provider,
        "run": inventory.run,
        "tools": list(inventory.tools),
        "trials": _trials_to_json(inventory),
    }


def shortfall_to_json(short: Shortfall) -> Object:
    """Return a verdict that counts against a rate, for a program."""
    state = short.state
    return {
        "case": short.case,
        "cause": state.cause and state.cause.value,
        "check": state.check,
        "reason": short.reason,
        "repetition": short.repetition,
        "trial": state.trial,
        "variant": state.variant,
        "verdict": state.verdict.value,
        "verdict_event": state.verdict_event,
    }


def _trials_to_json(inventory: Inventory) -> Object:
    return {
        "completed": inventory.completed,
        "failed": inventory.failed,
        "missing": inventory.missing,
        "planned": inventory.planned,
    }


def _row_to_json(row: Row) -> Object:
    return {
        **_counts_to_json(row.counts),
        "description": row.description,
        "interval": _interval_to_json(row.interval),
        "is_critical": row.is_critical,
        "is_gated": row.is_gated,
        "meets": row.meets,
        "minimum_pass_rate": str(row.minimum),
        "variant": row.counts.variant,
    }


def _counts_to_json(counts: Counts) -> Object:
    return {
        "causes": {cause.value: count for cause, count in counts.causes},
        "check": counts.check,
        "counted": counts.counted,
        "passed": counts.count(Verdict.PASS),
        "verdicts": {verdict.value: counts.count(verdict) for verdict in Verdict},
    }


def _ratio_to_json(ratio: Ratio) -> Object:
    return {
        "counted": ratio.counted,
        "interval": _interval_to_json(ratio.interval),
        "passed": ratio.passed,
    }


def _interval_to_json(interval: Interval | None) -> list[str] | None:
    return None if interval is None else [f"{bound:.4f}" for bound in interval]


def _case_to_json(row: CaseRow) -> Object:
    return {
        "case": row.case,
        "checks": [_counts_to_json(counts) for counts in row.checks],
        "joint": _ratio_to_json(row.joint),
        "variant": row.variant,
    }


def _suspicion_to_json(one: Suspicion) -> Object:
    return {
        "cause": one.cause,
        "checks": list(one.checks),
        "subject": one.subject,
        "trials": [{"case": place.case, "repetition": place.repetition} for place in one.trials],
        "variant": one.variant,
        "verdicts": list(one.verdicts),
    }


def _cost_to_json(cost: Cost) -> Object:
    return {
        "failed_attempts": cost.failed_attempts,
        "priced": _known_to_json(cost.priced),
        "stated": _known_to_json(cost.stated),
        "trials": cost.trials,
    }


def _known_to_json(known: Known) -> Object:
    """Return a sum; where it is known of no trial, it is null and not nothing."""
    cost = f"{known.cost_usd:f}" if known.trials else None
    return {"cost_usd": cost, "trials": known.trials}


def _models_to_json(models: tuple[Answering, ...]) -> list[Object]:
    return [{"answers": one.answers, "model": one.model} for one in models]


def _grader_to_json(use: GraderUse) -> Object:
    grader = use.grader
    return {
        "answers": use.answers,
        "configuration": grader.configuration,
        "effort": grader.effort,
        "failed": use.failed,
        "model": grader.model,
        "other_models": _models_to_json(use.others),
        "provider": grader.provider,
        "resolved_models": _models_to_json(use.models),
        "role": grader.role,
        "usage": [{"name": name, "total": total} for name, total in use.usage],
    }


def _revisions_to_json(revisions: Revisions) -> Object:
    return {
        "answered_suite": revisions.answered_suite,
        "criteria": revisions.criteria,
        "files": [{"address": address, "path": path} for path, address in revisions.files],
        "keys": [{"address": address, "case": case} for case, address in revisions.keys],
        "suite": revisions.suite,
    }


def _timing_to_json(timing: Timing) -> Object:
    warm_up = timing.warm_up
    return {
        "source": timing.source,
        "variants": [
            {
                "max_us": row.max_us,
                "mean_us": row.mean_us,
                "median_us": row.median_us,
                "p90_us": row.p90_us,
                "p95_us": row.p95_us,
                "trials": row.trials,
                "variant": row.variant,
            }
            for row in timing.rows
        ],
        "warm_up": warm_up and {**warm_up.place._asdict(), "time_us": warm_up.time_us},
    }
