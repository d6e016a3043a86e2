"""Survivors: processes of a session that live on when its first process has ended.

1. they are its process group, its session (a shell with job control has many groups), and what
   left both but still has the session's mark in its environment;
2. they are told by ``/proc``. Where there is none, only the group is ended, and not counted;
3. what left the session *and* wiped its environment is not found.

The first process is not waited for before this is done: while it is a zombie, its number is not
given to another process, and so the group's is not either.
"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
ROUNDS_MAX = 20
"""Times that survivors are looked for and ended: one may fork while another is being ended."""
PAUSE_S = 0.02
"""Between two looks; also what a process has that is on its way out by itself."""


def signal_group(leader: int, number: signal.Signals) -> None:
    """Send a signal to the process group of ``leader``, if it has one still."""
    # macOS: a group of zombies alone is not permitted to be signalled.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def end_survivors(leader: int, mark: bytes) -> tuple[int, int]:
    """End all that belongs to a session, its first process included.

    Args:
        leader: number of the first process, which was not waited for yet.
        mark: what stands in the environment of each.

    Returns:
        How many beside the leader were alive, and how many of them are still.
    """
    found = find_survivors(leader, mark)
    if found:
        time.sleep(PAUSE_S)
        found = find_survivors(leader, mark)
    ended = set(found)
    signal_group(leader, signal.SIGKILL)
    for _ in range(ROUNDS_MAX):
        if not found:
            break
        for process in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        time.sleep(PAUSE_S)
        found = find_survivors(leader, mark)
        ended |= found
    return len(ended), len(found)


def find_survivors(leader: int, mark: bytes) -> set[int]:
    """Return the numbers of the living processes of a session, without ``leader``."""
    try:
        names = [path.name for path in PROC.iterdir()]
    except OSError:
        return set()
    numbers = {int(name) for name in names if name.isdigit()} - {leader, os.getpid()}
    return {number for number in numbers if _belongs(number, leader, mark)}


def _belongs(number: int, leader: int, mark: bytes) -> bool:
    """Return whether a process is alive and of the session."""
    home = PROC / str(number)
    try:
        # proc_pid_stat(5): name in parentheses, which may hold any; state, parent, group, session.
        state, _, group, session = (home / "stat").read_bytes().rpartition(b")")[2].split()[:4]
        if state in {b"Z", b"X"}:
            return False
        return leader in {int(group), int(session)} or mark in (home / "environ").read_bytes()
    except (OSError, ValueError):
        return False
