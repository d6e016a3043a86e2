import os

import pytest

from graders import GRADERS
from ledger.errors import FaultyInput
from tests.trials.bad_suites import ALL
from tests.trials.judges import JUDGE
from tests.trials.suites import Draft
from trials.suite import folder, load_suite


@pytest.fixture(autouse=True)
def asking(monkeypatch):
    """A grader that asks a judge."""
    monkeypatch.setitem(GRADERS, "one_word", JUDGE)


def refuse(folder_path):
    with pytest.raises(FaultyInput) as refused:
        load_suite(folder_path)
    return list(refused.value.faults)


@pytest.mark.parametrize(("edit", "line"), ALL.values(), ids=ALL)
def test_a_fault_is_said_with_file_and_field(tmp_path, edit, line):
    draft = Draft()
    edit(draft)
    faults = refuse(draft.write(tmp_path))
    assert [fault for fault in faults if fault.startswith(line)], faults
    assert all("\n" not in fault for fault in faults)


@pytest.mark.parametrize("schema", ['{"type": 5}', "[]", "{", None])
def test_a_fault_of_the_extraction_is_said_once_for_all_checks(tmp_path, schema):
    draft = Draft()
    check = draft.suite["checks"][0]
    check.pop("pattern")
    draft.suite["checks"] = [check | {"check_name": f"c{number}"} for number in range(3)]
    draft.suite["fact_extraction"] = {"instructions_file": "i.md", "schema_file": "f.json"}
    draft.files |= {"i.md": "Copy."} | ({"f.json": schema} if schema else {})
    (fault,) = refuse(draft.write(tmp_path))
    assert fault.startswith(("eval_suite.json: fact_extraction.schema_file: ", "f.json: "))


def test_an_extraction_without_a_file_is_no_fault_of_its_checks(tmp_path):
    draft = Draft()
    draft.suite["checks"][0].pop("pattern")
    draft.suite["fact_extraction"] = {"instructions_file": "i.md"}
    draft.files["i.md"] = "Copy."
    assert refuse(draft.write(tmp_path)) == [
        "eval_suite.json: fact_extraction.schema_file: is missing; add it"
    ]


def test_a_folder_without_a_suite_is_refused(tmp_path):
    assert "holds no suite" in refuse(tmp_path)[0]


def test_two_suite_files_in_one_folder_are_refused(tmp_path):
    Draft().write(tmp_path)
    (tmp_path / "eval_suite.yml").write_text("{}")
    assert "eval_suite.json and eval_suite.yml; keep one" in refuse(tmp_path)[0]


def test_a_suite_that_is_not_there_is_refused(tmp_path):
    assert refuse(tmp_path / "eval_suite.json") == [
        "eval_suite.json: eval_suite.json is missing; add it or correct the path"
    ]
    assert "is neither a folder nor" in refuse(tmp_path / "none")[0]


@pytest.mark.parametrize("target", ["../outside.md", "plain.md"])
def test_a_symbolic_link_is_refused_wherever_it_leads(tmp_path, target):
    draft = Draft()
    draft.variant(prompt_file="prompts/link.md")
    draft.write(tmp_path / "suite")
    (tmp_path / "suite" / "outside.md").write_text("{{question}}")
    (tmp_path / "suite" / "prompts" / "link.md").symlink_to(target)
    assert refuse(tmp_path / "suite") == [
        (
            "eval_suite.json: variants[0].prompt_file: prompts/link.md is a symbolic link; put the "
            "file itself there"
        )
    ]


def test_a_link_on_the_way_to_a_file_is_refused(tmp_path):
    draft = Draft()
    draft.variant(prompt_file="way/plain.md")
    draft.write(tmp_path)
    (tmp_path / "way").symlink_to("prompts")
    assert "way is a symbolic link" in refuse(tmp_path)[0]


def test_a_link_among_the_inputs_is_refused(tmp_path):
    Draft().write(tmp_path)
    (tmp_path / "cases/june/inputs/key").symlink_to("../expected_facts.json")
    assert refuse(tmp_path)[0].startswith("cases/june/inputs/key: cases/june/inputs/key is a symb")


def test_a_folder_of_inputs_that_leads_back_into_itself_is_refused(tmp_path):
    Draft().write(tmp_path)
    (tmp_path / "cases/june/inputs/again").symlink_to(".")
    assert refuse(tmp_path) == [
        (
            "cases/june/inputs/again: cases/june/inputs/again is a symbolic link; put the file "
            "itself there"
        )
    ]


def test_a_suite_file_that_is_a_link_is_refused(tmp_path):
    Draft().write(tmp_path)
    (tmp_path / "eval_suite.json").rename(tmp_path / "elsewhere.json")
    (tmp_path / "eval_suite.json").symlink_to("elsewhere.json")
    assert "is a symbolic link" in refuse(tmp_path)[0]


def test_a_hard_link_of_the_prompt_among_the_inputs_is_refused(tmp_path):
    Draft().write(tmp_path)
    (tmp_path / "cases/june/inputs/p.txt").hardlink_to(tmp_path / "prompts/plain.md")
    assert refuse(tmp_path) == [
        (
            "eval_suite.json: variants[0].prompt_file: prompts/plain.md is the same as "
            "cases/june/inputs/p.txt, one of the inputs of case 'june', where every trial would "
            "read it; move it out"
        )
    ]


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path):
    Draft().write(tmp_path)
    os.mkfifo(tmp_path / "cases/june/inputs/pipe")
    assert refuse(tmp_path) == [
        "cases/june/inputs/pipe: cases/june/inputs/pipe is not a regular file"
    ]


def test_an_input_name_that_is_not_utf8_is_refused(tmp_path):
    Draft().write(tmp_path)
    try:
        (tmp_path / os.fsdecode(b"cases/june/inputs/\xff.txt")).write_text("x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert "the name is not printable UTF-8; rename it" in refuse(tmp_path)[0]


def test_a_file_above_the_bound_is_refused(tmp_path):
    Draft().write(tmp_path)
    with (tmp_path / "cases/june/inputs/log.txt").open("r+b") as stream:
        stream.truncate(folder.FILE_BYTES_MAX + 1)
    assert refuse(tmp_path) == [
        "cases/june/inputs/log.txt: cases/june/inputs/log.txt is larger than 67108864 bytes"
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_a_fault(tmp_path):
    Draft().write(tmp_path)
    (tmp_path / "prompts/plain.md").chmod(0)
    assert "cannot be read: Permission denied" in refuse(tmp_path)[0]


def test_an_empty_file_may_be_an_input_and_a_key(tmp_path):
    draft = Draft()
    draft.files |= {"cases/june/case.json": "{}", "cases/june/inputs/e.json": "{}"}
    draft.files |= {"prompts/plain.md": "Sum.", "cases/july/case.json": "{}"}
    assert len(load_suite(draft.write(tmp_path)).cases) == 2


def test_a_copy_of_a_prompt_among_the_inputs_is_refused(tmp_path):
    Draft().write(tmp_path)
    prompt = (tmp_path / "prompts/plain.md").read_bytes()
    (tmp_path / "cases/june/inputs/p.bin").write_bytes(prompt)
    assert any("is the same as cases/june/inputs/p.bin" in line for line in refuse(tmp_path))
