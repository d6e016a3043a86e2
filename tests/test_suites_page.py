"""Every field has its row on the page about it.

``docs/suites.md`` has those of files, ``docs/graders.md`` those of graders, ``docs/providers.md``
the providers, and the form of a line of recorded answers.
"""

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
    LimitsEntry,
    PriceEntry,
    RecordEntry,
    SuiteEntry,
    TranscriptEntry,
    VariantEntry,
)
from trials.suite.shapes import find_fields

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "suites.md").read_text("utf-8")
PROVIDERS_PAGE = (DOCS / "providers.md").read_text("utf-8")
GRADERS_PAGE = (DOCS / "graders.md").read_text("utf-8")
MODELS = (
    SuiteEntry,
    VariantEntry,
    CheckEntry,
    RecordEntry,
    ConfigurationEntry,
    LimitsEntry,
    PriceEntry,
    TranscriptEntry,
)
LINES = (recorded._TrialLine, recorded._GraderLine)


def words_of_first_cells(page):
    cells = re.findall(r"^\| (`[^|]*) \|", page, re.MULTILINE)
    return {word for cell in cells for word in re.findall(r"`([\w./]+)`", cell)}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_each_field_of_a_file_has_its_row(model):
    assert set(model.model_fields) <= words_of_first_cells(PAGE)


@pytest.mark.parametrize("model", LINES, ids=lambda model: model.__name__)
def test_each_field_of_a_recorded_answer_has_its_row(model):
    assert set(model.model_fields) <= words_of_first_cells(PROVIDERS_PAGE)


@pytest.mark.parametrize("name", PROVIDERS)
def test_each_provider_has_its_paragraph(name):
    assert re.search(rf"^\*\*`{name}`\*\* ", PROVIDERS_PAGE, re.MULTILINE)


@pytest.mark.parametrize("page", [PAGE, PROVIDERS_PAGE], ids=["suites", "providers"])
def test_a_link_between_the_two_pages_leads_to_a_heading(page):
    pages = {"suites.md": PAGE, "providers.md": PROVIDERS_PAGE, "": page}
    for name, anchor in re.findall(r"\]\((suites\.md|providers\.md|)#([\w-]+)\)", page):
        headings = re.findall(r"^#+ (.*)$", pages[name], re.MULTILINE)
        assert anchor in {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in headings}


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
