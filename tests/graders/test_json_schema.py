"""The grader ``json_schema``."""

import json
import time
from decimal import Decimal

import pytest

from graders.grader import Evidence
from graders.json_schema import make_json_schema
from graders.schemas import DRAFTS
from ledger.canonical import format_canonical
from ledger.errors import FaultyInput
from ledger.outcomes import Cause, Verdict

ORDER = {
    "type": "object",
    "required": ["total"],
    "properties": {
        "total": {"type": "number", "multipleOf": 0.01, "minimum": 0},
        "items": {"type": "array", "items": {"$ref": "#/$defs/item"}, "uniqueItems": True},
    },
    "$defs": {"item": {"type": "object", "required": ["a/b"]}},
}


def decide(answer, schema=ORDER, **fields):
    grader = make_json_schema({"schema": schema, **fields})
    return grader.decide(Evidence(case="c", variant="v", answer=answer, key=None), {})


@pytest.mark.parametrize(
    "answer",
    [
        '{"total": 0.3}',
        ' {"total": 123456789012345678901234567890.01}\n',
        '{"total": 1e2, "items": [{"a/b": 1}, {"a/b": true}]}',
    ],
)
def test_a_valid_document_passes(answer):
    assert decide(answer).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "not strict JSON"),
        ('```json\n{"total": 1}\n```', "not strict JSON"),
        ('{"total": 1, "total": 1}', "'total' stands twice"),
        ('{"total": NaN}', "NaN is not JSON"),
        ('{"total": "\\ud800"}', "lone surrogate"),
        ("[]", "At the root: [] is not of type 'object'"),
        ("{}", "At the root: 'total' is a required property"),
        ('{"total": 0.001}', "At '/total': 0.001 is not a multiple of 0.01"),
        ('{"total": 123456789012345678901234567890.001}', "At '/total'"),
        ('{"total": -1}', "At '/total': -1 is less than the minimum of 0"),
        ('{"total": 1, "items": [{}]}', "At '/items/0': 'a/b' is a required property"),
        ('{"total": 1, "items": [{"a/b": [1]}, {"a/b": [1.0]}]}', "At '/items': "),
    ],
)
def test_an_answer_that_is_no_valid_document_fails(answer, reason):
    decision = decide(answer)
    assert decision.verdict is Verdict.FAIL
    assert reason in decision.reason


def test_a_reason_names_three_errors_and_says_that_more_follow():
    reason = decide("[1, 2, 3, 4]", {"items": {"type": "string"}}).reason
    assert "At '/2': 3 is not of type 'string'. More follow." in reason
    assert "'/3'" not in reason


def test_a_pointer_escapes_what_separates_its_parts():
    schema = {"additionalProperties": {"additionalProperties": False}}
    assert "At '/a~1b~0': " in decide('{"a/b~": {"c": 1}}', schema).reason


def test_a_reason_stays_short_and_canonical():
    answer = json.dumps(["\x00\x07" + "x" * 5_000_000])
    reason = decide(answer, {"type": "object"}).reason
    assert reason.endswith("….")
    assert len(format_canonical(reason)) < 1000


@pytest.mark.parametrize(
    ("schema", "answer", "verdict"),
    [
        ({"const": 1}, "true", Verdict.FAIL),
        ({"enum": [0.1]}, "0.10", Verdict.PASS),
        ({"enum": [0.1]}, "0.1000000000000000055511151231257827", Verdict.FAIL),
        ({"enum": [Decimal("0.1")]}, "0.1", Verdict.PASS),
        ({"type": "integer"}, "2.0", Verdict.PASS),
        ({"maximum": 9007199254740992}, "9007199254740993", Verdict.FAIL),
        ({"uniqueItems": True}, "[1, true, [1], [true], {}, []]", Verdict.PASS),
        ({"uniqueItems": True}, '[{"a": 1, "b": 2}, {"b": 2.0, "a": 1}]', Verdict.FAIL),
        ({"format": "date"}, '"yesterday"', Verdict.PASS),
    ],
)
def test_numbers_and_equality_are_those_of_json(schema, answer, verdict):
    assert decide(answer, schema).verdict is verdict


@pytest.mark.parametrize("draft", DRAFTS)
def test_the_schema_names_its_draft(draft):
    schema = {"$schema": draft, "multipleOf": 0.1, "properties": {"a": {"$ref": "#"}}}
    assert decide("0.3", schema).verdict is Verdict.PASS
    assert decide('{"a": 0.35}', schema).verdict is Verdict.FAIL


def test_a_document_is_extracted_before_it_is_read():
    answer = 'Here:\n```json\n{"total": 1}\n```\nDone.'
    pattern = r"(?s)```json\n(.*?)```"
    assert decide(answer, pattern=pattern, occurrence="only").verdict is Verdict.PASS
    missed = decide("Nothing.", pattern=pattern)
    assert missed.verdict is Verdict.FAIL
    assert "holds no JSON document" in missed.reason


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        ("{}", "schema: "),
        ({"type": "nonsense"}, "schema: At '/type'"),
        ({"pattern": "("}, "schema: At '/pattern'"),
        ({"minimum": float("nan")}, "schema: "),
        ({"minimum": {1}}, "schema: it is not plain JSON"),
        ({"const": "\ud800"}, "schema: lone surrogate"),
        ({"$ref": "#/$defs/none"}, "schema: the reference '#/$defs/none' leads nowhere"),
        ({"$ref": "#/allOf/a", "allOf": [{}]}, "schema: the reference '#/allOf/a'"),
        ({"$ref": "#/minimum/a", "minimum": 1}, "schema: the reference '#/minimum/a'"),
        ({"$ref": "http://["}, "schema: the reference 'http://['"),
        ({"$schema": list(DRAFTS)[-1], "patternProperties": {"(": {}}}, "schema: '(' is not"),
        ({"$ref": "#none"}, "schema: the reference '#none' leads nowhere"),
        ({"$ref": "https://example.com/a"}, "schema: the reference 'https://example.com/a'"),
        ({"items": {"$dynamicRef": "other.json"}}, "schema: the reference 'other.json'"),
        ({"$ref": "#/x", "x": {"type": "nonsense"}}, "schema: At '/type'"),
        ({"$ref": "#/x", "x": {"$ref": "#/y"}}, "schema: the reference '#/y'"),
        ({"$ref": "#/x", "x": "text"}, "schema: At the root"),
        ({"$schema": "https://example.com/draft"}, "schema: $schema is"),
        ({"$schema": 7}, "schema: $schema is 7"),
        ({"items": {"$schema": "http://json-schema.org/draft-07/schema#"}}, "schema: $schema"),
    ],
)
def test_a_faulty_schema_is_refused_at_load(schema, fault):
    with pytest.raises(FaultyInput) as refused:
        make_json_schema({"schema": schema})
    assert refused.value.faults[0].startswith(fault)


def test_a_property_may_be_called_like_a_keyword():
    schema = {"properties": {"$ref": {"type": "string"}, "$schema": {"type": "string"}}}
    assert decide('{"$ref": "#/none", "$schema": "x"}', schema).verdict is Verdict.PASS


def test_a_published_metaschema_may_be_referred_to():
    schema = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
    assert decide('{"type": "string"}', schema).verdict is Verdict.PASS
    assert decide('{"type": "nonsense"}', schema).verdict is Verdict.FAIL


def test_an_occurrence_without_a_pattern_is_refused():
    with pytest.raises(FaultyInput, match="occurrence: "):
        make_json_schema({"schema": {}, "occurrence": "first"})


def test_a_schema_that_never_ends_leaves_the_check_unproven():
    assert decide("1", {"$ref": "#"}).cause is Cause.GRADER_FAILED


def test_a_deep_document_is_validated_along_a_recursive_schema():
    schema = {"$defs": {"a": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/a"}}]}}}
    assert decide("[" * 64 + "]" * 64, {**schema, "$ref": "#/$defs/a"}).verdict is Verdict.PASS


def test_a_hundred_thousand_objects_are_told_apart_in_a_moment():
    answer = json.dumps([{"a": number} for number in range(100_000)])
    begun = time.perf_counter()
    assert decide(answer, {"uniqueItems": True}).verdict is Verdict.PASS
    assert time.perf_counter() - begun < 10


def test_the_order_of_a_schema_s_keys_does_not_matter():
    one = make_json_schema({"schema": {"type": "number", "minimum": 0.5}})
    other = make_json_schema({"schema": {"minimum": 0.5, "type": "number"}})
    assert one == other
    assert format_canonical(one.configuration())


def test_the_schema_that_was_handed_in_is_left_alone():
    schema = {"$schema": next(iter(DRAFTS))}
    make_json_schema({"schema": schema})
    assert "$schema" in schema
