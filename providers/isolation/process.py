"""A session's process: started apart, read while it runs, and ended with all that it started.

1. it leads a process group and a session of its own, in the working directory; what it is given
   to read is a file that is already whole (no input: ``/dev/null``), so it may leave it unread;
2. at the deadline, or when it writes too much, its group gets SIGTERM, and SIGKILL after a grace;
   what it wrote until then is kept;
3. when it has ended, by itself or not, all that it left running is ended too (``survivors``), and
   noted. A child that holds the output open is waited for LINGER_S, no longer;
4. if the caller is cancelled, nothing of it is left running, and the cancellation goes on.
"""

import asyncio
import errno
import os
import secrets
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from providers.isolation.listing import show_name
from providers.isolation.survivors import end_survivors, signal_group
from providers.isolation.workspace import Workspace

OUTPUT_BYTES_MAX = 64 * 2**20
"""Bytes of standard output, and as many of standard error, at which a session is ended."""
GRACE_S = 2.0
"""Seconds between SIGTERM and SIGKILL; never more than the deadline itself."""
LINGER_S = 0.5
"""Seconds that a session which has ended may keep its output open."""
REAP_S = 5.0
"""Seconds for the kernel to carry out a SIGKILL; a process in a stuck system call takes longer."""
MARK = "SESSION_TAG"
"""Variable that a session's processes are known by; its value is random and says nothing."""
CHUNK_BYTES = 2**16

_SCARCE = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a process ended.

    Attributes:
        exit_code: negative: killed by that signal; ``None``: it could not be started.
        stdout: as far as it came, at most as many bytes as allowed.
        stderr: likewise.
        was_killed: ``deadline`` or ``output`` where it was ended for that; else ``None``.
        duration_us: from the start until it ended, microseconds.
        error: why it could not be started, one line.
        notes: one line each, such as how many processes outlived it.
        is_transient: whether it was not started because the machine was short of something.
    """

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    was_killed: str | None
    duration_us: int
    error: str | None
    notes: tuple[str, ...]
    is_transient: bool = False


async def run_process(
    argv: Sequence[str],
    *,
    workspace: Workspace,
    environment: Mapping[str, str],
    stdin: bytes,
    deadline_s: float,
    output_bytes_max: int = OUTPUT_BYTES_MAX,
) -> Ending:
    """Run a program in ``workspace`` and return how it ended; that it cannot start is an ending.

    Args:
        argv: the program, found by the PATH of ``environment`` or an absolute path, and what it is
            called with.
        workspace: one process at a time runs in it.
        environment: all that the program gets, but for MARK.
        stdin: what it may read.
        deadline_s: seconds until it is ended.
        output_bytes_max: bytes of each of its outputs until it is ended.
    """
    mark = secrets.token_hex(16)
    begun = time.monotonic_ns()
    try:
        process = _start(argv, workspace, {**environment, MARK: mark}, stdin)
    except (OSError, ValueError) as error:
        return _refuse(argv, error)
    running = _Running(process, f"{MARK}={mark}".encode(), output_bytes_max)
    try:
        is_late = await running.attend(deadline_s)
        duration_us = (time.monotonic_ns() - begun) // 1000
        if not is_late:
            await running.drain(LINGER_S)
        await asyncio.to_thread(running.end)
        await running.drain(REAP_S)
    finally:
        running.close()
    was_killed = "deadline" if is_late else None
    code = process.returncode
    return Ending(
        exit_code=-signal.SIGKILL if code is None else code,
        stdout=bytes(running.stdout.data),
        stderr=bytes(running.stderr.data),
        was_killed="output" if running.has_overflowed else was_killed,
        duration_us=duration_us,
        error=None,
        notes=tuple(running.notes),
    )


def _start(
    argv: Sequence[str], workspace: Workspace, environment: Mapping[str, str], stdin: bytes
) -> "subprocess.Popen[bytes]":
    with tempfile.TemporaryFile(dir=workspace.tmp) as file:
        file.write(stdin)
        file.seek(0)
        return subprocess.Popen(  # noqa: S603 - no shell; what runs is what the user configured
            argv,
            bufsize=0,
            stdin=file if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=workspace.folder,
            env=environment,
            start_new_session=True,
        )


def _refuse(argv: Sequence[str], error: OSError | ValueError) -> Ending:
    what = error.strerror if isinstance(error, OSError) else str(error)
    return Ending(
        exit_code=None,
        stdout=b"",
        stderr=b"",
        was_killed=None,
        duration_us=0,
        error=f"{show_name(argv[0])} cannot be started: {what}",
        notes=(),
        is_transient=isinstance(error, OSError) and error.errno in _SCARCE,
    )


class _Running:
    """A process that was started; it is ``close``d whatever happens, on the loop's thread."""

    def __init__(
        self, process: "subprocess.Popen[bytes]", mark: bytes, output_bytes_max: int
    ) -> None:
        assert process.stdout is not None  # noqa: S101 - both are pipes
        assert process.stderr is not None  # noqa: S101
        self.notes: list[str] = []
        self._process = process
        self._mark = mark
        self._has_ended = False
        self._exited = asyncio.Event()
        self._overflowed = asyncio.Event()
        self.stdout = _Drain(process.stdout.fileno(), output_bytes_max, self._overflowed)
        self.stderr = _Drain(process.stderr.fileno(), output_bytes_max, self._overflowed)
        # A thread each, and not the executor's: its few would be taken by sessions that run long.
        loop = asyncio.get_running_loop()
        self._waiter = threading.Thread(target=self._await_exit, args=(loop,), daemon=True)
        self._waiter.start()

    @property
    def has_overflowed(self) -> bool:
        """Whether it wrote more than it may."""
        return self._overflowed.is_set()

    async def attend(self, deadline_s: float) -> bool:
        """Wait until the process has ended or the grace is over; return whether it was too late."""
        await _wait_any(deadline_s, self._exited, self._overflowed)
        if self._exited.is_set():
            return False
        is_late = not self.has_overflowed
        signal_group(self._process.pid, signal.SIGTERM)
        await _wait_any(min(GRACE_S, deadline_s), self._exited)
        return is_late

    async def drain(self, timeout_s: float) -> None:
        """Wait until both outputs are at their end."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self.stdout.is_done.wait()
                await self.stderr.is_done.wait()

    def end(self) -> None:
        """End all that is left, and note it; on any thread, and as often as one likes."""
        if self._has_ended:
            return
        alive, left = end_survivors(self._process.pid, self._mark)
        self._has_ended = True
        if alive:
            were = "was" if alive == 1 else "were"
            what = "1 process" if alive == 1 else f"{alive:,} processes"
            self.notes.append(f"{what} outlived the session and {were} ended")
        if left:
            self.notes.append(f"{left:,} of them could not be ended")
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(REAP_S)

    def close(self) -> None:
        """Let go of everything; what still runs is ended."""
        self.end()
        for drain, stream in (
            (self.stdout, self._process.stdout),
            (self.stderr, self._process.stderr),
        ):
            drain.close()
            if stream is not None:
                stream.close()
        self._waiter.join(REAP_S)

    def _await_exit(self, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(ChildProcessError):
            if hasattr(os, "waitid"):
                # It stays a zombie, so that its number is its own until all is ended.
                os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
            else:
                self._process.wait()
        with suppress(RuntimeError):  # The loop was closed meanwhile.
            loop.call_soon_threadsafe(self._exited.set)


class _Drain:
    """Takes what comes out of a pipe, up to a number of bytes."""

    def __init__(self, pipe: int, size_max: int, overflowed: asyncio.Event) -> None:
        self.data = bytearray()
        self.is_done = asyncio.Event()
        self._pipe = pipe
        self._size_max = size_max
        self._overflowed = overflowed
        self._loop = asyncio.get_running_loop()
        os.set_blocking(pipe, False)
        self._loop.add_reader(pipe, self._take)

    def close(self) -> None:
        """Take nothing more."""
        if not self.is_done.is_set():
            self._loop.remove_reader(self._pipe)
            self.is_done.set()

    def _take(self) -> None:
        try:
            chunk = os.read(self._pipe, CHUNK_BYTES)
        except BlockingIOError:
            return
        room = self._size_max - len(self.data)
        self.data += chunk[:room]
        if len(chunk) > room:
            self._overflowed.set()
        if not chunk or len(chunk) > room:
            self.close()


async def _wait_any(timeout_s: float, *events: asyncio.Event) -> None:
    """Wait until one of ``events`` is set, but no longer than ``timeout_s``."""
    waiters = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waiters, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for waiter in waiters:
            waiter.cancel()
