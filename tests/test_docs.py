"""What the docs say is run: each ``$ verdict …`` of a page, and each example of a docstring.

In a ``console`` block of ``README.md`` or ``docs/*.md``:

1. a command that begins with ``$ verdict`` or ``$ python`` is run, the commands of a page in order
   and in one folder; other commands, and what they print, are for the reader alone;
2. where a command's output is shown, it must be the output; where none is shown, any will do;
3. in shown output ``…`` or ``...`` stands for any text of a line, alone on a line for any lines;
4. a command must exit with 0, unless ``$ echo $?`` comes next and shows another status;
5. the word ``ADDRESS`` in a command stands for the first short address at the beginning of a line
   of what was printed before.

A block whose first line is like ``json title=suite/cases.jsonl`` is a file: the files of a page are
in the folder before its first command is run.
"""

import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [page for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))] if page.exists()]
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in ("ledger", "graders", "providers", "trials")
    for path in (ROOT / package).rglob("*.py")
)

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"^```\w+ title=(\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ADDRESS = re.compile(r"^[0-9a-f]{12}\b", re.MULTILINE)
PROGRAMS = ("verdict", "python")
WILDCARD = re.compile(r"\.\.\.|…")
TIMEOUT_S = 120


class Step(NamedTuple):
    """A command of a page and the output shown under it."""

    line: int
    command: str
    shown: list[str]


def parse_steps(text):
    """Return the steps of all console blocks; a command may go on after a final backslash."""
    steps: list[Step] = []
    for block in BLOCK.finditer(text):
        is_open = False
        first = text.count("\n", 0, block.start(1)) + 1
        for line, content in enumerate(block[1].splitlines(), first):
            if is_open:
                steps[-1] = steps[-1]._replace(command=f"{steps[-1].command}\n{content}")
            elif content.startswith("$ "):
                steps.append(Step(line, content.removeprefix("$ "), []))
            elif steps:
                steps[-1].shown.append(content)
            is_open = content.endswith("\\") and (is_open or content.startswith("$ "))
    return steps


def tidy(output):
    """Return the lines of ``output`` without white space at their ends and the output's end."""
    return [line.rstrip() for line in output.rstrip().splitlines()]


def parse_pattern(shown):
    """Return the regular expression that shown output stands for."""
    pattern = ""
    for line in shown:
        if line in ("…", "..."):
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in WILDCARD.split(line)) + r"\n"
    return re.compile(pattern)


def run(command, folder):
    """Return the exit status and what was printed, errors included."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=TIMEOUT_S,
        check=False,
    )
    return done.returncode, done.stdout


def write_files(text, folder):
    """Write the files of a page to ``folder``."""
    for block in FILE.finditer(text):
        path = folder / block[1]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block[2], encoding="utf-8")


def status_shown(steps, index):
    """Return the status that the step after ``index`` shows; 0 where it shows none."""
    after = steps[index + 1] if index + 1 < len(steps) else None
    return int(after.shown[0]) if after and after.command == "echo $?" else 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_verdict_command_of_the_page_does_what_the_page_shows(page, tmp_path):
    text = page.read_text(encoding="utf-8")
    write_files(text, tmp_path)
    address = None
    steps = parse_steps(text)
    for index, step in enumerate(steps):
        if step.command.split()[:1] not in [[program] for program in PROGRAMS]:
            continue
        where = f"{page.name}:{step.line}: {step.command}"
        command = re.sub(r"\bADDRESS\b", address[0] if address else "", step.command)
        status, output = run(command, tmp_path)
        address = ADDRESS.search(output) or address
        assert status == status_shown(steps, index), f"{where}\n{output}"
        if shown := tidy("\n".join(step.shown)):
            expected = "\n".join(shown)
            printed = "".join(f"{line}\n" for line in tidy(output))
            match = parse_pattern(shown).fullmatch(printed)
            assert match, f"{where}\n--- shown\n{expected}\n--- printed\n{printed}"


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_module_are_true(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_a_step_is_a_command_and_what_is_shown_under_it():
    text = "```console\n$ verdict show \\\n    abc\none\ntwo\n$ echo $?\n1\n```\n"
    steps = parse_steps(text)
    assert steps == [
        Step(2, "verdict show \\\n    abc", ["one", "two"]),
        Step(6, "echo $?", ["1"]),
    ]
    assert status_shown(steps, 0) == 1


def test_a_block_with_a_title_is_a_file(tmp_path):
    write_files("```json title=a/b.jsonl\n{}\n```\n\n```json\n[]\n```\n", tmp_path)
    assert (tmp_path / "a" / "b.jsonl").read_text() == "{}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize(
    ("shown", "output", "matches"),
    [
        (["at … passed"], "at 3 of 4 passed\n", True),
        (["at … passed"], "at 3\n4 passed\n", False),
        (["first", "...", "last"], "first\na\nb\nlast\n", True),
        (["first", "...", "last"], "first\nlast\n", True),
        (["1.5"], "1x5\n", False),
        (["a", "", "b"], "a\n\nb\n", True),
        (["first"], "first\nsecond\n", False),
    ],
)
def test_a_wildcard_stands_for_text_of_a_line_or_for_lines(shown, output, matches):
    assert bool(parse_pattern(shown).fullmatch(output)) is matches
