"""Programs in the place of Claude Code and Codex, and those programs themselves where they are.

A stand-in writes a recorded stream and tells, in a file outside its workspace, how it was called.
"""

import json
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ledger.canonical import JsonObject
from providers.provider import Limits, SessionRequest, TrialPlace
from providers.setup import Setup
from providers.vault import Vault

CLIS = os.environ.get("VERDICT_TEST_CLIS")
"""A folder with the programs; read before the tests are kept apart from the environment."""

_SCRIPT = """#!{python} -IS
import json, os, sys, time
if "--version" in sys.argv:
    open({folder!r} + "/asked", "a").write("x")
    sys.exit(print("9.9.9 (stand-in)"))
def list_files(top):
    return sorted(os.path.relpath(os.path.join(at, name), top)
                  for at, _, names in os.walk(top) for name in names)
told = {{
    "argv": sys.argv[1:], "environment": dict(os.environ), "stdin": sys.stdin.read(),
    "folder": list_files("."), "cwd": os.getcwd(), "home": list_files(os.environ["HOME"]),
}}
for flag in ("--system-prompt-file", "--output-schema"):
    if flag in sys.argv:
        told[flag] = open(sys.argv[sys.argv.index(flag) + 1]).read()
json.dump(told, open({folder!r} + "/told.json", "w"))
sys.stdout.buffer.write(open({folder!r} + "/stream", "rb").read())
sys.stdout.flush()
{code}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """A program below ``folder``; ``setting`` is what a configuration calls it."""

    folder: Path

    @property
    def setting(self) -> str:
        return str(self.folder / "program")

    @property
    def told(self) -> dict[str, Any]:
        """Return how it was called."""
        document: dict[str, Any] = json.loads((self.folder / "told.json").read_text())
        return document

    @property
    def versions_asked(self) -> int:
        return (self.folder / "asked").stat().st_size


def make_stand_in(folder: Path, stream: bytes, code: str = "") -> StandIn:
    """Return a program that writes ``stream`` and then runs ``code``."""
    folder.mkdir()
    (folder / "stream").write_bytes(stream)
    program = folder / "program"
    program.write_text(_SCRIPT.format(python=sys.executable, folder=str(folder), code=code))
    program.chmod(0o700)
    return StandIn(folder=folder)


def find_cli(name: str) -> str:
    """Return the path of the program itself, or skip the test."""
    path = os.pathsep.join(filter(None, [CLIS, os.environ["PATH"]]))
    found = shutil.which(name, path=path)
    if found is None:
        pytest.skip(f"{name} is not installed; VERDICT_TEST_CLIS may name the folder that has it")
    return found


def make_setup(
    program: str, environment: dict[str, str] | None = None, *, tools=(), effort=None, **settings
) -> Setup:
    own: JsonObject = {"program": program, **settings}
    variables = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], **(environment or {})}
    return Setup(
        name="c", model="m-1", effort=effort, tools=tools, settings=own, vault=Vault(variables)
    )


def make_request(**fields) -> SessionRequest:
    place = TrialPlace("the-case", "the-variant", 7)
    defaults: dict[str, Any] = {
        "place": place,
        "prompt": "What is 17 + 25?",
        "model": "m-1",
        "effort": None,
        "limits": Limits(deadline_s=60),
    }
    return SessionRequest(**{**defaults, **fields})


@contextmanager
def refuse_everybody() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Serve HTTP 401 on this machine; the address, and the bodies of the requests as they come."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(401)
            self.end_headers()

        def log_request(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


def read_process(result) -> dict[str, Any]:
    """Return the part that says how a program was run."""
    [data] = [part.data for part in result.parts if part.name == "process"]
    document: dict[str, Any] = json.loads(data)
    return document
