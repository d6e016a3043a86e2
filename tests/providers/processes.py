"""What the tests of isolated sessions share: programs in Python, run in a workspace."""

import asyncio
import os
import sys
import time
from pathlib import Path

from ledger.digest import compute_digest
from providers.isolation import Ending, Workspace, run_process
from providers.provider import InputFile
from providers.vault import Vault


def make_input(path: str, data: bytes = b"1\n2\n") -> InputFile:
    return InputFile(path, compute_digest(data), data)


async def run_python(
    workspace: Workspace, code: str, *, stdin: bytes = b"", deadline_s: float = 20, **options
) -> Ending:
    """Run ``code`` in ``workspace``."""
    environment = workspace.environment(Vault(os.environ), [], {})
    return await run_process(
        [sys.executable, "-ISc", code],
        workspace=workspace,
        environment=environment,
        stdin=stdin,
        deadline_s=deadline_s,
        **options,
    )


def run(workspace: Workspace, code: str, **options) -> Ending:
    return asyncio.run(run_python(workspace, code, **options))


def is_alive(number: int) -> bool:
    """Return whether a process runs; a zombie that nobody has waited for yet does not."""
    try:
        return Path(f"/proc/{number}/stat").read_bytes().rpartition(b")")[2].split()[0] not in b"ZX"
    except OSError:
        return False


async def read_number(path: Path) -> int:
    """Return the number that a session writes to ``path``, as soon as it is there."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        text = _read(path)
        if text.endswith("\n"):
            return int(text)
        await asyncio.sleep(0.01)
    raise AssertionError(f"{path} was not written")


def _read(path: Path) -> str:
    return path.read_text() if path.is_file() else ""
