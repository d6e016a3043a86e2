"""Transcripts: what a program that ran a session wrote about it, read into one form.

Success is what the record states, never guessed; damage to the record is noted and survived.

    transcript = read_transcript("claude-stream", Path("session.jsonl").read_bytes())
    transcript.answer or transcript.failure
"""

from collections.abc import Callable

from providers.transcripts.claude_session import read_claude_session
from providers.transcripts.claude_stream import read_claude_stream
from providers.transcripts.codex_exec import read_codex_exec
from providers.transcripts.transcript import Transcript, conclude, fail

FORMATS: dict[str, Callable[[bytes], Transcript]] = {
    "claude-stream": read_claude_stream,
    "claude-session": read_claude_session,
    "codex-exec": read_codex_exec,
}
"""Readers by the name that a configuration gives them."""


def read_transcript(name: str, data: bytes) -> Transcript:
    """Return what ``data`` says, a record in the format ``name``, one of FORMATS."""
    return FORMATS[name](data)


__all__ = [
    "FORMATS",
    "Transcript",
    "conclude",
    "fail",
    "read_claude_session",
    "read_claude_stream",
    "read_codex_exec",
    "read_transcript",
]
