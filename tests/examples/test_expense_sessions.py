"""The expense example's scripted sessions: written the same each time, and graded as told.

Each configuration is run and graded once by both answer keys; the tests look at the verdicts.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from cli.run import make_models, make_provider
from graders.numerals import find_numerals, parse_numeral
from ledger.events import DiagnosisMade, GraderAnswered, VerdictGiven
from ledger.outcomes import Verdict
from ledger.projections import VERDICTS
from tests.trials.runs import new_ledger
from trials.engine import run_trials
from trials.grade import grade_run
from trials.run import draft_suite, start_run
from trials.suite import load_configuration, load_suite

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "expense_analysis"
SUITES = {"first": "eval_suite.first_key.json", "revised": "eval_suite.json"}
SIMPLE, ROBUST, ORDERED = "standard", "robust", "robust-tables-first"
COUNT = "uncategorized-entry-count"
DELTA = "both-delta-charges-kept"
FINDINGS = "three-supported-findings"
INCREASE = "largest-month-over-month-increase"
ORDER = "tables-before-interpretation"
SHOPPING = "shopping-july-total"
TRAVEL = "travel-august-total"
CHECKS, REPETITIONS = 16, 5

HAIKU = {COUNT: 2, SHOPPING: 4, TRAVEL: 3, FINDINGS: 3}
LUNA = {SHOPPING: 0, TRAVEL: 0, FINDINGS: 0, DELTA: 4, COUNT: 4, "no-invented-budgets": 4}
# By configuration and key: variant, and the checks that did not pass five times out of five.
SHORT = {
    ("opus", "revised"): {
        SIMPLE: {COUNT: 0, FINDINGS: 3, INCREASE: 3},
        ROBUST: {ORDER: 0},
        ORDERED: {},
    },
    ("sonnet", "revised"): {
        SIMPLE: {COUNT: 0, FINDINGS: 2, INCREASE: 2},
        ROBUST: {ORDER: 2},
        ORDERED: {TRAVEL: 4, DELTA: 4},
    },
    ("haiku", "revised"): {ORDERED: HAIKU},
    ("sol", "first"): {ORDERED: {FINDINGS: 2}},
    ("sol", "revised"): {ORDERED: {}},
    ("astra", "first"): {ORDERED: {FINDINGS: 2}},
    ("astra", "revised"): {ORDERED: {}},
    ("luna", "revised"): {ORDERED: LUNA},
}
for unmoved in ("opus", "sonnet", "haiku", "luna"):
    SHORT[unmoved, "first"] = SHORT[unmoved, "revised"]
LOWEST = {"opus": 5, "sonnet": 4, "haiku": 2, "sol": 5, "astra": 5, "luna": 0}
CONFIGURATIONS = tuple(LOWEST)


def read_lines(path):
    return [json.loads(line) for line in (EXAMPLE / path).read_text("utf-8").splitlines()]


def place_of(line):
    metadata = line["metadata"]
    return metadata["configuration"], metadata["variant"], metadata["repetition"]


SESSIONS = {name: read_lines(f"sessions/{name}.jsonl") for name in CONFIGURATIONS}
REPLIES = {role: read_lines(f"grading/replies/{role}.jsonl") for role in ("extractor", "judge")}
ALL_SESSIONS = [line for lines in SESSIONS.values() for line in lines]


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The ledger, and the grading of each configuration by each key."""
    suites = {key: load_suite(EXAMPLE / name) for key, name in SUITES.items()}
    gradings = {}
    with new_ledger(tmp_path_factory.mktemp("graded")) as opened:
        ledger, keeper = opened.ledger, opened.keeper
        registered = {
            key: ledger.append([draft_suite(ledger, suite)])[0].address
            for key, suite in suites.items()
        }
        for name in CONFIGURATIONS:
            configuration = load_configuration(EXAMPLE / "configurations" / f"{name}.json")
            variants = {line["variant"] for line in SESSIONS[name]}
            run = start_run(ledger, suites["first"], configuration, variants=variants)
            run_trials(run, ledger, keeper, make_provider(configuration))
            for key, suite in suites.items():
                card = grade_run(
                    ledger,
                    keeper,
                    run.address,
                    registered[key],
                    suite,
                    models=make_models(suite),
                )
                gradings[name, key] = card.grading
        yield opened, gradings


def count_passes(graded, name, key):
    """Return variant and check to how often it passed."""
    opened, gradings = graded
    passes: Counter[tuple[str, str]] = Counter()
    for state in opened.keeper.scan(VERDICTS, f"{gradings[name, key]}/"):
        passes[state.variant, state.check] += state.verdict is Verdict.PASS
    return passes


def list_causes(graded, name, key, check):
    """Return the candidate causes of the failed verdicts of a check on the gated variant."""
    opened, gradings = graded
    bodies = (entry.event.body for entry in opened.ledger.read())
    return [
        cause
        for body in bodies
        if isinstance(body, DiagnosisMade)
        and (body.grading, body.check, body.variant) == (gradings[name, key], check, ORDERED)
        for cause in body.causes[:1]
    ]


def test_the_script_writes_the_same_bytes_again(tmp_path):
    program = [sys.executable, "-m", "examples.expense_analysis.script", "--into", tmp_path]
    subprocess.run(program, check=True, capture_output=True, cwd=ROOT)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == 8
    for path in written:
        assert path.read_bytes() == (EXAMPLE / path.relative_to(tmp_path)).read_bytes(), path


@pytest.mark.parametrize("key", list(SUITES))
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_each_check_passes_as_often_as_the_story_says(graded, name, key):
    passes = count_passes(graded, name, key)
    short: dict[str, dict[str, int]] = {variant: {} for variant, _ in passes}
    for (variant, check), count in passes.items():
        if count != REPETITIONS:
            short[variant][check] = count
    assert short == SHORT[name, key]
    assert len(passes) == CHECKS * len(short)


@pytest.mark.parametrize(("name", "lowest"), LOWEST.items())
def test_the_lowest_rate_on_the_last_prompt_is_the_published_one(graded, name, lowest):
    passes = count_passes(graded, name, "revised")
    assert min(n for (variant, _), n in passes.items() if variant == ORDERED) == lowest


def test_no_verdict_is_unproven(graded):
    opened, _ = graded
    bodies = [entry.event.body for entry in opened.ledger.read()]
    verdicts = {body.verdict for body in bodies if isinstance(body, VerdictGiven)}
    assert verdicts == {Verdict.PASS, Verdict.FAIL}


def test_an_unreadable_judgment_was_asked_for_once_more(graded):
    opened, _ = graded
    answers = [
        entry.event.body
        for entry in opened.ledger.read()
        if isinstance(entry.event.body, GraderAnswered)
    ]
    attempts = Counter(body.attempt for body in answers)
    assert attempts[2] == sum(line["attempt"] == 2 for line in REPLIES["judge"]) == 4


@pytest.mark.parametrize(
    ("name", "key", "check", "cause"),
    [
        ("haiku", "revised", TRAVEL, "Airport Parking - $68.00 (August 14)' left out"),
        ("sonnet", "revised", TRAVEL, "Delta Air Lines - $412.60 (Aug. 14)' left out"),
        ("haiku", "revised", SHOPPING, "IKEA"),
        ("sol", "first", FINDINGS, "'June 4: Steam, 47.58', which the reference puts in Ent"),
        ("astra", "first", FINDINGS, "'June 4: Steam, 47.58', which the reference puts in Ent"),
        ("luna", "revised", TRAVEL, "Hilton Garden Inn - $489.16 (8/16)' left out"),
        ("luna", "revised", SHOPPING, "'7/15 Amazon Prime 14.99', which the reference puts in"),
    ],
)
def test_a_wrong_total_is_explained_by_the_mistake_that_was_scripted(
    graded, name, key, check, cause
):
    assert any(cause in found for found in list_causes(graded, name, key, check))


def test_each_line_says_that_it_is_scripted():
    lines = [*ALL_SESSIONS, *REPLIES["extractor"], *REPLIES["judge"]]
    assert all(line["metadata"]["scripted"] is True for line in lines)


def test_each_answer_is_one_of_its_kind_and_of_a_readable_length():
    assert len({line["answer"] for line in ALL_SESSIONS}) == len(ALL_SESSIONS) == 50
    assert all(40 <= line["answer"].count("\n") <= 90 for line in ALL_SESSIONS)


def test_the_answers_are_in_the_model_s_own_name():
    for name, lines in SESSIONS.items():
        model = json.loads((EXAMPLE / "configurations" / f"{name}.json").read_text())["model"]
        assert {line["resolved_model"] for line in lines} == {model}


def test_each_session_made_a_few_calls_and_some_calls_went_wrong():
    assert all(3 <= len(line["tool_calls"]) <= 8 for line in ALL_SESSIONS)
    outcomes = Counter(call["outcome"] for line in ALL_SESSIONS for call in line["tool_calls"])
    assert outcomes["failed"] >= 5
    assert outcomes["unfinished"] >= 2


def test_the_first_of_five_sessions_takes_longest_on_average():
    first = [line["duration_us"] for line in ALL_SESSIONS if line["repetition"] == 1]
    later = [line["duration_us"] for line in ALL_SESSIONS if line["repetition"] > 1]
    assert sum(first) / len(first) > 1.2 * sum(later) / len(later)


def test_each_extraction_reports_amounts_that_stand_in_the_answer():
    facts = {place_of(line): json.loads(line["answer"]) for line in REPLIES["extractor"]}
    for name, lines in SESSIONS.items():
        for line in lines:
            own = facts[name, line["variant"], line["repetition"]]
            totals = {parse_numeral(own[fact]) for fact in own if fact.endswith("_total")}
            assert totals <= set(find_numerals(line["answer"]))


def test_the_judge_was_shown_each_answer_by_both_keys():
    asked = {(*place_of(line), line["metadata"]["check"]) for line in REPLIES["judge"]}
    keys = Counter(line["metadata"]["key"] for line in REPLIES["judge"] if line["attempt"] == 1)
    assert len(asked) == 4 * len(ALL_SESSIONS)
    assert keys == {"both": 150, "first": 50, "revised": 50}
