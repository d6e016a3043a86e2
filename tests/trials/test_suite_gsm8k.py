"""The example on real answers: derived from the source, and graded as its authors graded it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from graders.grader import Evidence
from ledger.outcomes import Verdict
from trials.suite import compose_prompt, load_configuration, load_suite

EXAMPLE = Path(__file__).parents[2] / "examples" / "gsm8k"
PASSES = {
    "6b_finetuning": 89,
    "6b_verification": 156,
    "175b_finetuning": 146,
    "175b_verification": 224,
}


@pytest.fixture(scope="module")
def suite():
    return load_suite(EXAMPLE)


def read_answers(name):
    configuration = load_configuration(EXAMPLE / "configurations" / f"{name}.json")
    data = next(file.data for file in configuration.files if file.path.startswith("../answers/"))
    return [json.loads(line) for line in data.decode().splitlines()]


def test_the_suite_holds_400_questions(suite):
    assert [case.id for case in suite.cases] == [f"gsm8k-{n:04d}" for n in range(1, 401)]
    assert compose_prompt(suite.variants[0], suite.cases[0]).startswith("Janet’s ducks lay 16")


@pytest.mark.parametrize(("name", "passes"), PASSES.items())
def test_each_verdict_is_the_published_label(suite, name, passes):
    keys = {case.id: case.key for case in suite.cases}
    verdicts = []
    for record in read_answers(name):
        key = keys[record["case"]]
        evidence = Evidence(case="x", variant="plain", answer=record["answer"], key=key)
        verdict = suite.checks[0].grader.decide(evidence, {}).verdict
        assert (verdict is Verdict.PASS) == record["metadata"]["is_correct"]
        verdicts.append(verdict)
    assert verdicts.count(Verdict.PASS) == passes
    assert verdicts.count(Verdict.FAIL) == 400 - passes


def test_each_configuration_answers_each_case_once(suite):
    ids = [case.id for case in suite.cases]
    assert all([line["case"] for line in read_answers(name)] == ids for name in PASSES)


def rebuild_source():
    """Return the lines of the source, as far as the example holds them."""
    answers = {name: read_answers(name) for name in PASSES}
    for line in (EXAMPLE / "cases.jsonl").read_text().splitlines():
        case = json.loads(line)
        truth = f"Thus:\nA: ${case['facts']['final_answer'][0]}"
        row = {"question": case["question"], "ground_truth": truth}
        for name, records in answers.items():
            record = records.pop(0)
            row[name] = record["metadata"] | {"solution": record["answer"]}
        yield json.dumps(row) + "\n"


def test_the_example_is_derived_to_the_same_bytes_from_its_source(tmp_path):
    source, out = tmp_path / "source.jsonl", tmp_path / "out"
    source.write_text("".join(rebuild_source()))
    program = [sys.executable, EXAMPLE / "prepare.py", source, "--into", out]
    subprocess.run(program, check=True, capture_output=True)
    derived = [path for path in out.rglob("*") if path.is_file()]
    assert len(derived) == 11
    for path in derived:
        assert path.read_bytes() == (EXAMPLE / path.relative_to(out)).read_bytes()
