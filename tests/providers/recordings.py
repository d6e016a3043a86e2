"""The recorded sessions of ``tests/providers/transcripts``, as bytes."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "transcripts"


def read_own(name: str) -> bytes:
    """Return a run of the official programs."""
    return (FOLDER / "cli-own-runs" / name).read_bytes()


def read_log(name: str) -> bytes:
    """Return a session log of Claude Code."""
    return (FOLDER / "claude-code-sessions" / f"{name}.jsonl").read_bytes()


def read_next_evals() -> bytes:
    """Return a transcript of Codex."""
    [file] = (FOLDER / "codex-exec-json/next-evals").glob("*.jsonl")
    return file.read_bytes()


def make_stream(*messages: object) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def list_messages() -> list[dict[str, Any]]:
    """Return the four messages of a run of Claude Code that succeeded, in order."""
    folder = FOLDER / "claude-stream-json/cli-2.1.4"
    names = ("system_message", "assistant_message", "user_message", "result_success")
    return [json.loads((folder / f"{name}.json").read_bytes()) for name in names]


STREAM = make_stream(*list_messages())
NOT_LOGGED_IN = read_own("claude-2.1.197-not-logged-in.stream.jsonl")
NETWORK_REFUSED = read_own("claude-2.1.197-network-refused.stream.jsonl")
MAX_TOKENS = read_own("claude-2.1.197-local-model-max-tokens.stream.jsonl")
CODEX_SUCCESS = read_own("codex-0.171.0-local-model-success.jsonl")
CODEX_KILLED = read_own("codex-0.171.0-network-refused-killed-at-120s.jsonl")
CODEX_LONG = read_next_evals()
