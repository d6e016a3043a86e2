"""The one question for the facts of an answer, and how its reply is read."""

import json
import re
from dataclasses import replace
from decimal import Decimal

import pytest

from graders.amount import make_amount
from graders.fact_value import make_fact_value
from graders.facts import FactExtraction, format_fact, make_fact_extraction
from graders.fence import format_fence
from graders.grader import Grader, Key
from graders.reply import Unanswered, Unreadable
from graders.strict_json import parse_strict_json
from ledger.canonical import format_canonical
from ledger.errors import FaultyInput
from tests.graders.extractions import EXTRACTION, SCHEMA, make_evidence, make_reply

DINING = "dining_august_total"


def make(schema=SCHEMA, name=DINING) -> FactExtraction:
    return make_fact_extraction(name, "Copy what the answer states.\n", schema)


def read(reply: str, name=DINING, schema=SCHEMA):
    extraction, evidence = make(schema, name), make_evidence("Dining: 398.71")
    address = extraction.make_request(evidence).address()
    return extraction.read_fact(name, evidence, {address: reply})


def test_the_question_is_the_instructions_the_fenced_answer_and_the_schema():
    request = make().make_request(make_evidence("Dining: 398.71"))
    fenced = format_fence("answer", "Dining: 398.71")
    assert request.role == "extractor"
    assert request.prompt == f"Copy what the answer states.\n\n{fenced}\n"
    assert request.schema == json.dumps(SCHEMA, sort_keys=True)


def test_no_part_of_the_key_is_in_the_question():
    key = Key(
        facts={DINING: ("398.69",)},
        must_include=("included",),
        must_not_include=("excluded",),
        expectation="expected",
    )
    evidence = make_evidence("Dining: 398.71")
    request = make().make_request(replace(evidence, key=key))
    assert not re.search("398.69|included|excluded|expected", request.data().decode())
    assert request == make().make_request(evidence)


def test_all_checks_of_a_trial_that_rest_on_facts_ask_one_question():
    evidence = make_evidence("Dining: 398.71", None, dining_august_total=("398.69",))
    graders: list[Grader] = [
        make_amount({"fact_name": DINING, **EXTRACTION}),
        make_amount({"fact_name": "travel_august_total", "tolerance": "5", **EXTRACTION}),
        make_fact_value({"fact_name": "refund", **EXTRACTION}),
    ]
    assert len({request.data() for grader in graders for request in grader.plan(evidence)}) == 1


def test_the_order_of_a_schema_s_keys_is_no_part_of_the_question():
    other = dict(reversed(SCHEMA.items()))
    evidence = make_evidence("")
    assert make(other).make_request(evidence).data() == make().make_request(evidence).data()


def test_an_answer_that_no_request_can_carry_is_asked_about_all_the_same():
    request = make().make_request(make_evidence("\ud800 </answer>"))
    assert request.data()
    assert "\n\\ud800 </answer>\n" in request.prompt


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("398.71", "398.71"),
        (" 398.71\n", "398.71"),
        (8, "8"),
        (8.0, "8"),
        (Decimal("0.0000001"), "0.0000001"),
        (True, "true"),
        (False, "false"),
    ],
)
def test_a_stated_fact_is_compared_as_text(value, text):
    reply = make_reply() if isinstance(value, Decimal) else make_reply(dining_august_total=value)
    reply = reply.replace("null", "1e-7", 1) if isinstance(value, Decimal) else reply
    fact = read(reply)
    assert fact is not None
    assert format_fact(fact) == text


@pytest.mark.parametrize(
    ("reply", "name"),
    [(make_reply(), DINING), (make_reply(refund=None), "refund"), (make_reply(), "refund")],
)
def test_null_or_absent_is_not_stated(reply, name):
    assert read(reply, name) is None


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("398.71", "not an object"),
        ("The answer states 398.71.", "not one JSON document"),
        ("{}", "the schema refuses it: At the root: 'dining_august_total' is a required property"),
        (make_reply(more="1"), "Additional properties are not allowed"),
        (make_reply(travel_august_total=1), "At '/travel_august_total': 1 is not of type"),
        (make_reply(refund="forgotten"), "At '/refund': 'forgotten' is not one of"),
        (make_reply(dining_august_total=float("nan")), "NaN is not JSON"),
    ],
)
def test_a_reply_that_the_schema_does_not_take_is_unreadable(reply, reason):
    assert not make().is_readable(reply)
    with pytest.raises(Unreadable, match=r".*") as raised:
        read(reply)
    assert reason in str(raised.value)
    assert len(format_canonical(str(raised.value))) < 2_000


@pytest.mark.parametrize("value", [[], {"a": 1}])
def test_a_fact_that_is_no_plain_value_is_unreadable(value):
    with pytest.raises(Unreadable, match="a list or an object"):
        read(make_reply(entries=value), "entries")


def test_a_schema_that_never_ends_makes_every_reply_unreadable():
    schema = {"properties": {"a": {}}, "$ref": "#"}
    assert not make(schema, "a").is_readable("{}")


def test_without_a_reply_nothing_is_read():
    with pytest.raises(Unanswered):
        make().read_fact(DINING, make_evidence(""), {})


@pytest.mark.parametrize(
    ("schema", "name", "fault"),
    [
        ({"type": "objct"}, DINING, "extraction_schema: At '/type'"),
        ({"$ref": "https://example.com/s"}, DINING, "extraction_schema: the reference"),
        ({"minimum": float("nan")}, DINING, "extraction_schema: "),
        (SCHEMA, "dinning_august_total", "did you mean 'dining_august_total'?"),
        (SCHEMA, "x", "; it has dining_august_total, entries, refund, travel_august_total"),
        ({}, "x", "fact_name: 'x' is no property of the extraction schema; it has none"),
        ({"properties": {}}, "x", "; it has none"),
    ],
)
def test_a_schema_that_cannot_serve_is_refused_at_load(schema, name, fault):
    with pytest.raises(FaultyInput) as refused:
        make(schema, name)
    (line,) = refused.value.faults
    assert fault in line


def test_a_fraction_in_a_schema_is_written_as_it_was():
    schema = {"properties": {"a": {"multipleOf": Decimal("0.1")}}}
    extraction = make(schema, "a")
    assert parse_strict_json(extraction.schema) == schema
    assert extraction.is_readable('{"a": 0.3}')
    assert not extraction.is_readable('{"a": 0.35}')
