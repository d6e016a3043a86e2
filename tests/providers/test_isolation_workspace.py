import os
import re
import stat
import sys
import threading
from pathlib import Path

import pytest

from ledger.errors import FaultyInput
from providers.isolation import open_workspace
from providers.isolation.files import walk_files
from providers.isolation.listing import format_listing, show_name
from providers.isolation.workspace import PASSED_ON
from providers.vault import Vault
from tests.providers.processes import make_input, run

PART_NAME = re.compile(r"[a-z0-9_.-]+")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A current folder and a home in which nobody else writes."""
    folders = tmp_path / "here", tmp_path / "home"
    for folder in folders:
        folder.mkdir()
    monkeypatch.chdir(folders[0])
    monkeypatch.setenv("HOME", str(folders[1]))
    return folders[0]


@pytest.fixture
def workspace():
    with open_workspace((make_input("report.txt"), make_input("data/a.csv"))) as opened:
        yield opened


def test_the_working_directory_holds_the_inputs_and_nothing_else(workspace):
    found, is_whole = walk_files(workspace.folder)
    assert ([item.path for item in found], is_whole) == (["data/a.csv", "report.txt"], True)
    assert (workspace.folder / "data/a.csv").read_bytes() == b"1\n2\n"
    assert list(workspace.home.iterdir()) == []


def test_nobody_else_may_enter_a_workspace(workspace):
    assert stat.S_IMODE(workspace.folder.parent.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("path", ["../a", "/etc/a", "a/../../b", "", ".", "a//b", "a\0b", "a/"])
def test_an_input_outside_the_working_directory_is_refused(path):
    with pytest.raises(FaultyInput, match="is no path below"), open_workspace((make_input(path),)):
        pass


def test_two_trials_do_not_see_each_others_files():
    with open_workspace(()) as first, open_workspace(()) as second:
        code = "import os; open('mine', 'w').close(); print(os.listdir(), os.listdir('..'))"
        assert run(first, code).stdout == run(second, code).stdout
        assert first.folder != second.folder


def test_the_environment_holds_what_is_allowed_and_nothing_of_the_users(workspace, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "correct horse battery")
    vault = Vault({**os.environ, "LC_ALL": "C", "MY_KEY": "allowed key", "EDITOR": "vi"})
    environment = workspace.environment(vault, ["MY_KEY", "NOT_SET"], {"EXTRA": "1"})
    assert not {"SECRET_TOKEN", "EDITOR", "NOT_SET"} & environment.keys()
    assert (environment["LC_ALL"], environment["EXTRA"]) == ("C", "1")
    assert environment["MY_KEY"] == "allowed key"


def test_a_process_gets_its_environment_alone(workspace, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "correct horse battery")
    names = set(eval(run(workspace, "import os; print(list(os.environ))").stdout))
    own = {"HOME", "TMPDIR", "SESSION_TAG"} | {name for name in names if name[:4] == "XDG_"}
    assert names - own <= PASSED_ON | {"LC_ALL", "LC_CTYPE"}
    assert "SECRET_TOKEN" not in names


def test_every_place_of_a_session_lies_in_its_workspace(workspace):
    environment = workspace.environment(Vault(os.environ), ["HOME", "TMPDIR"], {})
    places = [environment[name] for name in environment if name.startswith(("HOME", "TMP", "XDG_"))]
    assert len(places) == 7
    assert all(Path(place).is_relative_to(workspace.folder.parent) for place in places)


def test_no_program_is_found_among_the_inputs(workspace):
    vault = Vault({"PATH": f".:bin::{Path(sys.executable).parent}"})
    assert workspace.environment(vault, [], {})["PATH"] == str(Path(sys.executable).parent)


def test_a_session_that_only_reads_is_not_noted(workspace):
    run(workspace, "print(open('report.txt').read())")
    assert workspace.find_escapes() == ()


@pytest.mark.parametrize(
    ("code", "note"),
    [
        ("open('report.txt', 'a').write('3')", "input report.txt was changed"),
        ("open('report.txt', 'w').write('3\\n4\\n')", "input report.txt was changed"),
        ("os.remove('data/a.csv')", "input data/a.csv was deleted"),
        ("shutil.rmtree('data')", "input data/a.csv was deleted"),
        (
            "os.remove('report.txt'); os.symlink('/etc/passwd', 'report.txt')",
            "input report.txt was replaced, or can no longer be read",
        ),
        (
            "os.remove('report.txt'); os.mkfifo('report.txt')",
            "input report.txt was replaced, or can no longer be read",
        ),
        ("open('b.txt', 'w').write('x')", "left in the working directory: b.txt (1 byte)"),
        (
            "os.makedirs('out/deep'); open('out/deep/c', 'w').write('xyz')",
            "left in the working directory: out/deep/c (3 bytes)",
        ),
        ("os.symlink('/etc', 'x')", "left in the working directory: x (symbolic link)"),
        ("os.mkfifo('x')", "left in the working directory: x (no regular file)"),
        (
            "open(b'\\xff\\n\\x1b[1m', 'w').close()",
            "left in the working directory: \\xff\\n\\x1b[1m (0 bytes)",
        ),
        ("open('../x', 'w').close()", "written outside the working directory: ../x"),
        ("os.mkdir('../../y')", "written outside the working directory: ../../y"),
    ],
)
def test_what_a_session_did_is_noted(workspace, code, note):
    assert run(workspace, f"import os, shutil\n{code}").stderr == b""
    assert workspace.find_escapes() == (note,)


def test_an_input_whose_folder_became_a_link_was_deleted(workspace, tmp_path):
    (tmp_path / "a.csv").write_bytes(b"1\n2\n")
    run(
        workspace,
        f"import os, shutil\nshutil.rmtree('data')\nos.symlink({str(tmp_path)!r}, 'data')",
    )
    assert workspace.find_escapes()[0] == "input data/a.csv was deleted"


def test_many_files_are_counted_and_not_listed(workspace):
    run(workspace, "for n in range(25): open(f'{n:02}', 'w').close()")
    (note,) = workspace.find_escapes()
    assert note.count("bytes") == 20
    assert note.endswith("19 (0 bytes), and 5 more")


def test_many_changed_inputs_are_counted_and_not_listed():
    with open_workspace(tuple(make_input(f"{n:02}") for n in range(23))) as workspace:
        run(workspace, "import os\nfor name in os.listdir(): os.remove(name)")
        notes = workspace.find_escapes()
    assert len(notes) == 21
    assert notes[-1] == "and 3 more inputs were changed or deleted"


def test_a_working_directory_that_is_gone_is_noted_by_its_inputs(workspace):
    run(workspace, "import os; os.rename('../work', '../moved')")
    notes = workspace.find_escapes()
    assert "input report.txt was deleted" in notes
    assert "written outside the working directory: ../moved" in notes


def test_what_changes_in_the_users_places_meanwhile_is_noted(here, tmp_path):
    (here / "old.txt").write_text("old")
    (tmp_path / "home/.bashrc").write_text("one")
    with open_workspace(()) as workspace:
        run(workspace, f"open({str(tmp_path / 'home/.bashrc')!r}, 'a').write('two')")
        run(workspace, f"import os; os.remove({str(here / 'old.txt')!r})")
        run(workspace, f"import os; os.mkdir({str(here / 'new')!r})")
        notes = workspace.find_escapes()
    expected = "~/.bashrc, ./new (new), ./old.txt (gone)"
    assert notes == (f"changed outside while this session ran: {expected}",)


def test_what_another_user_of_the_current_folder_does_inside_its_folders_is_not_noted(here):
    (here / "folder").mkdir()
    with open_workspace(()) as workspace:
        (here / "folder/file").write_text("x")
        assert workspace.find_escapes() == ()


def test_new_and_changed_files_are_collected(workspace):
    code = "open('report.txt', 'a').write('3'); open('Out Put.csv', 'w').write('x')"
    run(workspace, code)
    parts = workspace.collect(["*.csv", "*.txt"])
    assert [(part.name, part.data) for part in parts] == [
        ("file.out-put.csv", b"x"),
        ("file.report.txt", b"1\n2\n3"),
    ]


def test_a_pattern_reaches_into_folders(workspace):
    run(workspace, "import os; os.mkdir('o'); open('o/b.csv', 'w').close()")
    assert [part.name for part in workspace.collect(["*.csv"])] == ["file.o-b.csv"]
    assert workspace.collect(["p/*"]) == ()


def test_each_collected_file_has_a_name_of_its_own_that_a_part_may_have(workspace):
    names = ["A b", "a B", "ä b", "x" * 200, "x" * 201]
    run(workspace, f"for name in {names!r}: open(name, 'w').close()")
    parts = workspace.collect(["*"])
    assert len({part.name for part in parts}) == 5
    assert all(PART_NAME.fullmatch(part.name) for part in parts)


@pytest.mark.parametrize("trap", ["/etc/passwd", "../../../../etc/passwd", "report.txt"])
def test_a_link_is_never_read(workspace, trap):
    run(workspace, f"import os; os.symlink({trap!r}, 'x.csv')")
    assert workspace.collect(["x*"]) == ()
    assert (
        workspace.find_escapes()[-1] == "not collected: x.csv (Too many levels of symbolic links)"
    )


def test_a_folder_behind_a_link_is_never_entered(workspace, tmp_path):
    (tmp_path / "secret.csv").write_text("secret")
    run(workspace, f"import os; os.symlink({str(tmp_path)!r}, 'x')")
    assert workspace.collect(["*"]) == ()
    assert (tmp_path / "secret.csv").exists()


def test_a_named_pipe_does_not_hang_the_reader(workspace):
    run(workspace, "import os; os.mkfifo('x')")
    assert workspace.collect(["x"]) == ()


def test_files_that_are_too_large_are_noted_and_not_collected(workspace):
    run(workspace, "open('a', 'w').write('x' * 60); open('b', 'w').write('x' * 60)")
    assert [part.name for part in workspace.collect(["*"], size_max=100)] == ["file.a"]
    assert "not collected: b (File too large)" in workspace.find_escapes()


def test_more_files_than_an_event_can_name_are_not_collected(workspace):
    run(workspace, "for n in range(66): open(f'{n:02}', 'w').close()")
    assert len(workspace.collect(["*"])) == 64
    assert "not collected: 64 (more than 64), 65 (more than 64)" in workspace.find_escapes()


def test_a_workspace_is_gone_at_the_end_even_when_the_session_made_it_read_only():
    with open_workspace((make_input("data/a.csv"),)) as workspace:
        run(
            workspace, "import os; os.chmod('data/a.csv', 0); os.chmod('data', 0); os.chmod('.', 0)"
        )
        workspace.find_escapes()
    assert not os.path.lexists(workspace.folder.parent.parent)


def test_a_workspace_is_gone_when_the_session_raises():
    with pytest.raises(ZeroDivisionError), open_workspace(()) as workspace:
        raise ZeroDivisionError
    assert not os.path.lexists(workspace.folder.parent.parent)


def test_removing_follows_no_link(tmp_path):
    (tmp_path / "kept").mkdir(mode=0o500)
    with open_workspace(()) as workspace:
        run(workspace, f"import os; os.symlink({str(tmp_path)!r}, 'x'); os.symlink('x', '../y')")
        assert workspace.remove() == ()
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o500


def test_what_cannot_be_removed_is_noted():
    with open_workspace(()) as workspace:
        base = workspace.folder.parent.parent
        moved = base.rename(f"{base}-moved")
        base.symlink_to(moved)
        assert workspace.remove() == (f"the workspace could not be removed: {base}",)
        base.unlink()
        moved.rename(base)
    assert not base.exists()


def test_folders_nested_more_deeply_than_a_path_can_say_are_removed():
    code = "import os\nfor _ in range(3000):\n    os.mkdir('d')\n    os.chdir('d')"
    with open_workspace(()) as workspace:
        assert run(workspace, code).stderr == b""
        assert len(workspace.find_escapes()) == 1
        assert workspace.remove() == ()


def test_a_socket_and_a_pipe_are_removed(workspace):
    run(workspace, "import os, socket; socket.socket(socket.AF_UNIX).bind('s'); os.mkfifo('p')")
    assert workspace.remove() == ()


def test_a_workspace_can_be_looked_after_in_another_thread(workspace):
    thread = threading.Thread(target=workspace.remove)
    thread.start()
    thread.join()
    assert workspace.remove() == ()


def test_a_name_is_shown_in_printable_characters():
    assert show_name("a\udcff\ud800\t€") == "a\\xff\\ud800\\t€"
    assert len(show_name("x" * 500)) == 121


def test_a_listing_that_is_not_whole_says_so():
    assert format_listing("left", ["a"], is_whole=False) == "left: a, and more than 0 more"
