"""The suite of ``suite/`` against a real server, through each of the three API providers.

What the model answers is bad, and no test looks at it. They hold what is on record against the
bytes that crossed the wire.
"""

import json
from decimal import Decimal

import pytest

from ledger.events import (
    GraderAnswered,
    RunCompleted,
    TrialCompleted,
    TrialFailed,
    VerdictGiven,
)
from ledger.outcomes import Cause, Verdict
from tests.model.apis import APIS, Api, follow, is_json, list_texts
from tests.model.record import Record, flatten, open_record
from tests.model.suites import MODEL, OUTPUT_TOKENS_MAX, write_suite
from tests.trials.runs import call_verdict, init_ledger

pytestmark = pytest.mark.model

ENFORCING = "openai-chat"
"""The one API in which this server holds the model to a schema."""


@pytest.fixture(scope="module", params=APIS)
def provider(request):
    return request.param


@pytest.fixture(scope="module")
def api(provider):
    return APIS[provider]


@pytest.fixture(scope="module")
def record(provider, server, tmp_path_factory):
    """One run of the suite through ``provider``, which its graders ask as well."""
    home = tmp_path_factory.mktemp(provider)
    ledger = init_ledger(home / "ledger")
    suite = write_suite(home / "suite", server, provider=provider, graders=provider)
    options = ("-c", "m", "--concurrency", "2", "--grader-concurrency", "2", "--json")
    called = call_verdict("--ledger", ledger, "run", suite, *options)
    with open_record(ledger, called) as record:
        yield record


def test_each_of_the_ten_cases_has_one_outcome(record: Record):
    assert record.called.code in (0, 1), record.called.err
    (done,) = record.select(RunCompleted)
    assert done.completed + done.failed == len(record.outcomes) == 10
    assert done.completed >= 6


def test_the_request_on_record_is_the_json_that_went_out(record: Record, api: Api):
    for trial in record.trials.values():
        outcome = record.outcomes[trial.case]
        sent = record.parse(outcome.sent)
        texts = list_texts([sent[name] for name in api.messages])
        assert sent["model"] == MODEL
        assert record.read(trial.prompt).decode() in texts
        assert record.read(trial.system).decode() in texts


def test_the_response_on_record_is_the_server_s_and_names_its_model(record: Record):
    for _, outcome in record.completed:
        response = record.parse(outcome.response)
        assert response["model"] == outcome.resolved_model == MODEL
        assert response["id"]
        assert outcome.request_id is None  # No header of this server names a request.


def test_the_answer_is_the_text_that_the_response_states(record: Record, api: Api):
    for _, outcome in record.completed:
        stated = follow(record.parse(outcome.response), api.answer)
        assert record.read(outcome.answer).decode() == stated


def test_usage_is_the_response_s_to_the_integer(record: Record, api: Api):
    paid = [*record.outcomes.values(), *record.select(GraderAnswered)]
    counted = [body for body in paid if body.usage]
    assert len(counted) >= 9
    for body in counted:
        stated = flatten(record.parse(body.response)["usage"])
        assert dict(body.usage) == stated
        read, cached, written = (stated.get(name, 0) for name in api.counts)
        tokens = dict(body.tokens)
        assert tokens["input"] == read - (cached if api.includes_cache else 0)
        assert (tokens["cache_read"], tokens["output"]) == (cached, written)


def test_the_cost_is_the_tokens_by_the_suite_s_prices(record: Record):
    for outcome in record.outcomes.values():
        if not outcome.tokens:
            continue
        tokens = dict(outcome.tokens)
        cost = tokens["input"] + tokens["cache_read"] * Decimal("0.1") + tokens["output"] * 4
        assert outcome.cost_usd is not None
        assert Decimal(outcome.cost_usd) == cost / 1_000_000
        assert outcome.stated_cost_usd is None


def test_an_answer_that_was_cut_is_a_failure_where_the_server_states_it(record: Record, api: Api):
    if api.stop is None:
        pytest.skip("this server's Responses API states success of what it cut")
    failed = record.outcomes["runaway"]
    response = record.parse(failed.response)
    assert follow(response, api.stop) == failed.stop_reason
    assert isinstance(failed, TrialFailed)
    assert failed.cause == "truncated"
    assert dict(failed.tokens)["output"] == OUTPUT_TOKENS_MAX


def test_an_answer_that_was_cut_unstated_is_noted(record: Record, api: Api):
    if api.stop is not None:
        pytest.skip("this server states here what it cut")
    outcome = record.outcomes["runaway"]
    assert record.parse(outcome.response)["status"] == "completed"
    assert isinstance(outcome, TrialCompleted)
    assert dict(outcome.tokens)["output"] == OUTPUT_TOKENS_MAX
    assert [note for note in outcome.notes if str(OUTPUT_TOKENS_MAX) in note]


def test_a_prompt_beyond_the_context_is_refused_in_the_server_s_words(record: Record):
    failed = record.outcomes["too-long"]
    message = record.parse(failed.response)["error"]["message"]
    assert "exceeds the available context size" in message
    assert isinstance(failed, TrialFailed)
    assert failed.cause == "bad_request"
    assert message in failed.detail
    assert failed.attempt == 1


def test_every_question_of_a_grader_carries_its_schema_and_has_an_outcome(
    record: Record, api: Api, provider
):
    for role in ("extractor", "judge"):
        questions = record.list_questions(role)
        assert len(questions) >= len(record.completed) - 3
        for question in questions:
            request = record.parse(question.asked.request)
            sent = record.parse(question.outcome.sent)
            assert question.asked.provider == provider
            assert follow(sent, api.schema)["required"]
            assert request["prompt"] in list_texts([sent[name] for name in api.messages[-1:]])


def test_a_schema_that_is_enforced_makes_json_of_every_whole_reply(record: Record, provider):
    if provider != ENFORCING:
        pytest.skip("this server ignores the schema here")
    outcomes = [question.outcome for question in record.list_questions("extractor")]
    answered = [body for body in outcomes if isinstance(body, GraderAnswered)]
    assert answered
    for body in answered:
        assert json.loads(record.read(body.answer)).keys() == {"total"}


def test_a_schema_that_is_ignored_leaves_replies_that_are_asked_for_twice(record: Record, provider):
    if provider == ENFORCING:
        pytest.skip("this server enforces the schema here")
    questions = record.list_questions("extractor")
    twice = {question.asked.trial for question in questions if question.asked.attempt == 2}
    verdicts = {trial: record.find_verdict("total", trial) for trial in twice}
    assert Cause.GRADER_UNREADABLE in {verdict.cause for verdict in verdicts.values()}
    for trial, verdict in verdicts.items():
        first, second = (item.outcome for item in questions if item.asked.trial == trial)
        assert isinstance(first, GraderAnswered)
        assert not is_json(record.read(first.answer))
        assert verdict.verdict == Verdict.UNPROVEN
        # Some cases have no total in their key, and a second reply may have been cut.
        if verdict.cause == Cause.GRADER_UNREADABLE:
            assert isinstance(second, GraderAnswered)
            assert not is_json(record.read(second.answer))


def test_no_reply_that_is_no_json_decided_anything(record: Record):
    replies = {
        entry.address: record.read(entry.event.body.answer)
        for entry in record.entries
        if isinstance(entry.event.body, GraderAnswered)
    }
    decided = [v for v in record.select(VerdictGiven) if v.verdict in {Verdict.PASS, Verdict.FAIL}]
    assert decided
    for verdict in decided:
        assert all(is_json(replies[address]) for address in verdict.answers[-1:])


def test_a_judge_whose_replies_can_be_read_decides(record: Record):
    judged = {body.verdict for body in record.select(VerdictGiven) if body.check == "bare"}
    assert judged & {Verdict.PASS, Verdict.FAIL}


def test_the_ledger_is_whole(record: Record):
    called = call_verdict("--ledger", record.folder, "verify")
    assert called.code == 0, called.out + called.err


def test_every_verdict_comes_out_the_same_again(record: Record):
    called = call_verdict("--ledger", record.folder, "replay", record.grading)
    assert called.code == 0, called.out
    assert called.out == "40 of 40 verdicts came out the same\n"
