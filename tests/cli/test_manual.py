"""``docs/cli.md`` is what the help texts say, and every command has its place in it."""

import click
import pytest

from cli import manual
from cli.main import COMMANDS, verdict
from tests.cli.program import ROOT, call

PAGE = (ROOT / "docs" / "cli.md").read_text("utf-8")
FILES = {path.stem for path in (ROOT / "cli").glob("*.py")}


def test_the_page_is_what_the_help_texts_say():
    assert manual.format_manual() == PAGE, "run 'make docs'"
    assert manual.main(["--check"]) == 0


def test_a_page_that_is_behind_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(manual, "PAGE", tmp_path / "cli.md")
    assert manual.main(["--check"]) == 1
    assert capsys.readouterr().err.endswith("run 'make docs'\n")
    assert manual.main([]) == 0
    assert manual.main(["--check"]) == 0


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
