"""What the program does when it cannot write what it has to say."""

import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
def test_an_output_that_is_full_is_an_error_line_and_no_traceback(home):
    program = [sys.executable, "-c", "from cli.main import main; main()"]
    with FULL.open("w") as full:
        done = subprocess.run(
            [*program, "show", "--help"],
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=home,
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: ")
    assert b"Traceback" not in done.stderr
