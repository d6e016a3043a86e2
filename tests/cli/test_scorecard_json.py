"""The scorecard for programs: every key that it promises, and its kind of numbers."""

import json

import pytest

from cli.render import report_to_json
from tests.cli.program import call
from tests.trials.scorecards import FAIL, PASS, UNPROVEN, make_criteria, new_desk

RATIO = {"counted", "interval", "passed"}
COUNTS = {"causes", "check", "counted", "passed", "verdicts"}
ANSWERING = {"answers", "model"}
PROMISED = {
    "": {
        *("as_of", "attempts", "candidate_causes", "cases", "configuration", "cost"),
        *("critical_faults", "effort", "failures", "noted", "other_models"),
        *("gate", "gate_reasons", "gated_variant", "graded_at", "graders", "grading", "joint"),
        *("model", "provider", "recorded_from", "resolved_models", "revisions", "rows", "run"),
        *("started_at", "suite", "timing", "tools", "trials", "unproven_causes", "usage"),
        "verdicts",
    },
    "attempts": {"attempts", "trials"},
    "candidate_causes": {"cause", "checks", "subject", "trials", "variant", "verdicts"},
    "candidate_causes.trials": {"case", "repetition"},
    "cases": {"case", "checks", "joint", "variant"},
    "cases.checks": COUNTS,
    "cases.joint": RATIO,
    "cost": {"failed_attempts", "priced", "stated", "trials"},
    "cost.priced": {"cost_usd", "trials"},
    "cost.stated": {"cost_usd", "trials"},
    "failures": {"cause", "trials"},
    "graders": {
        *("answers", "configuration", "effort", "failed", "model", "other_models"),
        *("provider", "resolved_models", "role", "usage"),
    },
    "graders.other_models": ANSWERING,
    "graders.resolved_models": ANSWERING,
    "graders.usage": {"name", "total"},
    "joint": {"variant", *RATIO},
    "noted": {"case", "repetition", "variant"},
    "other_models": {"is_refused", "models", "trials"},
    "other_models.models": ANSWERING,
    "resolved_models": ANSWERING,
    "revisions": {"answered_suite", "criteria", "files", "keys", "suite"},
    "revisions.files": {"address", "path"},
    "revisions.keys": {"address", "case"},
    "rows": {
        *("description", "interval", "is_critical", "is_gated", "meets", "minimum_pass_rate"),
        "variant",
        *COUNTS,
    },
    "rows.verdicts": {"pass", "fail", "unproven", "unresolved", "not_applicable"},
    "timing": {"source", "variants", "warm_up"},
    "timing.variants": {
        *("max_us", "mean_us", "median_us", "p90_us", "p95_us", "trials", "variant"),
    },
    "timing.warm_up": {"case", "repetition", "time_us", "variant"},
    "trials": {"completed", "failed", "missing", "planned"},
    "usage": {"name", "total", "trials", "variant"},
    "verdicts": {"given", "planned"},
}
"""The path of an object, or of the objects of a list, and its keys."""


@pytest.fixture
def document():
    """A scorecard in which every list has something."""
    with new_desk() as desk:
        desk.start(3)
        desk.open(2, repetition=3)
        desk.fail(2, cause="truncated")
        for slot in (0, 1):
            desk.open(slot, repetition=slot + 1)
            told = {"usage": (("in", 3),), "stated_us": 7, "notes": ("It changed an input.",)}
            desk.complete(slot, resolved_model="m-2", cost_usd="0.10", **told)
        desk.grade(make_criteria(is_judged=True), planned=4)
        desk.answer(0, desk.ask(0), resolved_model="judge-2", usage=(("in", 9),))
        failed = desk.give(0, "a", FAIL)
        desk.diagnose(0, "a", failed, "left out")
        for slot, check, verdict in [(0, "b", PASS), (1, "a", UNPROVEN), (1, "b", PASS)]:
            desk.give(slot, check, verdict)
        desk.close()
        return json.loads(json.dumps(report_to_json(desk.report())))


def find(value, path):
    """Return the objects at ``path``; a list stands for its members."""
    if isinstance(value, list):
        return [one for member in value for one in find(member, path)]
    if not path:
        return [value]
    return find(value[path[0]], path[1:])


@pytest.mark.parametrize("path", PROMISED)
def test_the_keys_are_the_promised_ones(document, path):
    found = find(document, path.split(".") if path else [])
    assert found
    assert all(set(one) == PROMISED[path] for one in found)


def test_a_rate_is_two_counts_and_its_interval_two_decimals_of_four_digits(document):
    assert document["joint"] == [
        {"counted": 2, "interval": ["0.0000", "0.6576"], "passed": 0, "variant": "v"}
    ]
    assert document["rows"][1]["interval"] == ["0.3424", "1.0000"]


def test_no_number_has_a_fraction(document):
    refused: list[str] = []
    json.loads(json.dumps(document), parse_float=refused.append)
    assert refused == []


def test_an_unproven_verdict_is_in_every_denominator_with_its_cause(document):
    row, _ = document["rows"]
    assert (row["passed"], row["counted"], row["causes"]) == (0, 2, {"trial_failed": 1})
    assert document["unproven_causes"] == {"trial_failed": 1}


def test_a_cost_that_is_known_of_no_trial_is_null_and_not_nothing(document):
    assert document["cost"] == {
        "failed_attempts": 0,
        "priced": {"cost_usd": "0.20", "trials": 2},
        "stated": {"cost_usd": None, "trials": 0},
        "trials": 3,
    }


def test_what_the_command_prints_has_the_same_keys(graded):
    assert set(graded) == PROMISED[""]
    assert set(call("scorecard", "--json", "--failed").json()) == PROMISED[""] | {"failed"}
