"""``docs/suites.md`` has every field that a file may have, and no other."""

import re
from pathlib import Path

import pytest

from graders.amount import AmountFields
from graders.phrases import PhrasesFields
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

PAGE = (Path(__file__).parents[1] / "docs" / "suites.md").read_text("utf-8")
MODELS = (
    SuiteEntry,
    VariantEntry,
    CheckEntry,
    RecordEntry,
    ConfigurationEntry,
    AmountFields,
    PhrasesFields,
    recorded._TrialLine,
    recorded._GraderLine,
)
OF_FILES = {"schema_file", "pattern", "occurrence"}
IN_A_FOLDER = {"case.json", "inputs/", "expected_facts.json"}


def words_of_first_cells():
    cells = re.findall(r"^\| (`[^|]*) \|", PAGE, re.MULTILINE)
    return {word for cell in cells for word in re.findall(r"`([\w./]+)`", cell)}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_each_field_has_its_row(model):
    assert set(model.model_fields) <= words_of_first_cells()


def test_no_row_is_about_a_field_that_there_is_not():
    known = {field for model in MODELS for field in model.model_fields}
    assert words_of_first_cells() == known | OF_FILES | IN_A_FOLDER


@pytest.mark.parametrize("name", [*GRADERS, *PROVIDERS])
def test_each_grader_and_provider_has_its_paragraph(name):
    assert re.search(rf"^\*\*`{name}`\*\* ", PAGE, re.MULTILINE)
