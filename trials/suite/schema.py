"""What a suite file, a case and a configuration may say: pydantic at the door.

Nothing is converted: a number in quotes is not a number, ``1`` is not ``true``. An unknown field
is refused, with the known one that it resembles. Names of suites, variants, checks, cases and
configurations match ``NAME`` of ``values``, so that each can be a file's name and a word on a
command line.
"""

from typing import TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from graders.reference import ENTRIES_MAX
from ledger.errors import FaultyInput
from providers import UNLIMITED
from trials.suite.documents import join_path, show_value
from trials.suite.faults import format_fault, suggest_name
from trials.suite.model import ANSWER, ATTEMPTS_MAX
from trials.suite.values import (
    Amount,
    Attempts,
    Cost,
    Deadline,
    Facts,
    Filled,
    Line,
    Name,
    Ordinal,
    PartName,
    Price,
    Rate,
    Repetitions,
    RequestsPerMinute,
    Tool,
)

_SAYINGS = {
    "bool_type": "{shown} is not true or false",
    "dict_type": "{shown} is not an object",
    "int_type": "{shown} is not a whole number",
    "list_type": "{shown} is not a list",
    "missing": "is missing; add it",
    "model_type": "{shown} is not an object",
    "string_pattern_mismatch": "{shown} is not a name; use letters, digits, '.', '_' and '-', at "
    "most 100, a letter or digit first",
    "string_type": "{shown} is not a string; put it in quotes",
    "too_long": "holds {actual_length:,} items; at most {max_length:,} are taken",
    "too_short": "is empty; list at least one",
}
"""What to say for an error of pydantic's; the others say it themselves."""


class Entry(BaseModel):
    """What all entries share."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class VariantEntry(Entry):
    """One prompt under test."""

    variant_name: Name = Field(description="The variant's name, once in the suite.")
    prompt_file: str = Field(
        description="The prompt's file; {{question}} in it stands for the case's question."
    )
    system_file: str | None = Field(
        default=None, description="The file of the system text; nothing in it is replaced."
    )
    description: str | None = Field(default=None, description="For people.")


class CheckEntry(Entry):
    """One requirement; what it holds beyond these fields is the grader's own."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    check_name: Name = Field(description="The check's name, once in the suite.")
    grader: str = Field(description="What decides the check.")
    minimum_pass_rate: Rate = Field(description="The smallest pass rate that is enough, 0 to 1.")
    description: Filled = Field(description="What is required, in words.")
    critical: bool = Field(
        default=False, description="Whether a single fail or unproven fails the gate."
    )
    evidence: PartName = Field(
        default=ANSWER,
        description="What the grader looks at: the answer, or another part of the session.",
    )


class ExtractionEntry(Entry):
    """How a model copies facts out of an answer, for the checks that compare them."""

    instructions_file: str = Field(description="What the extractor is told, a text.")
    schema_file: str = Field(description="The JSON schema of what it returns, a field for a fact.")


class PriceEntry(Entry):
    """What a model's tokens cost, US dollars for a million of each."""

    provider: Name = Field(description="The provider, as configurations name it.")
    model: Filled = Field(description="The model, as configurations name it.")
    input_usd_per_million: Price = Field(description="Tokens that are read.")
    output_usd_per_million: Price = Field(description="Tokens that are written.")
    cache_read_usd_per_million: Price | None = Field(
        default=None, description="Tokens that are read from the cache; by default as input."
    )
    cache_write_usd_per_million: Price | None = Field(
        default=None, description="Tokens that are written to the cache; by default as input."
    )


class SuiteEntry(Entry):
    """The examination as data: prompts under test, cases, checks, gate."""

    suite_name: Name = Field(description="The suite's name.")
    description: str | None = Field(default=None, description="For people.")
    variants: list[VariantEntry] = Field(min_length=1, description="The prompts under test.")
    gated_variant: str | None = Field(
        default=None,
        description="The variant whose rates decide; required where there are several.",
    )
    cases: str = Field(description="A folder of cases, or a .jsonl or .json file of records.")
    keys: str | None = Field(
        default=None,
        description="A folder with another revision of answer keys, in a folder for each case.",
    )
    repetitions: Repetitions = Field(default=1, description="Trials for each case and variant.")
    fact_extraction: ExtractionEntry | None = Field(
        default=None, description="What checks without a pattern extract facts with."
    )
    grader_configurations: dict[Name, str] = Field(
        default={},
        description="Role of a model that graders ask (extractor, judge) to the file of its "
        "configuration.",
    )
    checks: list[CheckEntry] = Field(min_length=1, description="The requirements.")
    prices: list[PriceEntry] = Field(
        default=[], description="What the tokens of each model cost, for budgets and costs."
    )
    refuse_other_models: bool = Field(
        default=False,
        description="Whether the gate fails where another model answered than was asked for.",
    )


class CaseEntry(Entry):
    """A situation and what was written down about it before anything ran."""

    category: Filled | None = Field(default=None, description="For people.")
    critical: bool = Field(
        default=False, description="Whether every check has to pass on this case."
    )
    question: Filled | None = Field(default=None, description="What goes into the prompt.")
    expectation: Filled | None = Field(
        default=None, description="What is expected, in words; no trial sees it."
    )
    must_include: list[Filled] = Field(
        default=[], description="Phrases that the answer has to contain; no trial sees them."
    )
    must_not_include: list[Filled] = Field(
        default=[], description="Phrases that the answer may not contain; no trial sees them."
    )
    facts: Facts = Field(
        default={},
        description="Name of a fact to its accepted value, or a list of them; no trial sees them.",
    )


class RecordEntry(CaseEntry):
    """One record of a file of cases."""

    id: Name = Field(description="The case's id, once in the suite.")


class FactsEntry(Entry):
    """``expected_facts.json``, held under one field."""

    facts: Facts


class TotalEntry(Entry):
    """A fact that is a sum of entries."""

    fact_name: Filled = Field(description="A fact of the case.")
    category: Filled = Field(description="The category whose entries are added up.")
    period: Filled = Field(description="The period whose entries are added up.")


class AlternativeEntry(Entry):
    """Where an entry stands under an accepted policy."""

    policy: Filled = Field(description="All entries that name it move together, or none does.")
    category: Filled = Field(description="Where the entry stands then.")


class LineEntry(Entry):
    """One line of the source."""

    line: Line = Field(description="Its number there, once in the reference.")
    text: Filled = Field(description="The line as it is written, for people.")
    amount: Amount = Field(description="What it adds to its total; negative for a refund.")
    period: Filled = Field(description="Which totals it can be part of, for example 2026-08.")
    category: Filled = Field(description="Where it stands unless a policy moves it.")
    merchant: Filled | None = Field(
        default=None, description="Who was paid; entries with one name can be mistaken together."
    )
    alternatives: list[AlternativeEntry] = Field(
        default=[], description="Where it stands under accepted policies."
    )
    duplicate_of: Line | None = Field(
        default=None, description="The line that it repeats; then it is not counted."
    )


class ReferenceEntries(Entry):
    """The entries of a case, of which facts of its key are totals."""

    totals: list[TotalEntry] = Field(min_length=1, description="The facts that are sums.")
    entries: list[LineEntry] = Field(
        min_length=1, max_length=ENTRIES_MAX, description="Every line of the source."
    )


class LimitsEntry(Entry):
    """How far one call may go, how often it is tried, and how many are begun in a minute."""

    deadline_s: Deadline = Field(
        default=UNLIMITED.deadline_s, description="Seconds until a call is given up."
    )
    output_tokens_max: Ordinal | None = Field(
        default=None, description="Tokens of output that are asked for at most."
    )
    cost_usd_max: Cost | None = Field(
        default=None,
        description="US dollars that a session may cost, where the provider can stop there.",
    )
    attempts_max: Attempts = Field(
        default=ATTEMPTS_MAX, description="Calls for one trial, the first one included."
    )
    requests_per_minute: RequestsPerMinute | None = Field(
        default=None, description="Calls that are begun in a minute at most."
    )


class TranscriptEntry(Entry):
    """A session that another program recorded, and the trial that it is."""

    case: Name = Field(description="The case's id.")
    variant: Name | None = Field(default=None, description="For this variant only.")
    repetition: Ordinal = Field(default=1, description="Which repetition.")
    file: str = Field(description="The file, from the configuration's folder.")
    format: Filled = Field(description="Which program wrote it.")


class TranscriptsEntry(Entry):
    """``settings.transcripts``, held under one field."""

    transcripts: list[TranscriptEntry] = Field(min_length=1)


class ConfigurationEntry(Entry):
    """A provider and a model with all their settings: what is under test, or what graders ask."""

    configuration_name: Name = Field(description="By default the file's name without its ending.")
    provider: Name = Field(description="Who is asked.")
    model: Filled = Field(description="The exact model.")
    effort: Filled | None = Field(
        default=None, description="The reasoning effort, as the provider names it."
    )
    tools: list[Tool] = Field(default=[], description="Kinds of tool that a session may use.")
    resolved_models: list[Filled] = Field(
        default=[],
        description="Names under which the model may answer beside its own.",
    )
    limits: LimitsEntry | None = Field(
        default=None, description="How far one call may go, and how often it is tried."
    )
    recorded_from: Filled | None = Field(
        default=None, description="Who gave the answers that a file records, for people."
    )
    description: str | None = Field(default=None, description="For people.")
    settings: dict[str, object] = Field(default={}, description="The provider's own.")


AnyEntry = TypeVar("AnyEntry", bound=Entry)


def check_entry(model: type[AnyEntry], document: object, prefix: str) -> AnyEntry:
    """Return ``document`` as an entry of the kind ``model``.

    Args:
        prefix: the place for the faults, see ``format_fault``.

    Raises:
        FaultyInput: a line for every field that is not as it has to be.
    """
    try:
        return model.model_validate(document)
    except ValidationError as error:
        raise FaultyInput(
            [_format_error(model, detail, prefix) for detail in error.errors()]
        ) from error


def _format_error(model: type[Entry], detail: ErrorDetails, prefix: str) -> str:
    path = ""
    for step in detail["loc"]:
        # pydantic's mark for a fault in a mapping's key; the step before it is that key.
        path = path if step == "[key]" else join_path(path, step)
    return format_fault(prefix, path, _say(model, detail))


def _say(model: type[Entry], detail: ErrorDetails) -> str:
    kind = detail["type"]
    if kind == "extra_forbidden":
        known = _list_fields(model, detail["loc"])
        return f"unknown field; {suggest_name(str(detail['loc'][-1]), known)}"
    if kind == "value_error":
        return str(detail["ctx"]["error"])
    if kind in _SAYINGS:
        return _SAYINGS[kind].format(shown=show_value(detail["input"]), **detail.get("ctx", {}))
    return detail["msg"]


def _list_fields(model: type[Entry], location: tuple[int | str, ...]) -> list[str]:
    """Return the fields known at ``location``, below the lists of entries on the way there."""
    for step in location[:-1]:
        if isinstance(step, str):
            model = get_args(model.model_fields[step].annotation)[0]
    return list(model.model_fields)
