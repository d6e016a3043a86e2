import asyncio
import json
from decimal import Decimal

import pytest

from ledger.errors import FaultyInput
from ledger.tools import ToolKind
from providers import find_provider, scrub_session
from providers.claude_code import make_claude_code
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
from tests.providers.recordings import MAX_TOKENS, NOT_LOGGED_IN, STREAM

KEY = {"ANTHROPIC_API_KEY": "correct horse battery"}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A current folder and a home in which nobody else writes."""
    for name in ("here", "home"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def claude(tmp_path):
    """A program that answers as Claude Code did."""
    return make_stand_in(tmp_path / "claude", STREAM)


def ask(setup, **fields):
    return asyncio.run(make_claude_code(setup).respond(make_request(**fields)))


def fail(setup, **fields) -> SessionFailure:
    result = ask(setup, **fields)
    assert isinstance(result, SessionFailure)
    return result


def test_a_session_that_succeeded_is_an_answer(claude):
    result = ask(make_setup(claude.setting))
    assert isinstance(result, SessionResult)
    assert result.answer == "Here are the files in the current directory."
    assert (result.response, result.media) == (STREAM, "application/jsonl")
    assert result.resolved_model == "claude-opus-4-5-20251101"
    assert result.stated_cost_usd == Decimal("0.24722425")
    assert [call.input for call in result.tool_calls or ()] == ["ls -la"]


def test_the_prompt_is_read_from_standard_input(claude):
    result = ask(make_setup(claude.setting), prompt="What? ä")
    assert claude.told["stdin"] == "What? ä"
    assert (result.sent, result.sent_media) == ("What? ä".encode(), "text/plain; charset=utf-8")
    assert "What? ä" not in claude.told["argv"]


def test_a_session_has_its_inputs_and_an_empty_home(claude):
    ask(make_setup(claude.setting), inputs=(make_input("data/in.csv"),))
    assert claude.told["folder"] == ["data/in.csv"]
    assert claude.told["home"] == []


def test_nothing_of_the_user_s_environment_comes_along(claude):
    ask(make_setup(claude.setting, KEY | {"CLAUDE_CODE_EFFORT": "max", "OTHER_TOKEN": "12345678"}))
    environment = claude.told["environment"]
    assert environment["ANTHROPIC_API_KEY"] == KEY["ANTHROPIC_API_KEY"]
    assert environment["CLAUDE_CODE_MAX_RETRIES"] == "0"
    assert not {"CLAUDE_CODE_EFFORT", "OTHER_TOKEN"} & environment.keys()


def test_the_arguments_shut_the_user_s_settings_out(claude):
    ask(make_setup(claude.setting))
    assert claude.told["argv"] == [
        *("-p", "--output-format", "stream-json", "--verbose", "--setting-sources", ""),
        *("--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence"),
        *("--permission-mode", "dontAsk", "--model", "m-1", "--tools", ""),
    ]


def test_tools_are_named_by_their_kinds_and_allowed(claude):
    ask(make_setup(claude.setting), tools=(ToolKind.SHELL, ToolKind.SEARCH, ToolKind.WEB))
    names = "Bash,Glob,Grep,WebFetch,WebSearch"
    assert claude.told["argv"][-4:] == ["--tools", names, "--allowedTools", names]


def test_a_tool_that_the_session_lacked_is_noted(tmp_path):
    program = make_stand_in(tmp_path / "claude", STREAM.replace(b'"Grep", ', b""))
    result = ask(make_setup(program.setting), tools=(ToolKind.SEARCH,))
    assert "the session had no tool Grep" in result.notes


def test_effort_schema_system_and_limits_are_handed_on(claude):
    limits = Limits(deadline_s=60, output_tokens_max=77, cost_usd_max=Decimal("0.50"))
    ask(
        make_setup(claude.setting, bare=True, base_url="http://127.0.0.1:1"),
        effort="low",
        schema='{"type":"object"}',
        system="Be brief.",
        limits=limits,
    )
    argv, environment = claude.told["argv"], claude.told["environment"]
    assert argv[15:20] == ["--effort", "low", "--json-schema", '{"type":"object"}', "--bare"]
    assert argv[-2:] == ["--max-budget-usd", "0.50"]
    assert claude.told["--system-prompt-file"] == "Be brief."
    assert claude.told["folder"] == []
    assert environment["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] == "77"
    assert environment["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:1"


def test_how_the_program_ran_is_on_record_without_any_value(claude):
    process = read_process(ask(make_setup(claude.setting, KEY)))
    assert process["argv"][0] == claude.setting
    assert process["version"] == "9.9.9 (stand-in)"
    assert (process["exit_code"], process["was_killed"]) == (0, None)
    assert "ANTHROPIC_API_KEY" in process["environment"]
    assert KEY["ANTHROPIC_API_KEY"] not in json.dumps(process)


def test_the_version_is_asked_for_once(claude):
    provider = make_claude_code(make_setup(claude.setting))

    async def ask_twice():
        await asyncio.gather(*(provider.respond(make_request()) for _ in range(2)))

    asyncio.run(ask_twice())
    asyncio.run(ask_twice())
    assert claude.versions_asked == 1


def test_a_key_may_be_a_login_token(claude):
    variables = {"CLAUDE_CODE_OAUTH_TOKEN": "staple staple"}
    ask(make_setup(claude.setting, variables, api_key_env="CLAUDE_CODE_OAUTH_TOKEN"))
    assert claude.told["environment"]["CLAUDE_CODE_OAUTH_TOKEN"] == "staple staple"
    assert "ANTHROPIC_API_KEY" not in claude.told["environment"]


def test_a_credential_file_is_copied_and_its_contents_are_secret(tmp_path):
    login = tmp_path / "home/.claude/.credentials.json"
    login.parent.mkdir()
    login.write_text('{"oauth": {"access": "sk-correct-horse-battery", "expires": 9, "plan": "x"}}')
    code = "sys.stderr.write(open(os.environ['HOME'] + '/.claude/.credentials.json').read())"
    program = make_stand_in(tmp_path / "claude", STREAM, code)
    setup = make_setup(program.setting, credentials=[".claude/.credentials.json"])
    result = scrub_session(ask(setup), setup.vault)
    assert program.told["home"] == [".claude/.credentials.json"]
    [stderr] = [part.data for part in result.parts if part.name == "stderr"]
    assert b"[secret .claude/.credentials.json]" in stderr
    assert b"sk-correct" not in stderr


def test_a_credential_that_a_session_renewed_is_secret_too(tmp_path):
    login = tmp_path / "home/login"
    login.write_text("old-correct-horse-battery")
    code = (
        "open(os.environ['HOME'] + '/login', 'w').write('new-correct-horse-battery')\n"
        "sys.stderr.write('new-correct-horse-battery')"
    )
    program = make_stand_in(tmp_path / "claude", STREAM, code)
    setup = make_setup(program.setting, credentials=["login"])
    result = scrub_session(ask(setup), setup.vault)
    assert [part.data for part in result.parts if part.name == "stderr"] == [b"[secret login]"]
    assert login.read_text() == "old-correct-horse-battery"


def test_files_that_a_session_made_are_collected(tmp_path):
    code = "open('out.csv', 'w').write('1')"
    program = make_stand_in(tmp_path / "claude", STREAM, code)
    result = ask(make_setup(program.setting, collect=["*.csv"]))
    assert [part.data for part in result.parts if part.name == "file.out.csv"] == [b"1"]
    assert "left in the working directory: out.csv (1 byte)" in result.notes


def test_an_exit_code_overrules_a_stream_that_says_all_is_well(tmp_path):
    code = "sys.stderr.write('worse\\nbroken\\n'); sys.exit(3)"
    program = make_stand_in(tmp_path / "claude", STREAM, code)
    failure = fail(make_setup(program.setting))
    assert (failure.cause, failure.detail) == ("program_failed", "exit code 3: broken")
    assert failure.response == STREAM
    assert failure.stated_cost_usd == Decimal("0.24722425")


def test_an_exit_code_beside_a_failure_that_the_stream_tells_adds_nothing(tmp_path):
    program = make_stand_in(tmp_path / "claude", MAX_TOKENS, "sys.exit(1)")
    failure = fail(make_setup(program.setting))
    assert failure.cause == "truncated"
    assert failure.resolved_model == "local-gguf"


def test_nobody_logged_in_stops_the_run(tmp_path):
    program = make_stand_in(tmp_path / "claude", NOT_LOGGED_IN, "sys.exit(1)")
    failure = fail(make_setup(program.setting))
    assert (failure.cause, failure.stops_run) == ("unauthorized", True)
    assert failure.response == NOT_LOGGED_IN


def test_a_deadline_keeps_what_the_stream_told(tmp_path):
    cut = b"".join(STREAM.splitlines(keepends=True)[:2])
    program = make_stand_in(tmp_path / "claude", cut, "time.sleep(60)")
    provider = make_claude_code(make_setup(program.setting))
    failure = asyncio.run(provider.respond(make_request(limits=Limits(deadline_s=0.7))))
    assert isinstance(failure, SessionFailure)
    assert (failure.cause, failure.is_transient) == ("timed_out", False)
    assert failure.response == cut
    assert [call.outcome for call in failure.tool_calls or ()] == ["unfinished"]
    assert read_process(failure)["was_killed"] == "deadline"


def test_a_program_that_is_gone_stops_the_run(claude):
    provider = make_claude_code(make_setup(claude.setting))
    (claude.folder / "program").unlink()
    failure = asyncio.run(provider.respond(make_request()))
    assert isinstance(failure, SessionFailure)
    assert (failure.cause, failure.stops_run) == ("program_missing", True)
    assert failure.response is None


def test_a_schema_that_no_argument_can_hold_is_refused(claude):
    failure = fail(make_setup(claude.setting), schema="x" * 2**17)
    assert (failure.cause, failure.stops_run) == ("bad_request", False)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"program": "no-such-claude"}, "c: settings.program: there is no program"),
        ({"prgram": "x"}, "c: settings.prgram: unknown setting"),
        ({"tools": (ToolKind.OTHER,)}, "c: tools: there is no tool of the kind 'other'"),
        ({"tools": (ToolKind.WRITE,), "bare": True}, "c: tools: with settings.bare there is no"),
        ({"effort": "huge"}, "c: effort: 'huge' is none of low, medium, high, xhigh, max"),
        ({"api_key_env": "NO_SUCH_KEY"}, "c: settings.api_key_env: the environment has no"),
        ({"credentials": ["../x"]}, "c: settings.credentials.0: is no path below your home"),
        ({"credentials": ["no/such"]}, "c: settings.credentials.0: there is no file ~/'no/such'"),
        ({"collect": "*.csv"}, "c: settings.collect: is not a list"),
        ({"base_url": "ftp://x"}, "c: settings.base_url: is not an http"),
    ],
)
def test_a_configuration_that_cannot_work_is_refused(claude, changes, fault):
    with pytest.raises(FaultyInput) as caught:
        make_claude_code(make_setup(**{"program": claude.setting, **changes}))
    [line] = str(caught.value).splitlines()
    assert line.startswith(fault)


def test_the_registry_has_it():
    assert find_provider("claude-code") is make_claude_code


def test_the_program_itself_without_a_login_is_unauthorized():
    result = fail(make_setup(find_cli("claude")), limits=Limits(deadline_s=120))
    assert (result.cause, result.stops_run) == ("unauthorized", True)
    assert result.response is not None
    assert result.response.count(b"\n") == 3
    assert read_process(result)["version"].endswith("(Claude Code)")


def test_the_program_itself_takes_every_argument():
    tools = tuple(kind for kind in ToolKind if kind is not ToolKind.OTHER)
    limits = Limits(deadline_s=120, output_tokens_max=77, cost_usd_max=Decimal("0.50"))
    schema = '{"type":"object","properties":{"total":{"type":"integer"}}}'
    fields = {"tools": tools, "effort": "low", "system": "Be brief.", "schema": schema}
    program = find_cli("claude")
    with refuse_everybody() as (address, asked):
        result = fail(make_setup(program, KEY, base_url=address), **fields, limits=limits)
    assert (result.cause, result.stops_run) == ("unauthorized", True)
    assert not [note for note in result.notes if "had no tool" in note]
    assert not [part for part in result.parts if part.name == "stderr"]
    [body] = asked
    assert (body["model"], body["max_tokens"]) == ("m-1", 77)
    assert body["output_config"]["effort"] == "low"
    assert body["system"][-1]["text"] == "Be brief."
    assert len(body["tools"]) == 9
