"""The expense example: every reference amount, counted again from the log as it is written.

The log is read here by a parser of its own, and the totals are added up here too, so that neither
the ledger of the example nor ``graders.reference`` is its own witness.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations
from pathlib import Path

import pytest

from graders.reference import (
    Reference,
    ReferenceEntry,
    ReferenceTotal,
    list_policies,
    sum_total,
)
from graders.schemas import DRAFTS

EXAMPLE = Path(__file__).parents[2] / "examples" / "expense_analysis"
CASE = EXAMPLE / "cases" / "june_august_2026"
KEYS = {"revised": CASE, "first": EXAMPLE / "first_key" / "june_august_2026"}
FINDINGS = {
    "revised": EXAMPLE / "grading" / "rubrics" / "three_supported_findings.md",
    "first": EXAMPLE / "grading" / "rubrics" / "three_supported_findings.first_key.md",
}
LINES = (CASE / "inputs" / "personal_expenses.txt").read_text("utf-8").splitlines()

BOOKS = "Barnes & Noble in Shopping"
STEAM = "Steam in Shopping"
UBER = "August 16 Uber in Transport"
POLICIES = {"revised": (BOOKS, STEAM, UBER), "first": (BOOKS, UBER)}
CATEGORIES = (
    "Dining",
    "Groceries",
    "Shopping",
    "Travel",
    "Transport",
    "Gas",
    "Subscriptions",
    "Entertainment",
    "Health",
    "Home",
    "Uncategorized",
)
PERIODS = ("2026-06", "2026-07", "2026-08")

MONTHS = {"jun": 6, "jul": 7, "aug": 8}
MONTH = r"(jun|june|jul|july|aug|august)\b\.?"
DATE = re.compile(
    rf"\b(?:(?P<month>\d{{1,2}})/(?P<day>\d{{1,2}})"
    rf"|(?P<name>{MONTH}) (?P<named_day>\d{{1,2}})(?![\d.])"
    rf"|(?<![\d.])(?P<day_before>\d{{1,2}}) (?P<name_after>{MONTH}))(?!\w)",
    re.IGNORECASE,
)
AMOUNT = re.compile(r"(?P<sign>-?)(?:\$(?P<dollars>\d+(?:\.\d\d)?)|(?<![\d$])(?P<bare>\d+\.\d\d))")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """What a reader takes from a line of the log."""

    month: int
    day: int
    amount: Decimal


def parse_line(text):
    """Return date and amount of a line; it must state exactly one of each."""
    (date,) = DATE.finditer(text)
    (amount,) = AMOUNT.finditer(text[: date.start()] + "|" + text[date.end() :])
    name = date["name"] or date["name_after"]
    value = Decimal(amount["dollars"] or amount["bare"])
    return LogLine(
        month=MONTHS[name[:3].lower()] if name else int(date["month"]),
        day=int(date["day"] or date["named_day"] or date["day_before"]),
        amount=-value if amount["sign"] else value,
    )


LOG = [parse_line(text) for text in LINES]


def read_json(path):
    return json.loads(path.read_text("utf-8"))


def build_reference(folder):
    document = read_json(folder / "reference_ledger.json")
    entries = [
        ReferenceEntry(
            **{
                **fields,
                "amount": Decimal(fields["amount"]),
                "alternatives": tuple(
                    (alternative["policy"], alternative["category"])
                    for alternative in fields.get("alternatives", [])
                ),
            }
        )
        for fields in document["entries"]
    ]
    totals = [ReferenceTotal(**fields) for fields in document["totals"]]
    return Reference(entries=tuple(entries), totals=tuple(totals))


REFERENCES = {name: build_reference(folder) for name, folder in KEYS.items()}
FACTS = {name: read_json(folder / "expected_facts.json") for name, folder in KEYS.items()}
REVISED = REFERENCES["revised"]


@pytest.fixture(params=list(KEYS))
def key(request):
    return request.param


def choose_policies(names):
    """Return every choice of some of ``names``."""
    return [
        frozenset(choice) for size in range(len(names) + 1) for choice in combinations(names, size)
    ]


def add_up(entries, category, period, policies=frozenset()):
    """Return a total from the amounts of the log, not those of the ledger."""
    total = Decimal(0)
    for entry in entries:
        moved = [other for policy, other in entry.alternatives if policy in policies]
        place = moved[0] if moved else entry.category
        if entry.duplicate_of is None and entry.period == period and place == category:
            total += LOG[entry.line - 1].amount
    return total


def lines_of(category, period=None):
    return [
        entry.line
        for entry in REVISED.entries
        if entry.category == category and period in (None, entry.period)
    ]


def format_amount(amount):
    return f"{Decimal(amount):,.2f}"


def read_tables(path):
    """Yield the first cell and the amounts of each row of the tables by month."""
    for row in re.findall(r"^\| (.+) \|$", path.read_text("utf-8"), re.MULTILINE):
        name, *cells = row.split(" | ")
        if len(cells) == 4 and re.fullmatch(r"[\d,]+\.\d\d", cells[0]):
            yield name, [Decimal(cell.replace(",", "")) for cell in cells]


# The log


def test_the_log_has_198_lines_each_with_one_date_and_one_amount():
    assert len(LOG) == 198
    assert (CASE / "inputs" / "personal_expenses.txt").read_bytes().endswith(b"5.45\n")


def test_the_log_runs_from_june_to_august_in_order_of_dates():
    dates = [(line.month, line.day) for line in LOG]
    assert dates == sorted(dates)
    assert dates[0] == (6, 1)
    assert dates[-1] == (8, 31)


@pytest.mark.parametrize(
    ("text", "month", "day", "amount"),
    [
        ("June 4: Steam, 47.58", 6, 4, "47.58"),
        ("Airport Parking - $68.00 (August 14)", 8, 14, "68.00"),
        ("Delta Air Lines - $412.60 (Aug. 14)", 8, 14, "412.60"),
        ("08/13 Corner Bean 5.45", 8, 13, "5.45"),
        ("15 June, corner bean, 5.45", 6, 15, "5.45"),
        ("ATM cash withdrawal, 6/17, $60", 6, 17, "60"),
        ("Check #1182 - $175.00 (Aug 24)", 8, 24, "175"),
        ("6/4 CVS 13.28 USD", 6, 4, "13.28"),
        ("7/19 REFUND Target -$41.27", 7, 19, "-41.27"),
        ("Spotify - July 5 - $11.99", 7, 5, "11.99"),
    ],
)
def test_a_line_is_read_as_a_person_reads_it(text, month, day, amount):
    assert text in LINES
    assert parse_line(text) == LogLine(month=month, day=day, amount=Decimal(amount))


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (16, "June 4: Steam, 47.58"),
        (107, "7/19 REFUND Target -$41.27"),
        (167, "Delta Air Lines - $412.60 (Aug. 14)"),
        (168, "Delta Air Lines (8/14) - $450.60"),
        (169, "Airport Parking - $68.00 (August 14)"),
        (174, "Aug 16: Uber, 24.10"),
    ],
)
def test_a_line_that_matters_stands_once_and_in_its_place(line, text):
    assert [number for number, other in enumerate(LINES, 1) if other == text] == [line]


@pytest.mark.parametrize(
    ("line", "amount"),
    [(16, "47.58"), (167, "412.60"), (168, "450.60"), (169, "68"), (174, "24.1")],
)
def test_no_other_entry_of_the_month_has_the_amount(line, amount):
    month = LOG[line - 1].month
    entries = [(n, abs(other.amount)) for n, other in enumerate(LOG, 1) if other.month == month]
    found = [n for n, other in entries if other == Decimal(amount)]
    assert found == [line]


@pytest.mark.parametrize(
    ("month", "difference"),
    [(6, "47.58"), (8, "68.00"), (8, "412.60"), (8, "436.70"), (8, "24.10")],
)
def test_no_two_entries_of_one_amount_come_to_a_difference_that_one_entry_explains(
    month, difference
):
    counts = Counter(line.amount for line in LOG if line.month == month)
    assert counts[Decimal(difference) / 2] < 2


@pytest.mark.parametrize("month", [6, 7, 8])
def test_about_a_third_of_a_month_repeats_an_amount(month):
    counts = Counter(line.amount for line in LOG if line.month == month)
    size = counts.total()
    repeated = sum(count for count in counts.values() if count > 1)
    assert 60 <= size <= 72
    assert len(counts) <= 48
    assert 0.3 < repeated / size < 0.45


def test_one_entry_is_a_refund():
    assert [n for n, line in enumerate(LOG, 1) if line.amount < 0] == [107]
    assert REVISED.entries[106].category == "Shopping"


def test_one_transaction_stands_twice_and_nothing_else_looks_like_it():
    days = Counter((line.month, line.day, line.amount) for line in LOG)
    assert [day for day, count in days.items() if count > 1] == [(7, 25, Decimal("63.18"))]


# The ledgers


def test_each_entry_of_a_ledger_says_what_the_log_says(key):
    entries = REFERENCES[key].entries
    assert [entry.line for entry in entries] == list(range(1, 199))
    assert [entry.text for entry in entries] == LINES
    assert [entry.amount for entry in entries] == [line.amount for line in LOG]
    assert [entry.period for entry in entries] == [f"2026-{line.month:02}" for line in LOG]
    assert {entry.category for entry in entries} == set(CATEGORIES)


def test_the_first_key_differs_by_the_policy_on_steam_alone():
    steam = REVISED.entries[15]
    assert steam.alternatives == ((STEAM, "Shopping"),)
    entries = list(REVISED.entries)
    entries[15] = replace(steam, alternatives=())
    assert REFERENCES["first"] == replace(REVISED, entries=tuple(entries))


def test_line_121_is_the_entry_that_is_not_counted(key):
    marked = [entry for entry in REFERENCES[key].entries if not entry.is_counted]
    assert [(entry.line, entry.duplicate_of) for entry in marked] == [(121, 120)]
    assert {entry.merchant for entry in REFERENCES[key].entries[119:121]} == {"Trader Joe's"}


@pytest.mark.parametrize(
    ("policy", "lines", "moves"),
    [
        (BOOKS, [12, 33, 134, 181, 197], ("Entertainment", "Shopping")),
        (STEAM, [16], ("Entertainment", "Shopping")),
        (UBER, [174], ("Travel", "Transport")),
    ],
)
def test_a_policy_moves_these_lines(policy, lines, moves):
    moved = [entry for entry in REVISED.entries if policy in dict(entry.alternatives)]
    assert [entry.line for entry in moved] == lines
    assert {(entry.category, entry.place(frozenset({policy}))) for entry in moved} == {moves}


def test_eight_entries_are_of_unknown_purpose_and_no_other_is_a_transfer_or_cash():
    unknown = re.compile(r"venmo|zelle|transfer|\batm\b|check #", re.IGNORECASE)
    found = [number for number, text in enumerate(LINES, 1) if unknown.search(text)]
    assert found == lines_of("Uncategorized") == [24, 42, 57, 81, 103, 138, 161, 188]


@pytest.mark.parametrize(
    ("merchant", "category", "lines"),
    [
        ("IKEA", "Shopping", [76, 108]),
        ("CVS", "Health", [15, 59, 84, 147]),
        ("Walgreens", "Health", [40, 112, 177]),
        ("Amazon Prime", "Subscriptions", [37, 98, 171]),
        ("Delta Air Lines", "Travel", [167, 168]),
        ("Barnes & Noble", "Entertainment", [12, 33, 134, 181, 197]),
        ("Steam", "Entertainment", [16]),
    ],
)
def test_a_merchant_that_is_easily_misplaced_stands_here(merchant, category, lines):
    found = [entry for entry in REVISED.entries if entry.merchant == merchant]
    assert [entry.line for entry in found] == lines
    assert {entry.category for entry in found} == {category}
    assert [n for n, text in enumerate(LINES, 1) if merchant in text] == lines


# The totals


@pytest.mark.parametrize(
    ("category", "period", "policies", "amount"),
    [
        ("Dining", "2026-06", [], "246.85"),
        ("Dining", "2026-07", [], "287.40"),
        ("Dining", "2026-08", [], "398.69"),
        ("Shopping", "2026-06", [], "966.36"),
        ("Shopping", "2026-06", [BOOKS], "1020.77"),
        ("Shopping", "2026-06", [STEAM], "1013.94"),
        ("Shopping", "2026-06", [BOOKS, STEAM], "1068.35"),
        ("Shopping", "2026-07", [], "756.72"),
        ("Shopping", "2026-07", [BOOKS, STEAM], "756.72"),
        ("Shopping", "2026-08", [], "1162.18"),
        ("Shopping", "2026-08", [STEAM], "1162.18"),
        ("Shopping", "2026-08", [BOOKS], "1218.31"),
        ("Travel", "2026-06", [], "0"),
        ("Travel", "2026-07", [], "0"),
        ("Travel", "2026-08", [], "1655.92"),
        ("Travel", "2026-08", [UBER], "1631.82"),
        ("Uncategorized", "2026-06", [], "230"),
        ("Uncategorized", "2026-07", [], "232"),
        ("Uncategorized", "2026-08", [], "325"),
    ],
)
def test_the_log_adds_up_to(category, period, policies, amount):
    chosen = frozenset(policies)
    assert add_up(REVISED.entries, category, period, chosen) == Decimal(amount)
    assert sum_total(REVISED, category, period, chosen) == Decimal(amount)


def test_the_totals_under_all_choices_are_just_the_accepted_values(key):
    reference = REFERENCES[key]
    for total in reference.totals:
        place = (total.category, total.period)
        choices = choose_policies(POLICIES[key])
        counted = {add_up(reference.entries, *place, choice) for choice in choices}
        listed = {sum_total(reference, *place, c) for c in list_policies(reference, *place)}
        accepted = FACTS[key][total.fact_name]
        assert {Decimal(value) for value in accepted} == counted == listed
        assert len(set(accepted)) == len(accepted)


@pytest.mark.parametrize(("name", "size"), [("first", 2), ("revised", 4)])
def test_june_shopping_has_as_many_accepted_values_as_choices(name, size):
    assert len(FACTS[name]["shopping_june_total"]) == size
    assert len(FACTS[name]["shopping_august_total"]) == 2
    assert len(FACTS[name]["travel_august_total"]) == 2


def test_the_keys_differ_in_june_shopping_alone():
    first, revised = FACTS["first"], FACTS["revised"]
    assert [name for name in revised if first[name] != revised[name]] == ["shopping_june_total"]


def test_august_shopping_is_over_the_budget_by_18_31_with_books_in_it_and_under_without():
    with_books = add_up(REVISED.entries, "Shopping", "2026-08", frozenset({BOOKS}))
    assert with_books - 1200 == Decimal("18.31")
    assert add_up(REVISED.entries, "Shopping", "2026-08") < 1200


@pytest.mark.parametrize("books", [frozenset(), frozenset({BOOKS})])
def test_steam_changes_june_shopping_by_47_58_and_no_other_month(books):
    changes = [
        add_up(REVISED.entries, "Shopping", period, books | {STEAM})
        - add_up(REVISED.entries, "Shopping", period, books)
        for period in PERIODS
    ]
    assert changes == [Decimal("47.58"), 0, 0]


def test_dining_is_over_its_budget_in_july_and_august_and_not_in_june():
    over = [add_up(REVISED.entries, "Dining", period) >= 260 for period in PERIODS]
    assert over == [False, True, True]
    assert FACTS["revised"]["dining_august_budget_status"] == ["over"]


def test_travel_without_airport_parking_or_a_delta_charge_is_what_a_mistaken_answer_reports():
    travel = add_up(REVISED.entries, "Travel", "2026-08", frozenset({UBER}))
    assert travel - LOG[168].amount == Decimal("1563.82")
    assert travel - LOG[166].amount == Decimal("1219.22")


def test_travel_is_all_in_august():
    assert lines_of("Travel") == lines_of("Travel", "2026-08") == [167, 168, 169, 170, 173, 174]


@pytest.mark.parametrize("policies", choose_policies((BOOKS, STEAM, UBER)))
def test_the_largest_increase_to_august_is_travel_by_far_under_every_choice(policies):
    increases = {
        category: add_up(REVISED.entries, category, "2026-08", policies)
        - add_up(REVISED.entries, category, "2026-07", policies)
        for category in CATEGORIES
    }
    second, first = sorted(increases, key=lambda category: increases[category])[-2:]
    assert FACTS["revised"]["largest_increase_category"] == [first.lower()] == ["travel"]
    assert increases[first] > 3 * increases[second]


@pytest.mark.parametrize(
    ("fact", "values"),
    [
        ("refund_treatment", ["subtracted"]),
        ("duplicate_treatment", ["counted_once"]),
        ("delta_charges_treatment", ["both_kept"]),
        ("uncategorized_entry_count", ["8"]),
        ("dining_august_total", ["398.69"]),
        ("shopping_july_total", ["756.72"]),
        ("travel_august_total", ["1655.92", "1631.82"]),
    ],
)
def test_an_expected_fact_is(key, fact, values):
    assert FACTS[key][fact] == values


# What people and judges read


def test_each_rubric_on_findings_states_every_accepted_amount(key):
    text = FINDINGS[key].read_text("utf-8")
    for total in REFERENCES[key].totals:
        for value in FACTS[key][total.fact_name]:
            assert format_amount(value) in text


def test_the_first_rubric_on_findings_knows_no_shopping_with_steam():
    text = FINDINGS["first"].read_text("utf-8")
    only_revised = set(FACTS["revised"]["shopping_june_total"]) - set(
        FACTS["first"]["shopping_june_total"]
    )
    assert {value for value in only_revised if format_amount(value) in text} == set()


@pytest.mark.parametrize(
    ("path", "key"),
    [
        (FINDINGS["first"], "first"),
        (FINDINGS["revised"], "revised"),
        (CASE / "expense_reference_key.md", "revised"),
    ],
    ids=["first rubric", "revised rubric", "key for people"],
)
def test_each_row_by_month_on_a_page_is_a_row_that_the_log_adds_up_to(path, key):
    entries = REFERENCES[key].entries
    rows = {
        tuple(add_up(entries, category, period, choice) for period in PERIODS)
        for category in CATEGORIES
        for choice in choose_policies(POLICIES[key])
    }
    everything = [sum(add_up(entries, c, period) for c in CATEGORIES) for period in PERIODS]
    unknown = [add_up(entries, "Uncategorized", period) for period in PERIODS]
    spent = [month - part for month, part in zip(everything, unknown, strict=True)]
    found = set()
    for name, (*months, total) in read_tables(path):
        assert sum(months) == total, name
        found.add(tuple(months))
    assert found == rows | {tuple(everything), tuple(spent)}


def test_the_eight_entries_stand_in_the_rubric_and_in_the_key_for_people():
    rubric = (EXAMPLE / "grading" / "rubrics" / "ambiguous_entries_not_forced.md").read_text()
    page = (CASE / "expense_reference_key.md").read_text("utf-8")
    for line in lines_of("Uncategorized"):
        amount = format_amount(LOG[line - 1].amount)
        assert re.search(rf"^\| {line} \| .* \| {amount} \|$", rubric, re.MULTILINE)
        assert f"| {line} | `{LINES[line - 1]}` | {amount} |" in page


def test_the_facts_are_the_fields_of_the_extraction(key):
    schema = read_json(EXAMPLE / "grading" / "fact_extraction_schema.json")
    DRAFTS[schema["$schema"]].check_schema(schema)
    assert schema["required"] == list(schema["properties"])
    assert set(schema["required"]) == set(FACTS[key])
    assert schema["additionalProperties"] is False
    for name, field in schema["properties"].items():
        if "enum" in field:
            assert set(FACTS[key][name]) <= set(field["enum"])
        else:
            assert field["type"] == ["string", "null"]


def test_the_extraction_is_told_no_expected_amount(key):
    told = "".join(path.read_text() for path in (EXAMPLE / "grading").glob("fact_extraction_*"))
    values = {value for name, values in FACTS[key].items() if "total" in name for value in values}
    assert [value for value in values if value in told or format_amount(value) in told] == []


@pytest.mark.parametrize("name", ["standard", "robust", "robust_tables_first"])
def test_a_prompt_names_both_files_and_asks_for_three_findings(name):
    text = (EXAMPLE / "prompts" / f"{name}.md").read_text("utf-8")
    assert "`personal_expenses.txt`" in text
    assert "`budget_notes.txt`" in text
    assert "three" in text
    assert "{{" not in text


def test_robust_tables_first_adds_the_order_of_the_reply_and_nothing_else():
    robust = (EXAMPLE / "prompts" / "robust.md").read_text("utf-8")
    tables_first = (EXAMPLE / "prompts" / "robust_tables_first.md").read_text("utf-8")
    assert tables_first.startswith(robust + "\nReply in this sequence")
