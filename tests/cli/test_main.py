"""The program as a whole: calls that are refused, start-up, pipes, Ctrl-C."""

import os
import signal
import subprocess
import sys

import pytest

from cli import main as main_module
from cli.main import COMMANDS
from tests.cli.program import ROOT, call, spawn

HEAVY = ("anthropic", "msgspec", "openai", "orjson", "pydantic", "rich", "sqlalchemy", "trials")
UNREADABLE = "is not an address, nor 4 or more hex digits of one"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["frob"], f"No command 'frob'; there are {', '.join(COMMANDS)}: see 'verdict --help'"),
        (["--frob"], "No such option '--frob': see 'verdict --help'"),
        (["run", "--frob", "s"], "No such option '--frob': see 'verdict run --help'"),
        (["run"], "Missing argument 'SUITE': see 'verdict run --help'"),
        (
            ["run", "suite"],
            "Missing option '--configuration' / '-c': see 'verdict run --help'",
        ),
        (["show", "zz"], f"'zz' {UNREADABLE}"),
        (["show", "abc"], f"'abc' {UNREADABLE}"),
        (["show", "ABCD"], f"'ABCD' {UNREADABLE}"),
        (
            ["show", "abcd0"],
            "nothing in this ledger has an address that begins with abcd0",
        ),
        (["scorecard"], "nothing is graded in this ledger yet: see 'verdict run'"),
        (["prove"], "prove: give either the address of an event, or --from SIZE"),
        (
            ["prove", "abcd", "--to", "1"],
            "prove: give either the address of an event, or --from SIZE",
        ),
        (["prove", "--from", "1"], "prove: from 1 to 0: the log has 0 events"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.usefixtures("home")
def test_a_call_that_is_refused_says_why_on_one_line_and_leaves_with_2(arguments, line):
    assert call(*arguments) == (2, "", f"error: {line}\n")


def test_without_a_command_the_help_is_shown():
    done = call()
    assert done.code == 2
    assert all(f"\n  {name} " in done.err for name in COMMANDS)


def test_help_and_version_are_answered_without_a_ledger(here):
    assert call("--help").code == 0
    assert call("-h").out == call("--help").out
    assert call("--version").out.count(".") == 2
    assert list(here.iterdir()) == []


def test_the_help_of_the_program_loads_no_heavy_library():
    code = (
        "import sys\ntry:\n from cli.main import main; main(['--help'])\nexcept SystemExit: pass\n"
    )
    code += f"print('loaded', sorted(set(sys.modules) & set({HEAVY!r})))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "loaded []"


def test_each_command_comes_from_the_module_of_its_name():
    assert {name: module for name, (module, _) in COMMANDS.items()} == {
        name: f"cli.{name}" for name in COMMANDS
    }


def test_output_in_a_pipe_has_neither_colours_nor_progress(home):
    done = spawn("run", "suite", "-c", "good", cwd=home, TERM="xterm-256color")
    assert done.code == 0
    assert "\x1b" not in done.out
    assert done.err == ""


def test_a_reader_that_leaves_early_is_told_from_a_gate_that_failed(home):
    call("run", "suite", "-c", "bad")
    program = f"{sys.executable} -c 'from cli.main import main; main()'"
    for command in ("scorecard --failed", "show --raw", "scorecard --format md"):
        address = call("scorecard", "--json").json()["grading"] if "show" in command else ""
        done = subprocess.run(
            ["bash", "-c", f"{program} {command} {address} | true; echo ${{PIPESTATUS[0]}}"],
            cwd=home,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == ""
        assert done.stdout == "141\n"


def test_ctrl_c_says_that_what_is_recorded_stands(monkeypatch):
    def interrupt(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(main_module.verdict, "main", interrupt)
    assert call("scorecard") == (130, "", "stopped; what was recorded stands\n")


def test_ctrl_c_in_the_middle_of_a_run_leaves_a_sound_ledger_and_no_traceback(home):
    program = [sys.executable, "-c", "from cli.main import main; main()", "demo"]
    with subprocess.Popen(
        program,
        cwd=home,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        while process.stdout.readline() != "suite         gsm8k\n":
            pass  # until the first of four runs has ended
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode in (3, 130)
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith(("error: run ", "stopped; "))
    assert call("--ledger", ".demo/gsm8k", "verify").code == 0
