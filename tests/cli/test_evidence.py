"""From a verdict down to the bytes: show, trace, replay, checkpoint, prove, verify, rebuild."""

import base64
import json
import sqlite3
from contextlib import closing
from decimal import Decimal

import click
import pytest
from blake3 import blake3

from cli.trace import format_step
from ledger.checkpoint import open_note, parse_proof, parse_verifier
from ledger.merkle import check_consistency, check_inclusion, hash_leaf
from tests.cli.program import call, spawn, write_lines
from trials.trace import Step


@pytest.fixture
def failed(graded):
    """The first failed verdict, as the scorecard lists it."""
    assert graded["gate"] == "failed"
    return call("scorecard", "--failed", "--json").json()["failed"][0]


def change(home, statement, *values):
    """Change what the program never changes: the triggers are taken off first."""
    with closing(sqlite3.connect(home / ".verdict" / "ledger.db")) as connection, connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in names.fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement, values)


def find_answer(failed):
    steps = call("trace", failed["verdict_event"], "--json").json()
    return next(step for step in steps if step["label"] == "answer")


def test_an_event_is_shown_as_json_with_address_and_position(failed):
    shown = call("show", failed["verdict_event"][7:27]).json()
    assert shown["address"] == failed["verdict_event"]
    assert shown["kind"] == "verdict.given"
    assert shown["body"]["verdict"] == "fail"
    assert shown["position"] > 0


def test_the_raw_bytes_of_an_event_hash_to_its_address(home, failed):
    raw = spawn("show", "--raw", failed["verdict_event"], cwd=home).out.encode()
    assert "blake3:" + blake3(raw).hexdigest() == failed["verdict_event"]


def test_the_bytes_of_an_artifact_come_out_exactly_in_a_pipe(home):
    answer = "line\r\nend without a line feed\tA: 22 \u2028 é"
    records = [{"case": "cups", "answer": answer}]
    write_lines(home / "suite" / "answers" / "bad.jsonl", records)
    call("run", "suite", "-c", "bad")
    failed = call("scorecard", "--failed", "--json").json()["failed"]
    (cups,) = [item for item in failed if item["case"] == "cups"]
    address = find_answer(cups)["address"]
    assert call("show", address).out.encode() == answer.encode()
    assert call("show", "--raw", address).out.encode() == answer.encode()


@pytest.mark.usefixtures("home")
def test_a_prefix_that_two_things_share_is_refused_with_what_it_begins(home):
    for address in ("abcd" + "0" * 60, "abcd" + "1" * 60):
        change(
            home,
            "INSERT INTO artifact (address, sha256, size, codec, stored, place, data) "
            "VALUES (?, ?, 0, 'plain', x'', 'row', x'')",
            bytes.fromhex(address),
            bytes(32),
        )
    done = call("show", "abcd")
    some = "artifact abcd000000000000, artifact abcd111111111111"
    assert done == (2, "", f"error: abcd begins {some}: give more digits\n")


def test_a_trace_leads_from_the_verdict_to_prompt_answer_and_manifest(failed):
    steps = call("trace", failed["verdict_event"], "--json").json()
    labels = [step["label"] for step in steps]
    assert labels[0] == "verdict"
    assert set(labels) >= {
        *("grading", "criteria", "key", "trial", "answer", "response", "prompt"),
        *("run", "configuration", "plan", "suite", "manifest"),
    }
    for step in steps:
        assert call("show", step["address"]).code == 0
        assert (step["position"] is None) == (step["excerpt"] is not None)


def test_a_trace_for_people_shows_answer_and_reason(failed):
    out = call("trace", failed["verdict_event"]).out
    assert "  reason: The answer states 22; accepted is 4." in out
    assert "      | A: 22\n" in out
    assert max(map(len, out.splitlines())) < 200


def test_only_a_verdict_can_be_traced(graded):
    line = f"{graded['grading']} is a grading.started, not a verdict"
    assert call("trace", graded["grading"]) == (2, "", f"error: {line}\n")


def test_a_replay_of_a_grading_or_a_verdict_comes_out_the_same(graded, failed):
    assert call("replay", graded["grading"]) == (0, "3 of 3 verdicts came out the same\n", "")
    assert call("replay", failed["verdict_event"]).out == "1 of 1 verdicts came out the same\n"
    document = call("replay", graded["grading"], "--json").json()
    assert document == {"differing": [], "notes": [], "same": 3}


def test_a_replay_that_differs_leaves_with_1_and_says_what(graded, failed, monkeypatch):
    monkeypatch.setattr("graders.amount.parse_numeral", lambda _text: Decimal(1))
    done = call("replay", graded["grading"])
    assert done.code == 1
    assert f"{failed['verdict_event']} total: fail was recorded, now " in done.out
    document = call("replay", graded["grading"], "--json").json()
    assert set(document["differing"][0]) == {"check", "note", "now", "recorded", "verdict"}


@pytest.mark.usefixtures("graded")
def test_a_checkpoint_is_the_same_note_until_the_log_grows():
    first, second = call("checkpoint").out, call("checkpoint").out
    assert first == second
    signed = call("checkpoint", "--json").json()
    assert set(signed) == {"note", "root", "size", "vkey"}
    checkpoint = open_note(first, parse_verifier(signed["vkey"]))
    assert (checkpoint.size, checkpoint.root.hex()) == (signed["size"], signed["root"])


def test_a_proof_holds_offline_and_not_for_other_bytes(failed):
    vkey = call("checkpoint", "--json").json()["vkey"]
    proof = call("prove", failed["verdict_event"]).out
    assert call("prove", failed["verdict_event"], "--json").json() == {"proof": proof}
    index, path, note = parse_proof(proof)
    checkpoint = open_note(note, parse_verifier(vkey))
    leaf = hash_leaf(call("show", "--raw", failed["verdict_event"]).out.encode())
    check_inclusion(leaf, index, checkpoint.size, path, checkpoint.root)


def test_an_event_that_no_checkpoint_holds_is_not_proved(home, graded):
    (home / "suite" / "prompt.md").write_text("Say: {{question}}\n")
    change(home, "DELETE FROM checkpoint")
    done = call("prove", graded["grading"])
    assert done.code == 2
    assert done.err.endswith("yet: sign one with 'verdict checkpoint'\n")


def test_an_artifact_is_proved_by_an_event_that_names_it(failed):
    address = find_answer(failed)["address"]
    line = f"{address} is an artifact: prove an event that names it"
    assert call("prove", address) == (2, "", f"error: {line}\n")


def test_that_the_log_only_grew_can_be_checked_from_what_is_printed(graded):
    size = call("checkpoint", "--json").json()["size"]
    shown = call("prove", "--from", 4, "--to", size, "--json").json()
    old_root, new_root = (bytes.fromhex(shown[name]) for name in ("old_root", "new_root"))
    text = call("prove", "--from", 4).out.splitlines()
    assert text == ["old 4", f"new {size}", *shown["proof"]]
    proof = [base64.b64decode(part) for part in shown["proof"]]
    check_consistency(4, size, old_root, new_root, proof)
    assert graded["as_of"] == size


@pytest.mark.usefixtures("graded")
def test_a_clean_ledger_verifies_and_says_what_was_checked():
    done = call("verify")
    assert done.code == 0
    assert done.out.endswith("the record is whole\n")
    document = call("verify", "--json").json()
    assert set(document) == {"checked", "exit", "findings"}
    assert document["exit"] == 0
    assert document["findings"] == []
    assert document["checked"]["events"] == 14


def test_damage_is_listed_and_leaves_with_1(home, graded):
    change(home, "UPDATE projection_row SET value = x'7b7d' WHERE name = 'scorecard'")
    done = call("verify")
    assert done.code == 1
    assert done.out.startswith("damage  projection scorecard: row ")
    assert done.out.endswith("1 fault\n")
    (finding,) = call("verify", "--json").json()["findings"]
    assert set(finding) == {"outcome", "what", "where"}
    assert finding["what"].startswith(f"row {graded['grading']}")


def test_a_rebuild_mends_projections(home, graded):
    change(home, "DELETE FROM projection_row")
    assert call("verify").code == 1
    assert call("rebuild") == (0, "folded 14 events\n", "")
    assert call("verify").code == 0
    assert call("scorecard", "--json").json() == graded


@pytest.mark.usefixtures("graded")
def test_json_is_utf8_and_sorted():
    text = call("scorecard", "--json").out
    document = json.loads(text)
    assert text == json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


@pytest.mark.parametrize("width", [80, 100, 120])
def test_no_line_of_a_trace_is_wider_than_the_terminal(failed, width):
    steps = [Step(**step) for step in call("trace", failed["verdict_event"], "--json").json()]
    lines = [click.unstyle(line) for step in steps for line in format_step(step, width)]
    assert max(map(len, lines)) <= width
    assert "        | A: 22" in lines


def test_a_trace_names_the_grader_where_the_case_has_no_key_too(home):
    write_lines(home / "suite" / "cases.jsonl", [{"id": "cups", "question": "How many?"}])
    call("run", "suite", "-c", "good")
    (unproven,) = call("scorecard", "--failed", "--json").json()["failed"]
    assert unproven["cause"] == "reference_missing"
    assert "\n      grader: amount v1, code blake3:" in call("trace", unproven["verdict_event"]).out


def test_what_an_answer_holds_is_no_command_to_the_terminal(home):
    records = [{"case": "cups", "answer": "\x1b[2J\x1b]0;gone\x07 A: 22"}]
    write_lines(home / "suite" / "answers" / "bad.jsonl", records)
    call("run", "suite", "-c", "bad")
    failed = call("scorecard", "--failed", "--json").json()["failed"]
    (cups,) = [item for item in failed if item["case"] == "cups"]
    shown = call("trace", cups["verdict_event"]).out
    assert "| \\x1b[2J\\x1b]0;gone\\x07 A: 22\n" in shown
    assert "\x07" not in shown
