import asyncio
import json
import os
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from ledger.artifact import encode_text
from ledger.canonical import JsonObject
from ledger.digest import compute_digest
from ledger.errors import FaultyInput
from ledger.tools import ToolCall, ToolKind, ToolOutcome
from providers import Provider, find_provider, scrub_session
from providers.command import make_command
from providers.provider import (
    Limits,
    Session,
    SessionFailure,
    SessionRequest,
    SessionResult,
    TrialPlace,
)
from providers.setup import Setup
from providers.vault import Vault
from tests.providers.processes import make_input

ENVIRONMENT = {"PATH": os.environ["PATH"], "SECRET_TOKEN": "correct horse battery"}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A current folder in which nobody else writes."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make_setup(code: str = "", **settings) -> Setup:
    own: JsonObject = {"argv": [sys.executable, "-ISc", code], **settings}
    return Setup(name="c", model="m", settings=own, vault=Vault(ENVIRONMENT))


def make_request(**fields) -> SessionRequest:
    place = TrialPlace("the-case", "the-variant", 7)
    defaults = {"place": place, "prompt": "What?", "model": "m", "effort": None}
    return SessionRequest(**{**defaults, **fields})


def ask(code: str, request: SessionRequest | None = None, **settings):
    provider: Provider = make_command(make_setup(code, **settings))
    return asyncio.run(provider.respond(request or make_request()))


def ask_json(reply: object):
    return ask(f"print({json.dumps(reply)!r})", output="json")


def fail(code: str, **options) -> SessionFailure:
    result = ask(code, **options)
    assert isinstance(result, SessionFailure)
    return result


def read_part(result: Session, name: str) -> bytes:
    return next(part.data for part in result.parts if part.name == name)


def test_the_answer_is_what_the_program_wrote():
    result = ask("print('A: 18')")
    assert isinstance(result, SessionResult)
    assert (result.answer, result.response, result.stated_us) == ("A: 18", b"A: 18\n", None)
    assert (result.tool_calls, result.usage, result.tokens) == (None, (), None)


@pytest.mark.parametrize(
    ("written", "answer"), [("a\\n\\n", "a\n"), ("a", "a"), (" a ", " a "), ("a\\r\\n", "a\r")]
)
def test_one_line_feed_at_the_end_is_not_of_the_answer(written, answer):
    assert ask(f"import os; os.write(1, b'{written}')").answer == answer


def test_an_answer_that_is_not_utf_8_is_kept_exactly():
    garbage = bytes(range(256)) * 3
    result = ask(f"import os; os.write(1, {garbage!r})")
    assert result.response == garbage
    assert result.answer.encode("utf-8", "surrogateescape") == garbage
    assert encode_text(result.answer)[1].endswith("wtf-8")


def test_the_program_reads_the_whole_request_and_not_its_place():
    request = make_request(
        system="Be brief.",
        effort="low",
        inputs=(make_input("data/a.csv"),),
        tools=(ToolKind.SHELL,),
        schema='{"type":"object"}',
        limits=Limits(deadline_s=20, output_tokens_max=5),
        prompt="Ünïcode \ud800",
    )
    result = ask("import sys; print(sys.stdin.read(), end='')", request)
    assert result.sent == result.response
    assert json.loads(result.answer) == {
        "prompt": "Ünïcode \ud800",
        "system": "Be brief.",
        "model": "m",
        "effort": "low",
        "tools": ["shell"],
        "schema": '{"type":"object"}',
        "inputs": [{"path": "data/a.csv", "address": request.inputs[0].address, "size": 4}],
        "limits": {"deadline_s": 20, "output_tokens_max": 5},
    }


def test_the_program_runs_among_copies_of_the_inputs():
    request = make_request(inputs=(make_input("data/a.csv", b"1,2"),))
    assert ask("print(open('data/a.csv').read())", request).answer == "1,2"


def test_how_the_program_ran_is_a_part():
    result = ask("import sys; sys.stderr.write('careful')")
    process = json.loads(read_part(result, "process"))
    assert process["argv"][1:] == ["-ISc", "import sys; sys.stderr.write('careful')"]
    assert {"HOME", "PATH"} <= set(process["environment"])
    assert (process["exit_code"], process["was_killed"]) == (0, None)
    assert process["duration_us"] > 0
    assert read_part(result, "stderr") == b"careful"


def test_the_files_that_are_run_are_named_by_address(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "answer.py"
    script.write_text("print('one')")
    command = make_command(make_setup(argv=[sys.executable, "-ISc", "./answer.py"]))
    files = dict(command.files)
    assert files[str(script)] == compute_digest(b"print('one')")
    assert command.argv[0] in files
    script.write_text("print('two')")
    changed = make_command(make_setup(argv=[sys.executable, "-ISc", "./answer.py"]))
    assert dict(changed.files)[str(script)] != files[str(script)]


def test_the_program_gets_the_named_variables_and_no_others():
    code = "import os; print(os.environ.get('SECRET_TOKEN'))"
    assert ask(code).answer == "None"
    assert ask(code, environment=["SECRET_TOKEN"]).answer == "correct horse battery"


def test_a_named_secret_that_the_program_prints_can_be_taken_out():
    result = ask("import os; print(os.environ['SECRET_TOKEN'])", environment=["SECRET_TOKEN"])
    clean = scrub_session(result, Vault(ENVIRONMENT))
    assert (clean.answer, clean.response) == ("[secret SECRET_TOKEN]", b"[secret SECRET_TOKEN]\n")


def test_all_that_an_object_tells_is_taken_over():
    call = {"kind": "shell", "name": "Bash", "input": "ls", "outcome": "succeeded"}
    result = ask_json(
        {
            "answer": "18 \ud800",
            "usage": {"calls": 2, "details": {"cached": 1, "deep": {"er": 3}}},
            "tokens": {"input": 3, "output": 4},
            "cost_usd": "0.010",
            "resolved_model": "m-1",
            "request_id": "r",
            "stop_reason": "end",
            "tool_calls": [call],
            "metadata": {"anything": [1.5]},
        }
    )
    assert result.answer == "18 \ud800"
    assert result.usage == (("calls", 2), ("details.cached", 1), ("details.deep.er", 3))
    assert (result.tokens, result.stated_cost_usd) == ((3, 0, 0, 4), Decimal("0.010"))
    assert (result.resolved_model, result.request_id, result.stop_reason) == ("m-1", "r", "end")
    succeeded = ToolOutcome.SUCCEEDED
    assert result.tool_calls == (
        ToolCall(kind=ToolKind.SHELL, name="Bash", input="ls", outcome=succeeded),
    )


def test_an_object_with_an_answer_alone_is_enough():
    result = ask_json({"answer": "18\n"})
    assert (result.answer, result.tool_calls, result.tokens) == ("18\n", None, None)


@pytest.mark.parametrize(
    ("reply", "detail"),
    [
        ({}, 'not one JSON object with the text "answer"'),
        ([], 'not one JSON object with the text "answer"'),
        ({"answer": None}, 'not one JSON object with the text "answer"'),
        ({"answer": "a", "cost_usd": "-1"}, "cost_usd: String should match pattern"),
        ({"answer": "a", "cost_usd": "0.01\n"}, "cost_usd: String should match pattern"),
        ({"answer": "a", "cost_usd": 0.01}, "cost_usd: Input should be a valid string"),
        ({"answer": "a", "usage": {"a": 1.5}}, "usage.a: Input should be a valid integer"),
        ({"answer": "a", "usage": {"a": 2**53}}, "usage.a: Input should be less than"),
        ({"answer": "a", "tokens": {"in": 1}}, "tokens.in: Extra inputs are not permitted"),
        ({"answer": "a", "tool_calls": [{}]}, "tool_calls.0.kind: Field required"),
        ({"answer": "a", "resolved_model": "x" * 201}, "resolved_model: String should have at"),
        ({"answer": "a", "stop_reason": "\ud800"}, "stop_reason: Input should be a valid string"),
    ],
)
def test_an_object_of_another_form_is_malformed(reply, detail):
    result = ask_json(reply)
    assert isinstance(result, SessionFailure)
    assert (result.cause, result.is_transient) == ("malformed_response", False)
    assert result.detail.startswith(f"standard output: {detail}")
    assert result.response == json.dumps(reply).encode() + b"\n"


@pytest.mark.parametrize(
    ("written", "detail"),
    [
        (b"A: 18", "not JSON: Expecting value at character 0"),
        (b'{"answer": "\xff"}', "not UTF-8 at byte 12"),
        (b"[" * 100_000, "not JSON that can be read: nested too deeply, or a huge number"),
        (b"1" * 10_000, "not JSON that can be read: nested too deeply, or a huge number"),
        (b"", "not JSON: Expecting value at character 0"),
    ],
)
def test_output_that_is_no_json_is_malformed(here, written, detail):
    (here / "output").write_bytes(written)
    code = f"import sys; sys.stdout.buffer.write(open({str(here / 'output')!r}, 'rb').read())"
    failure = fail(code, output="json")
    assert (failure.cause, failure.detail) == ("malformed_response", f"standard output: {detail}")


def test_no_answer_is_a_failure():
    assert fail("").cause == "empty_answer"
    assert fail("print()").cause == "empty_answer"


def test_an_empty_answer_keeps_what_was_paid_for_it():
    failure = ask_json({"answer": "", "tokens": {"output": 9}})
    assert (failure.cause, failure.tokens) == ("empty_answer", (0, 0, 0, 9))


@pytest.mark.parametrize(("code", "is_transient"), [(1, False), (75, True), (255, False)])
def test_an_exit_code_is_a_failure_with_the_last_line_of_stderr(code, is_transient):
    failure = fail(
        f"import sys; print('half'); sys.stderr.write('a\\nno\\tluck\\n\\n'); sys.exit({code})"
    )
    assert (failure.cause, failure.is_transient) == ("program_failed", is_transient)
    assert failure.detail == f"exit code {code}: no luck"
    assert failure.response == b"half\n"
    assert not failure.stops_run


def test_a_program_that_was_killed_is_a_failure_that_names_the_signal():
    failure = fail("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert (failure.cause, failure.detail) == ("program_failed", "ended by SIGSEGV")


def test_a_program_that_outlives_its_deadline_has_timed_out():
    request = make_request(limits=Limits(deadline_s=0.5))
    failure = fail("import time; time.sleep(60)", request=request)
    assert (failure.cause, failure.is_transient) == ("timed_out", False)
    assert failure.detail == "no end after 0.5 s"
    assert json.loads(read_part(failure, "process"))["was_killed"] == "deadline"


def test_a_program_that_writes_too_much_is_a_failure():
    code = "import os\nwhile True: os.write(1, b'x' * 2**20)"
    failure = fail(code)
    assert failure.cause == "too_large"
    assert failure.response is not None
    assert len(failure.response) == 64 * 2**20


def test_a_program_that_is_gone_stops_the_run(here):
    program = here / "program"
    program.write_text("#!/bin/sh\necho 1\n")
    program.chmod(0o755)
    setup = Setup(name="c", model="m", settings={"argv": ["./program"]}, vault=Vault(ENVIRONMENT))
    provider = make_command(setup)
    program.unlink()
    failure = asyncio.run(provider.respond(make_request()))
    assert isinstance(failure, SessionFailure)
    assert (failure.cause, failure.stops_run) == ("program_missing", True)
    assert failure.response is None


def test_files_that_match_are_parts_and_what_happened_is_noted():
    code = "open('a.csv', 'w').write('1'); open('../b', 'w').close(); print('done')"
    result = ask(code, collect=["*.csv"])
    assert read_part(result, "file.a.csv") == b"1"
    assert result.notes == (
        "left in the working directory: a.csv (1 byte)",
        "written outside the working directory: ../b",
    )


def test_a_program_and_its_arguments_are_found_from_the_current_folder(here):
    (here / "answer.py").write_text("import sys; print(sys.argv[1:])")
    setup = make_setup()
    setup.settings["argv"] = [sys.executable, "./answer.py", "./none.txt", "answer.py"]
    result = asyncio.run(make_command(setup).respond(make_request()))
    assert isinstance(result, SessionResult)
    assert result.answer == "['./none.txt', 'answer.py']"


def test_the_table_of_providers_has_it():
    assert find_provider("command") is make_command


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"argv": []}, "c: settings.argv: is missing; list the program and its arguments"),
        ({"argv": "run me"}, "c: settings.argv: is not a list; write the texts in [ and ]"),
        ({"argv": ["sh", 1]}, "c: settings.argv.1: is not a text; write one in quotes"),
        (
            {"argv": ["no-such-program"]},
            (
                "c: settings.argv.0: there is no program 'no-such-program' on the PATH; install it "
                "or correct the path"
            ),
        ),
        (
            {"argv": ["./none"]},
            (
                "c: settings.argv.0: there is no program './none' there; install it or correct the "
                "path"
            ),
        ),
        (
            {"argv": ["sh", "--key=correct horse battery"]},
            (
                "c: settings.argv.1: holds a credential, which would be recorded; name a variable "
                "of the environment that holds it instead"
            ),
        ),
        (
            {"environment": ["KEY=1"]},
            "c: settings.environment.0: is no name of a variable; its value does not belong here",
        ),
        (
            {"environment": ["NOT_SET"]},
            "c: settings.environment.0: the environment has no NOT_SET; set it",
        ),
        ({"output": "xml"}, "c: settings.output: 'xml' is unknown; there are text, json"),
        ({"collect": "*"}, "c: settings.collect: is not a list; write the texts in [ and ]"),
        (
            {"shell": True},
            "c: settings.shell: unknown setting; there are argv, collect, environment, output",
        ),
    ],
)
def test_a_faulty_setting_is_one_clear_line(settings, fault):
    with pytest.raises(FaultyInput) as caught:
        make_command(make_setup(**settings))
    assert caught.value.faults == (fault,)


def test_no_settings_at_all_are_a_fault():
    with pytest.raises(FaultyInput, match=r"settings\.argv: is missing"):
        make_command(Setup(name="c", model="m"))


def test_nothing_of_a_trial_is_left_on_the_disk():
    code = "import os; print(os.getcwd())"
    assert not Path(ask(code).answer).exists()
