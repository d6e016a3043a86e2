"""``docs/format.md`` against the code: what it states is what is read and written."""

import re
from hashlib import sha256
from pathlib import Path

import pytest
from blake3 import blake3

from ledger.artifact import LISTING, WTF8
from ledger.canonical import DEPTH_MAX
from ledger.codec import CODEC, EVENT_SIZE_MAX
from ledger.log import ROW_SIZE_MAX
from ledger.merkle import TILE_WIDTH
from ledger.outcomes import Cause, Verdict
from ledger.stores import tables

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "format.md").read_text("utf-8")


def section(title):
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_the_event_on_the_page_has_the_address_and_the_leaf_that_stand_below_it():
    (line,) = re.findall(r"^```json golden\n(.*)\n```$", PAGE, re.MULTILINE)
    data = line.encode()
    assert f"of these {len(data)} bytes" in PAGE
    assert f"`blake3:{blake3(data).hexdigest()}`" in PAGE
    leaf = sha256(b"\0" + data).hexdigest()
    assert f"`{leaf}`" in PAGE
    assert CODEC.encode(CODEC.decode_exactly(data)) == data


@pytest.mark.parametrize("word", [*Verdict, *Cause])
def test_each_verdict_and_cause_is_on_the_page(word):
    assert f"`{word.value}`" in section("Verdicts")


def test_no_other_verdict_or_cause_is_on_the_page():
    first_cells = re.findall(r"^\| (`[^|]*`) \|", section("Verdicts"), re.MULTILINE)
    words = {word for cell in first_cells for word in re.findall(r"`(\w+)`", cell)}
    assert words == {word.value for word in (*Verdict, *Cause)} | {"verdict", "cause"}


@pytest.mark.parametrize("table", tables.metadata.tables.values(), ids=lambda table: table.name)
def test_each_table_is_on_the_page_with_its_columns_in_order(table):
    rows = re.findall(rf"^\| `{table.name}` \| (.*) \|$", section("The database"), re.MULTILINE)
    assert len(rows) == 1
    places = [rows[0].find(f"`{column.name}`") for column in table.columns]
    assert min(places) >= 0
    assert places == sorted(places)


def test_the_page_speaks_of_these_tables_and_this_revision_alone():
    named = re.findall(r"^\| `(\w+)` \|", section("The database"), re.MULTILINE)
    assert set(named) == set(tables.metadata.tables)
    assert f"schema revision {tables.REVISION} " in section("The database")


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Canonical JSON", f"at most {DEPTH_MAX} deep"),
        ("Artifacts", f"Up to {ROW_SIZE_MAX:,} bytes"),
        ("Artifacts", f"`{WTF8}`"),
        ("Listings", f"`{LISTING}`"),
        ("Events", f"at most {EVENT_SIZE_MAX:,} bytes"),
        ("The tree", f"is {TILE_WIDTH} hashes side by side"),
        ("The tree", f"{TILE_WIDTH * 32:,} bytes each"),
    ],
)
def test_a_limit_on_the_page_is_that_of_the_code(title, text):
    assert text in section(title)


@pytest.mark.parametrize("title", ["Addresses", "Canonical JSON", "Verdicts", "Suites"])
def test_a_section_that_docstrings_name_is_there(title):
    assert section(title)
