"""A suite as loaded: frozen values, complete, with the bytes of every file that it rests on."""

from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from graders.grader import Grader, Key
from ledger.canonical import JsonObject
from ledger.tools import ToolKind
from providers import UNLIMITED, Limits

ANSWER = "answer"
"""What a check's grader looks at where the suite says nothing else."""
ATTEMPTS_MAX = 4
"""Calls for one trial where its configuration says nothing else."""
PLACEHOLDER = "{{question}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFile:
    """One file, with its path from the suite's folder (``/`` between the parts)."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One prompt under test; ``prompt`` is the whole text of its file, nothing stripped.

    ``system`` is that of the system text, ``None`` where the variant has none.
    """

    name: str
    prompt: str
    description: str
    system: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A situation and what was written down about it.

    Attributes:
        inputs: the files that each trial gets a copy of: name below ``inputs/`` and bytes, sorted
            by name; nothing of the key is among them.
        key: what the answer is held against; ``None`` where the suite says nothing.
    """

    id: str
    category: str | None
    critical: bool
    question: str | None
    inputs: tuple[tuple[str, bytes], ...]
    key: Key | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """What is under test, or what a grader asks.

    Attributes:
        model: the exact name that the provider is asked for.
        effort: ``None`` where the provider has no such setting or its default is meant.
        tools: kinds of tool that a session may use, in the order of the file.
        recorded_from: who gave the answers that a file records, for people, for example
            ``anthropic, claude-code``; ``None`` where the provider itself answers.
        resolved_models: names under which ``model`` may answer beside its own.
        limits: how far one call may go.
        attempts_max: calls for one trial or one question of a grader, the first one included.
        requests_per_minute: calls that are begun in a minute, by all configurations of the provider
            in one window; ``None``: no bound.
        settings: the provider's own, within the limits of canonical JSON.
        files: the configuration's file and the files that its settings name, sorted by path from
            the configuration's folder (``6b.json``, ``../answers/6b.jsonl``).
    """

    name: str
    provider: str
    model: str
    effort: str | None
    tools: tuple[ToolKind, ...]
    recorded_from: str | None
    description: str
    settings: JsonObject
    files: tuple[SuiteFile, ...]
    resolved_models: tuple[str, ...] = ()
    limits: Limits = UNLIMITED
    attempts_max: int = ATTEMPTS_MAX
    requests_per_minute: int | None = None


class Price(NamedTuple):
    """What a model's tokens cost, US dollars for a million of each.

    ``provider`` and ``model`` are as a configuration names them; cached input costs what input does
    where the table says nothing else.
    """

    provider: str
    model: str
    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One named requirement.

    Attributes:
        grader_fields: the grader's own fields as the suite states them, within the limits of
            canonical JSON: a number with a fraction is its text, a file is its path.
        files: what the grader is given out of files: its field and the file's path, sorted; the
            suite's own ``fact_extraction`` is among them where the grader asks an extractor.
        minimum_pass_rate: 0 to 1, as written.
        critical: whether a single fail fails the gate.
        evidence: what the grader looks at: ``answer``, or the name of a further part of the
            session, such as a report that the application keeps.
    """

    name: str
    grader: Grader
    grader_fields: JsonObject
    files: tuple[tuple[str, str], ...]
    minimum_pass_rate: Decimal
    critical: bool
    description: str
    evidence: str = ANSWER


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """The examination as data.

    Attributes:
        gated_variant: the name of the variant whose rates decide.
        cases: in the order of their file; case folders in the order of their names.
        repetitions: trials for each case and variant, at least 1.
        graders: the role of a grader's question and the configuration that answers it, sorted.
        files: every file that the suite rests on, sorted by path.
        prices: of the models that it is run with, for budgets and costs.
        refuses_other_models: whether the gate fails where a trial was answered by a model of
            another name than the one asked for.
    """

    name: str
    description: str
    variants: tuple[Variant, ...]
    gated_variant: str
    cases: tuple[Case, ...]
    checks: tuple[Check, ...]
    repetitions: int
    graders: tuple[tuple[str, Configuration], ...]
    files: tuple[SuiteFile, ...]
    prices: tuple[Price, ...] = ()
    refuses_other_models: bool = False


def compose_prompt(variant: Variant, case: Case) -> str:
    """Return what the model under test is asked: the prompt with the question in its place.

    ``{{question}}`` is replaced by the question exactly as written, wherever it stands, once:
    what the question holds is never read as a placeholder.
    """
    if case.question is None:
        return variant.prompt
    return variant.prompt.replace(PLACEHOLDER, case.question)
