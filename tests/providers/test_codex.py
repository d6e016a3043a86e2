import asyncio
import json
import tomllib

import pytest

from ledger.errors import FaultyInput
from ledger.tools import ToolKind
from providers import find_provider
from providers.codex import format_toml, make_codex
from providers.provider import Limits, SessionFailure, SessionResult
from tests.providers.clis import (
    find_cli,
    make_request,
    make_setup,
    make_stand_in,
    read_process,
    refuse_everybody,
)
from tests.providers.processes import make_input
from tests.providers.recordings import CODEX_KILLED, CODEX_LONG, CODEX_SUCCESS

KEY = {"CODEX_API_KEY": "correct horse battery"}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A current folder and a home in which nobody else writes."""
    for name in ("here", "home"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def codex(tmp_path):
    """A program that answers as Codex did."""
    return make_stand_in(tmp_path / "codex", CODEX_LONG)


def ask(setup, **fields):
    return asyncio.run(make_codex(setup).respond(make_request(**fields)))


def fail(setup, **fields) -> SessionFailure:
    result = ask(setup, **fields)
    assert isinstance(result, SessionFailure)
    return result


def test_a_session_that_succeeded_is_an_answer(codex):
    result = ask(make_setup(codex.setting))
    assert isinstance(result, SessionResult)
    assert result.answer.startswith("Added `/blog`, `/products`, and `/support` links")
    assert (result.response, result.media) == (CODEX_LONG, "application/jsonl")
    assert result.request_id == "01a0caaf-71fb-71f2-82ea-d658465b0a83"
    assert result.resolved_model is None
    assert len(result.tool_calls or ()) == 4


def test_the_prompt_is_read_from_standard_input(codex):
    result = ask(make_setup(codex.setting), inputs=(make_input("in.csv"),))
    assert codex.told["stdin"] == "What is 17 + 25?"
    assert codex.told["argv"][-1] == "-"
    assert codex.told["folder"] == ["in.csv"]
    assert result.sent == b"What is 17 + 25?"


def test_the_arguments_shut_the_user_s_settings_out(codex):
    ask(make_setup(codex.setting))
    assert codex.told["argv"] == [
        *("exec", "--json", "--skip-git-repo-check", "--ephemeral", "--color", "never"),
        *("--ignore-user-config", "--ignore-rules"),
        *("-c", "shell_environment_policy.ignore_default_excludes=false"),
        *("-m", "m-1", "-C", codex.told["cwd"], "-s", "read-only"),
        *("-c", 'web_search="disabled"', "-"),
    ]


@pytest.mark.parametrize(
    ("tools", "sandbox"),
    [
        ((), "read-only"),
        ((ToolKind.READ, ToolKind.SEARCH), "read-only"),
        ((ToolKind.SHELL,), "workspace-write"),
        ((ToolKind.WRITE,), "workspace-write"),
        ((ToolKind.EDIT,), "workspace-write"),
    ],
)
def test_the_kinds_of_tool_choose_the_sandbox(codex, tools, sandbox):
    ask(make_setup(codex.setting), tools=tools)
    argv = codex.told["argv"]
    assert argv[argv.index("-s") + 1] == sandbox


def test_the_kind_web_lets_it_search(codex):
    ask(make_setup(codex.setting), tools=(ToolKind.WEB,))
    assert 'web_search="live"' in codex.told["argv"]


def test_effort_schema_and_system_are_handed_on(codex):
    schema = '{"type":"object"}'
    ask(make_setup(codex.setting), effort="low", schema=schema, system='Say "ä".\n\x7f')
    settings = [arg for arg in codex.told["argv"] if "=" in arg]
    told = tomllib.loads("\n".join(settings))
    assert told["model_reasoning_effort"] == "low"
    assert told["developer_instructions"] == 'Say "ä".\n\x7f'
    assert codex.told["--output-schema"] == schema
    assert codex.told["folder"] == []


def test_a_service_of_one_s_own_is_asked_once_and_gets_the_key(codex):
    ask(make_setup(codex.setting, KEY, base_url="http://127.0.0.1:1/v1/"))
    told = tomllib.loads("\n".join(arg for arg in codex.told["argv"] if "=" in arg))
    assert told["model_provider"] == "configured"
    assert told["model_providers"]["configured"] == {
        "name": "configured",
        "base_url": "http://127.0.0.1:1/v1",
        "wire_api": "responses",
        "env_key": "CODEX_API_KEY",
        "request_max_retries": 0,
        "stream_max_retries": 0,
    }


@pytest.mark.parametrize(
    ("variables", "settings"),
    [
        (KEY, {}),
        ({"OPENAI_API_KEY": "correct horse battery"}, {}),
        ({"MY_KEY": "correct horse battery"}, {"api_key_env": "MY_KEY"}),
    ],
)
def test_a_key_is_handed_on_under_the_name_that_codex_reads(codex, variables, settings):
    result = ask(make_setup(codex.setting, variables, **settings))
    environment = codex.told["environment"]
    assert environment["CODEX_API_KEY"] == "correct horse battery"
    assert not {"OPENAI_API_KEY", "MY_KEY"} & environment.keys()
    assert "correct horse battery" not in json.dumps(read_process(result))


def test_a_deadline_ends_a_session_that_waits_for_a_network(tmp_path):
    program = make_stand_in(tmp_path / "codex", CODEX_KILLED, "time.sleep(60)")
    failure = fail(make_setup(program.setting), limits=Limits(deadline_s=0.7))
    assert (failure.cause, failure.is_transient) == ("timed_out", False)
    assert "waiting for network" in failure.detail
    assert failure.response == CODEX_KILLED


def test_an_exit_code_overrules_a_stream_that_says_all_is_well(tmp_path):
    program = make_stand_in(tmp_path / "codex", CODEX_SUCCESS, "os.kill(os.getpid(), 9)")
    failure = fail(make_setup(program.setting))
    assert (failure.cause, failure.detail) == ("program_failed", "ended by SIGKILL")
    assert failure.tokens is not None


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"program": "no-such-codex"}, "c: settings.program: there is no program"),
        ({"bare": True}, "c: settings.bare: unknown setting"),
        ({"tools": (ToolKind.OTHER,)}, "c: tools: there is no tool of the kind 'other'"),
        ({"api_key_env": "NO_SUCH_KEY"}, "c: settings.api_key_env: the environment has no"),
    ],
)
def test_a_configuration_that_cannot_work_is_refused(codex, changes, fault):
    with pytest.raises(FaultyInput) as caught:
        make_codex(make_setup(**{"program": codex.setting, **changes}))
    [line] = str(caught.value).splitlines()
    assert line.startswith(fault)


@pytest.mark.parametrize("text", ["", 'a"b\\c', "\x00\x1f\x7f", "ä\U0001f600\u2028", "'''"])
def test_a_text_is_the_same_when_it_is_read_as_toml(text):
    assert tomllib.loads(f"x = {format_toml(text)}") == {"x": text}


def test_the_registry_has_it():
    assert find_provider("codex") is make_codex


def test_the_program_itself_takes_every_argument():
    schema = '{"type":"object","properties":{},"required":[],"additionalProperties":false}'
    fields = {"tools": (ToolKind.SHELL, ToolKind.WEB), "effort": "low", "system": 'Say "ä".'}
    program = find_cli("codex")
    with refuse_everybody() as (address, asked):
        setup = make_setup(program, KEY, base_url=f"{address}/v1")
        result = fail(setup, **fields, schema=schema, limits=Limits(deadline_s=120))
    assert (result.cause, result.stops_run) == ("unauthorized", True)
    assert read_process(result)["exit_code"] == 1
    [body] = asked
    assert body["reasoning"]["effort"] == "low"
    assert body["text"]["format"]["schema"] == json.loads(schema)
    assert 'Say \\"ä\\".' in json.dumps(body["input"], ensure_ascii=False)


def test_the_program_itself_without_a_login_ends_at_the_deadline():
    variables = {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
    setup = make_setup(find_cli("codex"), variables)
    result = fail(setup, limits=Limits(deadline_s=3))
    assert (result.cause, result.is_transient) == ("timed_out", False)
    assert (result.response or b"").startswith(b'{"type":"thread.started"')
