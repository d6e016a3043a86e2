"""The application example: the real application in its own process, asked by ``verdict run``."""

import doctest
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from examples.application import paragraphs
from examples.application.paragraphs import find_answer, read_library
from tests.trials.runs import call_verdict, init_ledger

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "application"
CONFIGURATION = "configurations/application.json"
WRONG = {"hotel-oslo", "new-father"}
DOCUMENTS = {file.name: file.read_text("utf-8") for file in EXAMPLE.glob("documents/*.md")}


@pytest.fixture
def application(tmp_path):
    """Address and reports of the application, which runs while a test does."""
    reports = tmp_path / "reports"
    process = subprocess.Popen(
        [sys.executable, "-m", "examples.application.serve", "--port", "0", "--reports", reports],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout
        line = re.fullmatch(r"listening on (http://127\.0\.0\.1:\d+)\n", process.stdout.readline())
        assert line
        yield line[1], reports
        process.terminate()


def copy_example(folder, address):
    """Copy the suite, with ``address`` in its configuration."""
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    file = folder / CONFIGURATION
    file.write_text(file.read_text("utf-8").replace("http://127.0.0.1:8321", address))
    return folder


def run(tmp_path, address):
    suite, ledger = copy_example(tmp_path / "suite", address), init_ledger(tmp_path / "ledger")
    called = call_verdict("--ledger", ledger, "run", suite, "-c", "application", "--json")
    assert called.out, called.err
    return called


def test_the_gate_passes_with_two_answers_wrong_and_one_report(tmp_path, application):
    called = run(tmp_path, application[0])
    assert called.code == 0, called.out
    passed = {row["check"]: f"{row['passed']}/{row['counted']}" for row in called.json["rows"]}
    assert passed == {"answer": "6/8", "report-quotes-source": "7/8", "report-complete": "8/8"}


def test_each_trial_left_a_report_and_says_who_answered(tmp_path, application):
    called = run(tmp_path, application[0])
    reports = [json.loads(file.read_bytes()) for file in application[1].iterdir()]
    questions = {json.loads(line)["question"] for line in read_cases()}
    assert {report["question"] for report in reports} == questions
    assert len(reports) == len(questions)
    assert called.json["resolved_models"] == [{"answers": 8, "model": "paragraphs-1"}]


def test_an_application_that_is_not_there_stops_the_run_and_fails_no_trial(tmp_path):
    suite = copy_example(tmp_path / "suite", "http://127.0.0.1:9")
    file = suite / CONFIGURATION
    document = json.loads(file.read_bytes())
    document["limits"]["attempts_max"] = 1
    file.write_text(json.dumps(document))
    ledger = init_ledger(tmp_path / "ledger")
    called = call_verdict("--ledger", ledger, "run", suite, "-c", "application")
    assert called.code == 3
    assert called.err.startswith("error: connection_failed: http: no response")
    assert "go on with --resume" in called.err


def read_cases():
    return (EXAMPLE / "cases.jsonl").read_text("utf-8").splitlines()


@pytest.mark.parametrize("line", read_cases())
def test_the_answer_is_right_but_where_the_page_says_otherwise(line):
    case = json.loads(line)
    answer = find_answer(read_library(DOCUMENTS), case["question"])
    is_right = all(phrase in answer.text for phrase in case["must_include"])
    assert is_right is (case["id"] not in WRONG)


def test_the_wrong_answer_on_oslo_rests_on_the_right_paragraph():
    answer = find_answer(read_library(DOCUMENTS), "How much may a hotel in Oslo cost a night?")
    assert answer.paragraph
    assert "210 euros" in answer.paragraph.text
    assert "210 euros" not in answer.text


def test_without_documents_nothing_is_known():
    assert find_answer(read_library({}), "How many days?").text == "I do not know."


def test_the_examples_of_the_docstring_are_true():
    assert doctest.testmod(paragraphs).failed == 0
