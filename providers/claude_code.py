"""Claude Code as a provider: ``claude -p``, a session in a folder of its own for each request.

1. no settings, skills, MCP servers or history of the user: the home is empty, no setting source is
   read, and the session is not kept;
2. tools are chosen by kind, and are all that a session has; every other use is denied. Kinds have
   these names: shell Bash; read Read; write Write; edit Edit; search Glob and Grep; web WebFetch
   and WebSearch. A note says which of them the session lacked after all;
3. the CLI's own retries are off, so that each attempt is the engine's, and on record;
4. a key comes from ``api_key_env``; CLAUDE_CODE_OAUTH_TOKEN and ANTHROPIC_AUTH_TOKEN may be named
   there, too. A login comes as a file that ``credentials`` names; a session may renew it, and what
   it renewed is lost with its home;
5. ``bare`` is the CLI's minimal mode. It has another system prompt, and only Bash, Read and Edit,
   so it is chosen and never implied by a key.

    {"provider": "claude-code", "model": "claude-sonnet-5-5", "tools": ["shell", "read"]}
"""

from dataclasses import dataclass, replace

from ledger.tools import ToolKind
from providers.assistant import Assistant, Launch, make_assistant
from providers.isolation import Workspace
from providers.provider import SessionFailure, SessionRequest, SessionResult
from providers.setup import Setup
from providers.transcripts import Transcript, read_claude_stream

SETTINGS = frozenset({"program", "api_key_env", "base_url", "credentials", "collect", "bare"})
EFFORTS = ("low", "medium", "high", "xhigh", "max")
"""As ``claude --help`` lists them (2.1.197); another one is ignored with a warning."""
TOOLS: dict[ToolKind, tuple[str, ...]] = {
    ToolKind.SHELL: ("Bash",),
    ToolKind.READ: ("Read",),
    ToolKind.WRITE: ("Write",),
    ToolKind.EDIT: ("Edit",),
    ToolKind.SEARCH: ("Glob", "Grep"),
    ToolKind.WEB: ("WebFetch", "WebSearch"),
}
BARE = frozenset({ToolKind.SHELL, ToolKind.READ, ToolKind.EDIT})
"""Kinds that ``--bare`` leaves (2.1.197); it drops the others without a word."""
API_KEY = "ANTHROPIC_API_KEY"
TOKENS = frozenset({"CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN"})
"""Variables that the CLI reads under their own names."""
FLAGS = (
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--setting-sources",
    "",
    "--strict-mcp-config",
    "--disable-slash-commands",
    "--no-session-persistence",
    "--permission-mode",
    "dontAsk",
)
VARIABLES = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_MAX_RETRIES": "0",
    "DISABLE_AUTOUPDATER": "1",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeCode:
    """Claude Code (``providers.Provider``).

    Attributes:
        key: variable and value that a session is let in with, if there is one.
        base_url: of the service; ``None``: the CLI's own.
    """

    assistant: Assistant
    key: tuple[str, str] | None
    base_url: str | None
    is_bare: bool

    async def respond(self, request: SessionRequest) -> SessionResult | SessionFailure:
        """Hold one session, and return what came of it."""
        asked = tuple(name for kind in request.tools for name in TOOLS.get(kind, ()))

        def begin(workspace: Workspace) -> Launch:
            return self._begin(request, asked, workspace)

        def read(data: bytes) -> Transcript:
            return _note_missing(read_claude_stream(data), asked)

        return await replace(self.assistant, read=read).ask(request, begin)

    def _begin(
        self, request: SessionRequest, asked: tuple[str, ...], workspace: Workspace
    ) -> Launch:
        limits, tools = request.limits, ",".join(asked)
        arguments = [*FLAGS, "--model", request.model, "--tools", tools]
        # Under dontAsk a tool that is there is denied all the same, unless it is allowed, too.
        arguments += ["--allowedTools", tools] if tools else []
        arguments += ["--effort", request.effort] if request.effort else []
        arguments += ["--json-schema", request.schema] if request.schema else []
        arguments += ["--bare"] if self.is_bare else []
        if request.system is not None:
            file = workspace.home / "system.txt"
            file.write_bytes(request.system.encode(errors="surrogatepass"))
            arguments += ["--system-prompt-file", str(file)]
        if limits.cost_usd_max is not None:
            arguments += ["--max-budget-usd", f"{limits.cost_usd_max:f}"]
        environment = dict(VARIABLES)
        if limits.output_tokens_max is not None:
            environment["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] = str(limits.output_tokens_max)
        if self.base_url is not None:
            environment["ANTHROPIC_BASE_URL"] = self.base_url
        if self.key is not None:
            environment[self.key[0]] = self.key[1]
        return Launch(tuple(arguments), environment)


def make_claude_code(setup: Setup) -> ClaudeCode:
    """Return the provider that a configuration describes.

    Without a key and a credential file a session ends as ``unauthorized``, and the run stops.

    Raises:
        FaultyInput: the program is not installed, a variable or a file is not there, or the
            configuration asks for what the CLI has not.
    """
    setup.check_settings(SETTINGS)
    if ToolKind.OTHER in setup.tools:
        raise setup.fault(
            "tools", f"there is no tool of the kind 'other'; there are {', '.join(TOOLS)}"
        )
    if setup.effort is not None and setup.effort not in EFFORTS:
        raise setup.fault("effort", f"{setup.effort!a:.80} is none of {', '.join(EFFORTS)}")
    is_bare = setup.read_flag("bare", default=False)
    lacking = [kind for kind in setup.tools if kind not in BARE]
    if is_bare and lacking:
        raise setup.fault("tools", f"with settings.bare there is no tool of the kind {lacking[0]}")
    return ClaudeCode(
        assistant=make_assistant(setup, "claude", read_claude_stream),
        key=_read_key(setup),
        base_url=setup.read_url("base_url") if "base_url" in setup.settings else None,
        is_bare=is_bare,
    )


def _read_key(setup: Setup) -> tuple[str, str] | None:
    name = setup.read_text("api_key_env", API_KEY)
    if "api_key_env" in setup.settings:
        value: str | None = setup.vault.read(name, f"{setup.name}: settings.api_key_env")
    else:
        value = setup.vault.find(name)
    return (name if name in TOKENS else API_KEY, value) if value else None


def _note_missing(transcript: Transcript, asked: tuple[str, ...]) -> Transcript:
    if transcript.offered_tools is None:
        return transcript
    missing = [name for name in asked if name not in transcript.offered_tools]
    if not missing:
        return transcript
    return replace(
        transcript,
        notes=(*transcript.notes, f"the session had no tool {', '.join(missing)}"),
    )
