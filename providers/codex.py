"""Codex as a provider: ``codex exec --json``, a session in a folder of its own for each request.

1. no configuration, rules or history of the user: the home is empty, and the session is not kept;
2. its tools cannot be chosen. The kinds choose what they may do: shell, write or edit let the
   sandbox write to the working directory; web lets it search the web. Commands always run, and
   have no network; their environment holds no variable that is named like a key;
3. of a command that the sandbox refused the CLI's events say nothing (0.171.0), so the recorded
   calls are those that it tells of;
4. a key comes from ``api_key_env`` (default: CODEX_API_KEY, else OPENAI_API_KEY) and is handed on
   as CODEX_API_KEY, which ``codex exec`` reads. A login comes as a file that ``credentials`` names;
   a session may renew it, and what it renewed is lost with its home;
5. with ``base_url`` the CLI's own retries are off; with its built-in service it tries again by
   itself. Where no connection comes about it waits without end: the deadline ends it. It has no
   limit of output or cost;
6. ``effort`` goes to the service as it is written; a system text becomes developer instructions,
   beside those of the CLI itself.

    {"provider": "codex", "model": "gpt-6.2-sol", "effort": "medium", "tools": ["shell"]}
"""

import json
from dataclasses import dataclass

from ledger.tools import ToolKind
from providers.assistant import Assistant, Launch, make_assistant
from providers.isolation import Workspace
from providers.provider import SessionFailure, SessionRequest, SessionResult
from providers.setup import Setup
from providers.transcripts import read_codex_exec

SETTINGS = frozenset({"program", "api_key_env", "base_url", "credentials", "collect"})
API_KEY = "CODEX_API_KEY"
WRITING = frozenset({ToolKind.SHELL, ToolKind.WRITE, ToolKind.EDIT})
"""Kinds for which the sandbox may write to the working directory."""
FLAGS = (
    "exec",
    "--json",
    "--skip-git-repo-check",
    "--ephemeral",
    "--color",
    "never",
    "--ignore-user-config",
    "--ignore-rules",
    "-c",
    "shell_environment_policy.ignore_default_excludes=false",
)
SERVICE = "configured"
"""What the CLI calls the service at ``base_url``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Codex:
    """Codex (``providers.Provider``).

    Attributes:
        key: that a session is let in with, if there is one.
        base_url: of the service; ``None``: the CLI's own.
    """

    assistant: Assistant
    key: str | None
    base_url: str | None

    async def respond(self, request: SessionRequest) -> SessionResult | SessionFailure:
        """Hold one session, and return what came of it."""

        def begin(workspace: Workspace) -> Launch:
            environment = {} if self.key is None else {API_KEY: self.key}
            return Launch((*self._list_arguments(request, workspace), "-"), environment)

        return await self.assistant.ask(request, begin)

    def _list_arguments(self, request: SessionRequest, workspace: Workspace) -> list[str]:
        may_write = WRITING & set(request.tools)
        may_search = ToolKind.WEB in request.tools
        arguments = [*FLAGS, "-m", request.model, "-C", str(workspace.folder)]
        arguments += ["-s", "workspace-write" if may_write else "read-only"]
        arguments += ["-c", f'web_search="{"live" if may_search else "disabled"}"']
        if request.effort:
            arguments += ["-c", f"model_reasoning_effort={format_toml(request.effort)}"]
        if request.system is not None:
            arguments += ["-c", f"developer_instructions={format_toml(request.system)}"]
        if request.schema:
            file = workspace.home / "schema.json"
            file.write_bytes(request.schema.encode(errors="surrogatepass"))
            arguments += ["--output-schema", str(file)]
        if self.base_url is not None:
            key = "" if self.key is None else f',env_key="{API_KEY}"'
            service = (
                f'{{name="{SERVICE}",base_url={format_toml(self.base_url)},wire_api="responses"'
                f"{key},request_max_retries=0,stream_max_retries=0}}"
            )
            arguments += ["-c", f'model_provider="{SERVICE}"']
            arguments += ["-c", f"model_providers.{SERVICE}={service}"]
        return arguments


def make_codex(setup: Setup) -> Codex:
    """Return the provider that a configuration describes.

    Raises:
        FaultyInput: the program is not installed, a variable or a file is not there, or the
            configuration asks for what the CLI has not.
    """
    setup.check_settings(SETTINGS)
    if ToolKind.OTHER in setup.tools:
        raise setup.fault("tools", "there is no tool of the kind 'other'; leave it out")
    return Codex(
        assistant=make_assistant(setup, "codex", read_codex_exec),
        key=_read_key(setup),
        base_url=setup.read_url("base_url") if "base_url" in setup.settings else None,
    )


def format_toml(text: str) -> str:
    """Return ``text`` as a string of TOML.

    A JSON string is one, but for the escapes of characters beyond ASCII, and for DEL.
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _read_key(setup: Setup) -> str | None:
    if "api_key_env" in setup.settings:
        name = setup.read_text("api_key_env")
        return setup.vault.read(name, f"{setup.name}: settings.api_key_env") or None
    return setup.vault.find(API_KEY) or setup.vault.find("OPENAI_API_KEY")
