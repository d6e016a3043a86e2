"""A whole process, measured from its start to its end as the kernel counts it."""

import os
import subprocess
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TAIL_CHARS = 2_000
RSS_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024
"""Of ``ru_maxrss``: getrusage(2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What is started, and with which exit statuses it may end."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    statuses: Collection[int] = (0,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a process took, with all that it started and waited for.

    Attributes:
        wall_s: from its start to its end: interpreter, imports, work, closing.
        cpu_s: of the processor.
        peak_bytes: resident at most, of the largest process.
        status: of its exit.
    """

    wall_s: float
    cpu_s: float
    peak_bytes: int
    status: int


def run_program(program: Program) -> Usage:
    """Run ``program`` to its end; what it prints goes to ``output.txt`` in its folder.

    Raises:
        RuntimeError: it ended with another status; the message has the end of its output.
    """
    output = program.folder / "output.txt"
    with output.open("wb") as file:
        begun = time.perf_counter()
        process = subprocess.Popen(
            program.command,
            cwd=program.folder,
            env=program.environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
        _, waited, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(waited)
    if process.returncode not in program.statuses:
        tail = output.read_text(errors="replace")[-TAIL_CHARS:]
        raise RuntimeError(f"{program.command[:3]}: exit status {process.returncode}\n{tail}")
    return Usage(
        wall_s=wall_s,
        cpu_s=usage.ru_utime + usage.ru_stime,
        peak_bytes=usage.ru_maxrss * RSS_UNIT_BYTES,
        status=process.returncode,
    )
