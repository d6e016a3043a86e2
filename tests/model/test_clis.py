"""The real Claude Code and Codex, one session each with the small model, on record.

No account is needed: both are pointed at the server. Whatever they answer, the record has to hold
what they wrote.
"""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.model.record import Outcome, Record, flatten, open_record
from tests.model.suites import MODEL, write_suite
from tests.trials.runs import call_verdict, init_ledger

pytestmark = pytest.mark.model

PROGRAMS: dict[str, tuple[str, dict[str, Any]]] = {
    "claude-code": ("claude", {"bare": True}),
    "codex": ("codex", {}),
}
"""Each provider's program, and settings that keep its session short."""
KEY = "a-placeholder-of-the-tests"
CASE = "sum-1"


@pytest.fixture(scope="module", params=PROGRAMS)
def provider(request):
    return request.param


@pytest.fixture(scope="module")
def record(provider, server, find_cli, tmp_path_factory):
    """One session of the program, its answer graded through Chat Completions."""
    program, settings = PROGRAMS[provider]
    settings = settings | {"program": find_cli(program), "api_key_env": "ANTHROPIC_API_KEY"}
    home = tmp_path_factory.mktemp(provider)
    ledger = init_ledger(home / "ledger")
    suite = write_suite(
        home / "suite",
        server,
        provider=provider,
        graders="openai-chat",
        cases={CASE},
        settings=settings,
        limits={"deadline_s": 240},
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANTHROPIC_API_KEY", KEY)
        called = call_verdict("--ledger", ledger, "run", suite, "-c", "m", "--json")
    with open_record(ledger, called) as record:
        yield record


@pytest.fixture
def outcome(record: Record) -> Outcome:
    return record.outcomes[CASE]


@pytest.fixture
def process(record: Record, outcome: Outcome) -> Any:
    """What is on record of the program's process."""
    return record.parse(dict(outcome.parts)["process"])


def read_stream(record: Record, outcome: Outcome) -> list[dict[str, Any]]:
    """Return the events that the program wrote."""
    return [json.loads(line) for line in record.read(outcome.response).splitlines()]


def find_usage(stream: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the last event that sums up what was used."""
    (last,) = [event for event in stream if event["type"] in {"result", "turn.completed"}]
    return last


def test_the_session_has_an_outcome_and_the_prompt_is_what_it_was_given(
    record: Record, outcome: Outcome
):
    assert record.called.code in (0, 1), record.called.err
    (trial,) = record.trials.values()
    assert record.read(outcome.sent) == record.read(trial.prompt)


def test_the_stream_is_on_record_to_its_last_line(record: Record, outcome: Outcome):
    data = record.read(outcome.response)
    assert data.endswith(b"}\n")
    assert find_usage(read_stream(record, outcome)) == read_stream(record, outcome)[-1]


def test_usage_is_the_stream_s_to_the_integer(record: Record, outcome: Outcome, provider):
    stated = flatten(find_usage(read_stream(record, outcome))["usage"])
    cached = {"claude-code": "cache_read_input_tokens", "codex": "cached_input_tokens"}[provider]
    tokens = dict(outcome.tokens)
    assert dict(outcome.usage) == stated
    assert tokens["output"] == stated["output_tokens"] > 0
    assert tokens["cache_read"] == stated[cached]
    # Codex counts what came from the cache as input, Claude Code does not.
    is_included = provider == "codex"
    assert tokens["input"] == stated["input_tokens"] - stated[cached] * is_included


def test_the_program_s_claim_of_a_cost_stands_beside_the_suite_s_price(
    record: Record, outcome: Outcome, provider
):
    assert outcome.cost_usd == "0"
    if provider == "claude-code":
        claimed = find_usage(read_stream(record, outcome))["total_cost_usd"]
        assert outcome.stated_cost_usd is not None
        assert float(outcome.stated_cost_usd) == claimed > 0
        assert Decimal(outcome.stated_cost_usd) > 0
    else:
        assert outcome.stated_cost_usd is None


def test_the_process_is_on_record_with_its_exit_code_and_version(
    outcome: Outcome, process, provider
):
    assert isinstance(process["exit_code"], int)
    assert (process["exit_code"] == 0) == (outcome.KIND == "trial.completed")
    assert MODEL in process["argv"]
    assert {"claude-code": "Claude Code", "codex": "codex"}[provider] in process["version"]


def test_the_session_had_a_home_and_a_folder_of_its_own(record: Record, outcome: Outcome, process):
    assert "HOME" in process["environment"]
    assert not {"VIRTUAL_ENV", "PYTHONPATH", "PYTEST_CURRENT_TEST"} & set(process["environment"])
    # Both programs keep a file or a folder in the home that they find.
    assert not [*Path.home().glob(".claude*"), *Path.home().glob(".codex*")]
    folders = [event["cwd"] for event in read_stream(record, outcome) if "cwd" in event]
    assert not [folder for folder in folders if Path(folder).exists()]


def test_the_key_is_nowhere_on_record(record: Record, outcome: Outcome):
    refs = [outcome.sent, outcome.response, *dict(outcome.parts).values()]
    files = [path for path in record.folder.rglob("*") if path.is_file()]
    kept = [record.read(ref) for ref in refs] + [path.read_bytes() for path in files]
    assert not [data for data in kept if KEY.encode() in data]


def test_the_ledger_is_whole_and_every_verdict_comes_out_the_same_again(record: Record):
    verified = call_verdict("--ledger", record.folder, "verify")
    replayed = call_verdict("--ledger", record.folder, "replay", record.grading)
    assert verified.code == 0, verified.out + verified.err
    assert replayed.code == 0, replayed.out
