"""One append with a large artifact, and an error at every single system call that it makes."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.setting import open_ledger
from ledger.events import SuiteRegistered
from tests.trials.runs import call_verdict, init_ledger

APPENDER = Path(__file__).with_name("appender.py")
CALLS = (
    "chmod",
    "close",
    "fcntl",
    "fdatasync",
    "flock",
    "fsync",
    "ftruncate",
    "getdents64",
    "link",
    "lseek",
    "mkdir",
    "newfstatat",
    "openat",
    "pread64",
    "pwrite64",
    "rmdir",
    "unlink",
    "write",
)
FULL = ("fsync", "link", "mkdir", "openat", "pwrite64", "write")
"""Calls that a full disk refuses."""
_FAILED_SYNC = re.compile(r"fsync\(\d+<([^>]+)>\) += -1 .*\(INJECTED\)")
_CALL = re.compile(r"(\d+) +([a-z0-9_]+)\((.*)")


def trace(ledger, *options):
    """Append under strace; return exit code, and what the appender and the tracer said."""
    log = ledger.parent / "strace.txt"
    with subprocess.Popen(
        [sys.executable, str(APPENDER), str(ledger)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as appender:
        assert appender.stdout is not None
        assert appender.stdout.readline() == "ready\n"
        tracer = ["strace", "-f", "-y", "-o", str(log), "-p", str(appender.pid), *options]
        with subprocess.Popen(tracer, stderr=subprocess.PIPE, text=True) as strace:
            assert strace.stderr is not None
            said = strace.stderr.readline()
            out, err = appender.communicate("go\n" if "attached" in said else "\n")
    if "attached" not in said:
        pytest.skip(f"strace cannot attach to a process here: {said.strip()}")
    return appender.returncode, out + err, log.read_text()


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """Which calls of one clean append touch the ledger: name, and its number in its thread."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    ledger = init_ledger(tmp_path_factory.mktemp("clean") / "ledger")
    code, said, log = trace(ledger)
    assert (code, said[:10]) == (0, "recorded 0"), said
    numbers: dict[tuple[str, str], int] = {}
    found: set[tuple[str, int]] = set()
    for thread, name, rest in _CALL.findall(log):
        number = numbers[thread, name] = numbers.get((thread, name), 0) + 1
        if str(ledger) in rest:
            found.add((name, number))
    return sorted(found)


def test_the_calls_that_an_append_makes_are_all_tried(counted):
    touched = {name for name, _ in counted}
    # What a process asks of a file without any way to fail in between.
    assert touched - set(CALLS) <= {"fstat", "ioctl", "statx"}


@pytest.mark.parametrize(
    ("name", "error"), [(n, "EIO") for n in CALLS] + [(n, "ENOSPC") for n in FULL]
)
def test_an_append_survives_an_error_at_any_call(tmp_path, counted, name, error):
    numbers = [number for called, number in counted if called == name]
    empty = init_ledger(tmp_path / "empty")
    for number in numbers:
        ledger = tmp_path / "ledger"
        shutil.rmtree(ledger, ignore_errors=True)
        shutil.copytree(empty, ledger)
        inject = f"inject={name}:error={error}:when={number}"
        code, said, log = trace(ledger, "-e", inject)
        place = f"{name} {number} {error}: {said}"
        assert "(INJECTED)" in log, place
        assert code == 0, place
        lines = said.splitlines()
        assert lines[-1].startswith("recorded 0 "), place
        check_whole(ledger, lines[-1].split()[-1], place)
        check_folder_synced(log, place)


def check_whole(ledger, address, place):
    """Check that the one event is there with its bytes, and that nothing is left over."""
    called = call_verdict("--ledger", ledger, "verify")
    assert called.code == 0, place + called.out
    with open_ledger(ledger) as opened:
        (entry,) = opened.ledger.read()
        assert entry.address == address, place
        body = entry.event.body
        assert isinstance(body, SuiteRegistered), place
        assert len(opened.ledger.get(body.manifest.address)) == 100_000, place
    assert len(list(ledger.glob("artifacts/*/*/*"))) == 1, place
    assert list(ledger.glob("staging/*/*.zst")) == [], place


def check_folder_synced(log, place):
    """Check that a folder whose sync failed was synced afterwards, or its entries might be lost."""
    for failed in _FAILED_SYNC.finditer(log):
        if Path(failed[1]).is_dir():
            again = rf"fsync\(\d+<{re.escape(failed[1])}>\) += 0"
            assert re.search(again, log[failed.end() :]), place


pytestmark = pytest.mark.slow
