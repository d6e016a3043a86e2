"""What the command-line assistants have in common: one session of a program for one request.

1. a session runs in a workspace of its own (``isolation``); the prompt is what it reads on its
   standard input, and all that it writes there on standard output is the response;
2. the user's credential files are copied into its home if a configuration names them; what they
   hold is secret, and so is what a session may have renewed there;
3. what the record of the session says holds only with exit code 0; a deadline that passed, and
   another exit code, are failures that keep all that was told;
4. the part ``process`` has the arguments, the names of variables, the exit code, the time and the
   program's version; the part ``stderr`` its standard error, where there is some.
"""

import asyncio
import json
import os
import posixpath
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ledger.artifact import JSONL, encode_text
from providers.isolation import (
    Ending,
    Workspace,
    open_workspace,
    run_process,
)
from providers.isolation.files import read_regular
from providers.programs import describe_ending, find_failure, find_program, look_after
from providers.provider import (
    Failure,
    Part,
    Session,
    SessionFailure,
    SessionRequest,
    SessionResult,
)
from providers.setup import Setup
from providers.transcripts import Transcript, conclude
from providers.vault import Vault

SECRET_LENGTH_MIN = 16
"""Characters of a text in a credential file from which on it is secret."""
CREDENTIAL_BYTES_MAX = 2**20
ARGUMENT_BYTES_MAX = 2**17 - 1
"""Linux: MAX_ARG_STRLEN is 32 pages, the end of the string included."""
VERSION_DEADLINE_S = 30


class Launch(NamedTuple):
    """How a session is begun: arguments after the program, and variables of its own."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]


@dataclass(slots=True)
class Program:
    """A program on this machine; its version is asked for once, when it is first needed."""

    path: str
    _version: str | None = None
    _was_asked: bool = False
    _turn: tuple[asyncio.AbstractEventLoop, asyncio.Lock] | None = None

    async def read_version(self, vault: Vault) -> str | None:
        """Return what ``--version`` prints, or ``None`` where it prints nothing."""
        loop = asyncio.get_running_loop()
        if self._turn is None or self._turn[0] is not loop:
            self._turn = (loop, asyncio.Lock())  # A lock belongs to one loop.
        async with self._turn[1]:
            if not self._was_asked:
                self._version = await self._ask_version(vault)
                self._was_asked = True
        return self._version

    async def _ask_version(self, vault: Vault) -> str | None:
        with open_workspace(()) as workspace:
            ending = await run_process(
                [self.path, "--version"],
                workspace=workspace,
                environment=workspace.environment(vault, [], {}),
                stdin=b"",
                deadline_s=VERSION_DEADLINE_S,
            )
            await asyncio.to_thread(workspace.remove)
        return ending.stdout.decode(errors="replace").strip()[:200] or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant:
    """A program that holds sessions.

    Attributes:
        read: reads the record that it writes on standard output.
        credentials: paths below the user's home that a session's home has a copy of.
        patterns: files that are kept as parts, where a session leaves some.
    """

    setup: Setup
    program: Program
    read: Callable[[bytes], Transcript]
    credentials: tuple[str, ...] = field(default=())
    patterns: tuple[str, ...] = field(default=())

    async def ask(
        self, request: SessionRequest, begin: Callable[[Workspace], Launch]
    ) -> SessionResult | SessionFailure:
        """Hold one session, and return what came of it.

        Args:
            request: its prompt and its inputs are what the session gets.
            begin: says how, and puts what the program needs into the workspace's home.
        """
        sent, sent_media = encode_text(request.prompt)
        version = await self.program.read_version(self.setup.vault)
        with open_workspace(request.inputs) as workspace:
            self._bring_credentials(workspace)
            launch = begin(workspace)
            argv = [self.program.path, *launch.arguments]
            environment = workspace.environment(self.setup.vault, [], launch.environment)
            misfit = _find_misfit(argv)
            if misfit:
                return _refuse(misfit, sent, sent_media)
            ending = await run_process(
                argv,
                workspace=workspace,
                environment=environment,
                stdin=sent,
                deadline_s=request.limits.deadline_s,
            )
            parts, notes = await asyncio.to_thread(self._look_after, workspace)
        transcript = self.read(ending.stdout)
        session = Session(
            sent=sent,
            sent_media=sent_media,
            response=ending.stdout if ending.error is None else None,
            media=JSONL,
            parts=(*describe_ending(ending, argv, environment, version=version), *parts),
            notes=ending.notes + notes,
        )
        return conclude(session, transcript, _find_failure(ending, transcript, request))

    def _bring_credentials(self, workspace: Workspace) -> None:
        for path in self.credentials:
            data = (_find_home(self.setup) / path).read_bytes()
            add_secrets(self.setup.vault, path, data)
            file = workspace.home / path
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.touch(mode=0o600)
            file.write_bytes(data)

    def _look_after(self, workspace: Workspace) -> tuple[tuple[Part, ...], tuple[str, ...]]:
        """As ``look_after``; what a session renewed of its credentials is secret, too."""
        for path in self.credentials:
            with suppress(OSError):
                data = read_regular(workspace.home, path, size_max=CREDENTIAL_BYTES_MAX)
                add_secrets(self.setup.vault, path, data)
        return look_after(workspace, self.patterns)


def make_assistant(setup: Setup, program: str, read: Callable[[bytes], Transcript]) -> Assistant:
    """Return the assistant that a configuration describes.

    Args:
        setup: its settings may have ``program``, ``credentials`` and ``collect``.
        program: its name, where ``settings.program`` has no other.
        read: of the record on its standard output.

    Raises:
        FaultyInput: there is no such program or file, or a setting is no such setting.
    """
    name = setup.read_text("program", program)
    return Assistant(
        setup=setup,
        program=Program(find_program(setup, "settings.program", name)),
        read=read,
        credentials=_read_credentials(setup),
        patterns=setup.read_texts("collect"),
    )


def add_secrets(vault: Vault, path: str, data: bytes) -> None:
    """Keep every longer text in the credential file ``path`` out of the record."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        document = data.decode(errors="replace").split()
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str) and len(value) >= SECRET_LENGTH_MIN:
            vault.add(path, value)


def _read_credentials(setup: Setup) -> tuple[str, ...]:
    paths = setup.read_texts("credentials")
    for index, path in enumerate(paths):
        where = f"settings.credentials.{index}"
        if path != posixpath.normpath(path) or path.startswith(("/", "..")) or path == ".":
            raise setup.fault(where, "is no path below your home; write it from there")
        if not (_find_home(setup) / path).is_file():
            raise setup.fault(where, f"there is no file ~/{path!a}; log in with the program first")
    return paths


def _find_home(setup: Setup) -> Path:
    return Path(setup.vault.environment.get("HOME") or Path.home())


def _find_misfit(argv: Sequence[str]) -> str | None:
    """Return what about the arguments no program can be called with."""
    for argument in argv:
        try:
            data = os.fsencode(argument)
        except UnicodeEncodeError:
            return "an argument of the program would hold a lone surrogate"
        if b"\0" in data:
            return "an argument of the program would hold a null character"
        if len(data) > ARGUMENT_BYTES_MAX:
            return f"an argument of the program would have more than {ARGUMENT_BYTES_MAX:,} bytes"
    return None


def _refuse(misfit: str, sent: bytes, sent_media: str) -> SessionFailure:
    return SessionFailure(cause="bad_request", detail=misfit, sent=sent, sent_media=sent_media)


def _find_failure(
    ending: Ending, transcript: Transcript, request: SessionRequest
) -> Failure | None:
    """Return why a session gave no answer, beyond what its record says."""
    failure = find_failure(ending, request.limits.deadline_s)
    told = transcript.failure
    if failure is None or told is None:
        return failure
    if failure.cause == "timed_out":
        return failure._replace(detail=f"{failure.detail}; {told.detail}")
    # An exit code says less than a record that says why.
    is_told = failure.cause == "program_failed" and told.cause != "unfinished"
    return None if is_told else failure._replace(is_transient=failure.cause == "start_failed")
