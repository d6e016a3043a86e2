"""What of the docs is made is as the program says, and every command has its place there."""

import dataclasses
import re

import click
import pytest

from cli import manual
from cli.main import COMMANDS, verdict
from ledger.events.registry import KINDS
from tests.cli.program import ROOT, call

PAGE = (ROOT / "docs" / "cli.md").read_text("utf-8")
FORMAT = (ROOT / "docs" / "format.md").read_text("utf-8")
FILES = {path.stem for path in (ROOT / "cli").glob("*.py")}


def test_the_pages_are_what_the_program_says():
    pages = manual.make_pages()
    assert {path: path.read_text("utf-8") for path in pages} == pages, "run 'make docs'"
    assert manual.main(["--check"]) == 0


def test_a_page_that_is_behind_is_told_and_made_again(tmp_path, monkeypatch, capsys):
    text = "before\n<!-- kinds: made by `make docs` -->\nold\n<!-- end -->\nafter\n"
    (tmp_path / "format.md").write_text(text)
    monkeypatch.setattr(manual, "DOCS", tmp_path)
    assert manual.main(["--check"]) == 1
    assert capsys.readouterr().err == (
        "cli.md, format.md: not what the program says: run 'make docs'\n"
    )
    assert manual.main([]) == 0
    assert manual.main(["--check"]) == 0
    made = (tmp_path / "format.md").read_text()
    assert made.startswith("before\n")
    assert made.endswith("\nafter\n")
    assert "old" not in made


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_page_on_the_format_has_each_field_of_the_kind(kind):
    section = FORMAT.partition(f"\n### {kind.KIND}, version {kind.V}\n")[2].partition("\n### ")[0]
    named = re.findall(r"^\| `(\w+)` \| [a-z]", section.partition("<!-- end -->")[0], re.MULTILINE)
    assert named == sorted(field.name for field in dataclasses.fields(kind))


def test_a_type_that_the_page_has_no_word_for_is_refused():
    with pytest.raises(TypeError, match="the page has no word for this type"):
        manual.name_form(float)


def commands_defined():
    texts = {name: (ROOT / "cli" / f"{name}.py").read_text("utf-8") for name in FILES}
    return {name for name, text in texts.items() if "\n@click.command(" in text}


def test_every_command_is_in_the_table():
    assert commands_defined() == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_has_help_for_itself_and_for_each_option(name):
    command = verdict.get_command(click.Context(verdict), name)
    assert command is not None
    assert command.help
    assert command.help.strip()
    options = [param for param in command.params if param.param_type_name == "option"]
    assert [option.name for option in options if not option.help] == []
    assert f"\n## verdict {name}\n" in PAGE
    assert call(name, "--help").code == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_in_the_list_is_one_sentence(name):
    text = COMMANDS[name][1]
    assert text.endswith(".")
    assert len(text) <= 80
