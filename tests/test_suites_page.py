"""``docs/suites.md`` has every field of a file, ``docs/graders.md`` every field of a grader."""

import re
from pathlib import Path

import pytest

from graders.fields import GIVEN
from graders.registry import GRADERS
from providers import recorded
from providers.registry import PROVIDERS
from trials.suite.schema import (
    CheckEntry,
    ConfigurationEntry,
    RecordEntry,
    SuiteEntry,
    VariantEntry,
)
from trials.suite.shapes import find_fields

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "suites.md").read_text("utf-8")
GRADERS_PAGE = (DOCS / "graders.md").read_text("utf-8")
MODELS = (
    SuiteEntry,
    VariantEntry,
    CheckEntry,
    RecordEntry,
    ConfigurationEntry,
    recorded._TrialLine,
    recorded._GraderLine,
)


def words_of_first_cells():
    cells = re.findall(r"^\| (`[^|]*) \|", PAGE, re.MULTILINE)
    return {word for cell in cells for word in re.findall(r"`([\w./]+)`", cell)}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_each_field_has_its_row(model):
    assert set(model.model_fields) <= words_of_first_cells()


@pytest.mark.parametrize("name", PROVIDERS)
def test_each_provider_has_its_paragraph(name):
    assert re.search(rf"^\*\*`{name}`\*\* ", PAGE, re.MULTILINE)


@pytest.mark.parametrize("name", GRADERS)
def test_each_grader_has_its_row_and_its_section_with_every_field(name):
    assert f"| **`{name}`** |" in PAGE
    section = re.split(rf"^## `{name}`$", GRADERS_PAGE, flags=re.MULTILINE)[1]
    section = section.split("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", section))
    files = {"rubric": "rubric_file", "schema": "schema_file"}
    fields = {
        info.alias or field for field, info in find_fields(GRADERS[name]).model_fields.items()
    }
    assert {files.get(field, field) for field in fields - GIVEN} <= named
