"""Where the ledger is: found, made, refused, upgraded."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from ledger.checkpoint import parse_verifier
from tests.cli.program import call, write_suite

ABSENT = (
    "no .verdict/ here or above: make one with 'verdict init', or name one with --ledger or "
    "VERDICT_LEDGER"
)
COMMANDS = (
    ["scorecard"],
    ["show", "abcd"],
    ["trace", "abcd"],
    ["replay", "abcd"],
    ["verify"],
    ["checkpoint"],
    ["prove", "abcd"],
    ["rebuild"],
)


def change_revision(folder, revision):
    with closing(sqlite3.connect(folder / "ledger.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_without_a_ledger_every_command_says_how_to_make_one(arguments):
    assert call(*arguments) == (2, "", f"error: {ABSENT}\n")


def test_a_run_without_a_ledger_writes_nothing(here):
    write_suite(here / "suite")
    assert call("run", "suite", "-c", "good") == (2, "", f"error: {ABSENT}\n")
    assert [path.name for path in here.iterdir()] == ["suite"]


@pytest.mark.usefixtures("here")
def test_a_named_folder_without_a_ledger_is_told_with_the_call_that_makes_one():
    line = "nowhere: no ledger there: make one with 'verdict --ledger nowhere init'"
    assert call("--ledger", "nowhere", "verify") == (2, "", f"error: {line}\n")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("command", ["verify", "init", "demo"])
def test_a_database_url_is_refused_without_repeating_its_password(command):
    done = call("--ledger", "postgresql://ana:secret@host/db", command)
    line = "ledgers live in folders so far, not behind a database URL: name a folder"
    assert done == (2, "", f"error: postgresql: {line}\n")


def test_init_makes_a_ledger_with_a_key_for_its_owner_alone(here):
    done = call("init")
    assert done.code == 0
    assert done.out.startswith("ledger made in .verdict/\n")
    assert (here / ".verdict" / "signing.key").stat().st_mode & 0o777 == 0o600
    assert call("verify").code == 0


@pytest.mark.usefixtures("here")
def test_init_for_programs_tells_folder_and_key():
    made = call("--ledger", "l", "init", "--origin", "example.com/log", "--json").json()
    assert made["folder"] == "l"
    assert parse_verifier(made["vkey"]).name == "example.com/log"


@pytest.mark.usefixtures("home")
def test_init_leaves_a_ledger_that_is_there_alone():
    line = ".verdict: there is a ledger already; use it, or name another folder"
    assert call("init") == (2, "", f"error: {line}\n")


def test_init_leaves_a_key_without_a_ledger_alone(home):
    (home / ".verdict" / "ledger.db").unlink()
    key = (home / ".verdict" / "signing.key").read_bytes()
    done = call("init")
    assert done.code == 2
    assert done.err.startswith("error: .verdict: there is a signing key and no ledger: ")
    assert (home / ".verdict" / "signing.key").read_bytes() == key


@pytest.mark.usefixtures("here")
def test_an_origin_that_cannot_name_a_log_is_refused_before_anything_is_made(here):
    done = call("init", "--origin", "two words")
    assert done.code == 2
    assert done.err.startswith("error: 'two words' cannot name a log: ")
    assert list(here.iterdir()) == []


def test_a_file_where_the_ledger_should_go_is_no_traceback(here):
    (here / "file").write_text("")
    done = call("--ledger", "file", "init")
    assert done == (2, "", "error: file: a file is in the way: name another folder\n")
    below = call("--ledger", "file/below", "init")
    assert below == (2, "", "error: file/below: a file is in the way: name another folder\n")


def test_the_option_goes_before_the_variable_and_the_variable_before_the_nearest_folder(
    here, monkeypatch
):
    folders = {"option": "o", "variable": "v", "nearest": ".verdict"}
    vkeys = {
        name: call("--ledger", folder, "init", "--json").json()["vkey"]
        for name, folder in folders.items()
    }
    (here / "deep" / "down").mkdir(parents=True)
    monkeypatch.chdir(here / "deep" / "down")
    assert call("checkpoint", "--json").json()["vkey"] == vkeys["nearest"]
    monkeypatch.setenv("VERDICT_LEDGER", str(here / "v"))
    assert call("checkpoint", "--json").json()["vkey"] == vkeys["variable"]
    done = call("--ledger", here / "o", "checkpoint", "--json")
    assert done.json()["vkey"] == vkeys["option"]


def test_init_goes_where_the_variable_says(here, monkeypatch):
    monkeypatch.setenv("VERDICT_LEDGER", "there")
    assert call("init").out.startswith("ledger made in there/\n")
    assert [path.name for path in here.iterdir()] == ["there"]


@pytest.mark.parametrize("command", ["verify", "checkpoint", "scorecard"])
def test_another_schema_is_refused_with_the_call_that_upgrades_it(home, command):
    change_revision(home / ".verdict", "0000")
    done = call("--ledger", ".verdict", command)
    assert done.code == 2
    assert done.err == (
        "error: .verdict/ledger.db: schema 0000, this program reads 0001: run 'verdict --ledger "
        ".verdict init --upgrade' (with a newer program if the schema is newer)\n"
    )


@pytest.mark.usefixtures("home")
def test_an_upgrade_of_a_ledger_that_is_up_to_date_changes_nothing():
    assert call("init", "--upgrade") == (0, ".verdict: up to date already\n", "")
    assert call("init", "--upgrade", "--json").json() == {"folder": ".verdict", "upgraded": False}


def test_a_file_that_is_no_database_is_damage_and_no_traceback(home):
    (home / ".verdict" / "ledger.db").write_bytes(b"not a database, but long enough" * 40)
    done = call("verify")
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert len(done.err.splitlines()) == 1


def test_a_damaged_key_signs_nothing_and_is_named(home):
    (home / ".verdict" / "signing.key").write_text("no key")
    done = call("checkpoint")
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert "signing.key: no readable signing key" in done.err
    assert call("verify").code == 1


def test_the_key_of_another_ledger_signs_nothing(home):
    call("--ledger", "other", "init")
    shutil.copy(home / "other" / "signing.key", home / ".verdict" / "signing.key")
    done = call("checkpoint")
    assert done.code == 2
    assert done.err.endswith("the signing key is not the one that the log names\n")
