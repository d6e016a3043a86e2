"""The small model's server, started once for all tests that ask it."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# Read before any fixture: that of tests/conftest.py takes this program's variables away.
_HOME = os.environ.get("VERDICT_MODEL_HOME")
_CLIS = os.environ.get("VERDICT_TEST_CLIS")
HOME = Path(_HOME).absolute() if _HOME else None
"""An environment with the server and, as ``model.gguf``, the model."""
CLIS = Path(_CLIS).absolute() if _CLIS else None
"""The folder with the programs ``claude`` and ``codex``."""


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a server that answers."""
    if HOME is None or not (HOME / "model.gguf").is_file():
        pytest.skip("no model here: `make test-model` installs it and says where it is")
    command = [HOME / "bin" / "python", HERE / "serve.py", HOME / "model.gguf"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            assert address, "the server ended before it had an address"
            yield address
        finally:
            process.kill()


@pytest.fixture(scope="session")
def find_cli():
    """From a program's name to its path; a test that needs one that is not here is skipped."""

    def find(name: str) -> str:
        path = None if CLIS is None else CLIS / name
        if path is None or not path.exists():
            pytest.skip(f"no {name} here: `make test-model` installs it where there is npm")
        return str(path)

    return find
