"""The floors hold (CONTRIBUTING.md, "Floors"), and no import hides from the linter that says so."""

import ast
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).parents[1]
PACKAGES = ["ledger", "graders", "providers", "trials", "cli", "migrations"]
TABLES = {"cli/main.py", "providers/registry.py"}
MODULES = sorted(
    path.relative_to(ROOT).as_posix()
    for package in PACKAGES
    for path in (ROOT / package).rglob("*.py")
)

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
IMPORT = (ast.Import, ast.ImportFrom)


def parse(module):
    return ast.parse((ROOT / module).read_text(encoding="utf-8"))


def lines_of_inner_imports(tree):
    functions = (node for node in ast.walk(tree) if isinstance(node, FUNCTION))
    inner = (node for function in functions for node in ast.walk(function))
    return sorted({node.lineno for node in inner if isinstance(node, IMPORT)})


def test_every_contract_of_the_import_linter_is_kept(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True) == EXIT_STATUS_SUCCESS


@pytest.mark.parametrize("module", [module for module in MODULES if module not in TABLES])
def test_no_import_is_inside_a_function(module):
    assert lines_of_inner_imports(parse(module)) == []


@pytest.mark.parametrize("module", MODULES)
def test_no_import_is_for_type_checkers_alone(module):
    names = {node.id for node in ast.walk(parse(module)) if isinstance(node, ast.Name)}
    attributes = {node.attr for node in ast.walk(parse(module)) if isinstance(node, ast.Attribute)}
    assert "TYPE_CHECKING" not in names | attributes


def test_an_import_inside_a_function_would_be_found():
    tree = ast.parse("import os\ndef load():\n    if os:\n        import json\n")
    assert lines_of_inner_imports(tree) == [4]
