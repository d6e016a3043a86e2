"""The table of graders, and what identifies one."""

import ast
import importlib
import sys
from pathlib import Path

import pytest

from graders import GRADERS, Evidence, Grader, Key, Member, find_member, identify_grader, registry
from ledger.canonical import format_canonical
from ledger.errors import FaultyInput

FIELDS: dict[str, dict[str, object]] = {
    "amount": {"fact_name": "total", "pattern": "(.*)"},
    "fact_value": {
        "fact_name": "total",
        "extraction_instructions": "Copy.",
        "extraction_schema": {"properties": {"total": {}}},
    },
    "json_schema": {"schema": {"minimum": 0.5}},
    "judge": {"rubric": "PASS."},
    "phrases": {},
    "tool_use": {"tool_kind": "shell", "tool_input_pattern": "python"},
}
READS_THE_WORLD = {"datetime", "io", "os", "pathlib", "random", "secrets", "socket", "time", "uuid"}


def make(name: str) -> Grader:
    return GRADERS[name].factory(FIELDS[name])


def list_imports(module) -> set[str]:
    """Return the full names that the file of ``module`` imports, wherever in it they stand."""
    names = set()
    for node in ast.walk(ast.parse(Path(module.__file__).read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names |= {str(node.module)} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("name", GRADERS)
def test_the_modules_of_a_member_are_all_that_it_uses_of_graders(name):
    modules = {module.__name__ for module in GRADERS[name].modules}
    used = {used for module in GRADERS[name].modules for used in list_imports(module)}
    ours = {name for name in used if name.startswith("graders.") and name in sys.modules}
    assert make(name).__class__.__module__ in modules
    assert {"graders.grader", "ledger.outcomes"} <= modules
    assert ours <= modules


@pytest.mark.parametrize("name", GRADERS)
def test_no_module_of_a_member_reads_the_world(name):
    for module in GRADERS[name].modules:
        roots = {used.partition(".")[0] for used in list_imports(module)}
        assert not roots & READS_THE_WORLD


@pytest.mark.parametrize("name", GRADERS)
def test_a_member_is_a_grader_of_its_name(name):
    grader = make(name)
    evidence = Evidence(case="c", variant="v", answer="", key=Key())
    assert grader.name == name
    assert grader.plan(evidence) == grader.plan(evidence)
    assert {request.role for request in grader.plan(evidence)} == set(grader.roles)
    assert grader.decide(evidence, {}) == grader.decide(evidence, {})


def test_the_graders_that_ask_a_model_are_known():
    asking = {name: make(name).roles for name in GRADERS if make(name).roles}
    assert asking == {"fact_value": ("extractor",), "judge": ("judge",)}
    extracting = {name for name, member in GRADERS.items() if member.is_extracting}
    assert extracting == {"amount", "fact_value"}


@pytest.mark.parametrize("name", GRADERS)
def test_an_identity_has_a_canonical_form(name):
    identity = identify_grader(make(name))
    assert sorted(identity) == ["code", "configuration", "name", "version"]
    assert format_canonical(identity) == format_canonical(identify_grader(make(name)))


def test_a_changed_line_is_another_grader(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "guess.py"
    codes = []
    for line in ("RATE = 1\n", "RATE = 2\n"):
        file.write_text(line)
        modules = (importlib.import_module("guess"),)
        codes.append(registry._hash_code.__wrapped__(modules))
    assert codes[0] != codes[1]


class Offer:
    """An entry point, as ``importlib.metadata`` gives it."""

    value = "guess:MEMBER"

    def __init__(self, member):
        self.member = member

    def load(self):
        return self.member


def offer(monkeypatch, *members):
    monkeypatch.setattr(
        registry,
        "entry_points",
        lambda *, group, name: [
            Offer(member)
            for member in members
            if (group, name) == ("verdict_ledger.graders", "guess")
        ],
    )


def test_a_stranger_s_grader_comes_in_by_entry_point(monkeypatch):
    stranger = Member(factory=GRADERS["phrases"].factory, modules=())
    offer(monkeypatch, stranger)
    assert find_member("guess") is stranger


def test_entry_points_are_not_read_for_a_grader_of_ours(monkeypatch):
    monkeypatch.setattr(registry, "entry_points", None)
    assert find_member("amount") is GRADERS["amount"]


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        (
            [],
            (
                "grader: 'guess' is unknown; there are amount, fact_value, json_schema, judge, "
                "phrases, tool_use"
            ),
        ),
        ([GRADERS["amount"]] * 2, "grader: 'guess' is offered by 2 installed packages"),
        ([dict], "grader: guess:MEMBER is not a graders.Member"),
    ],
)
def test_a_grader_that_cannot_be_found_is_a_fault(monkeypatch, members, fault):
    offer(monkeypatch, *members)
    with pytest.raises(FaultyInput) as refused:
        find_member("guess")
    assert refused.value.faults == (fault,)
