"""What was spent on runs before this window, read from the record: a budget holds for all of it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal

from ledger.digest import Digest
from ledger.events import (
    AttemptFailed,
    Body,
    GraderAnswered,
    GraderAsked,
    GraderFailed,
    GradingStarted,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
)
from ledger.log import Ledger
from providers import FRAME_TOKENS, Tokens
from trials.budget import UNSURE, Spending, Tariff
from trials.suite import Configuration
from trials.window import Respondent

Paid = TrialCompleted | TrialFailed | AttemptFailed | GraderAnswered | GraderFailed
"""Events that say what a call came to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """What was sent for a trial or to a grader's model, as far as it has a bound."""

    configuration: Configuration
    size_bytes: int


def read_spent(
    ledger: Ledger,
    runs: Mapping[Digest, Respondent],
    graders: Collection[Respondent],
    tariff: Tariff,
) -> Spending:
    """Return what all calls on record for ``runs`` and their gradings cost.

    A call whose cost is not known counts as the most that it can have cost: what was sent and all
    the output that was asked for.

    Args:
        ledger: the record.
        runs: address to who answers its trials.
        graders: who answers graders' questions, told apart by provider and model.
        tariff: what tokens cost.
    """
    paid = {
        run: each.configuration
        for run, each in runs.items()
        if not tariff.is_free(each.configuration, each.provider)
    }
    asked = {
        (each.configuration.provider, each.configuration.model): each.configuration
        for each in graders
        if not tariff.is_free(each.configuration, each.provider)
    }
    gradings: set[Digest] = set()
    questions: dict[Digest, _Question] = {}
    spent = Spending()
    start = min((ledger.find(run).position for run in runs), default=ledger.head().size)
    for entry in ledger.read(start):
        body = entry.event.body
        if isinstance(body, TrialStarted) and body.run in paid:
            size = body.prompt.size + sum(ref.size for _, ref in body.inputs)
            size += body.system.size if body.system else 0
            configuration = paid[body.run]
            questions[entry.address] = _Question(configuration=configuration, size_bytes=size)
        elif isinstance(body, GradingStarted) and body.run in runs:
            gradings.add(entry.address)
        elif isinstance(body, GraderAsked) and body.grading in gradings:
            grader = asked.get((body.provider, body.model))
            if grader is not None:
                question = _Question(configuration=grader, size_bytes=body.request.size)
                questions[entry.address] = question
        elif isinstance(body, Paid):
            subject = _name_subject(body)
            if subject in questions:
                spent = spent.plus(_price(body, questions[subject], tariff))
    return spent


def _name_subject(body: Body) -> Digest:
    if isinstance(body, AttemptFailed):
        return body.subject
    if isinstance(body, TrialCompleted | TrialFailed):
        return body.trial
    assert isinstance(body, GraderAnswered | GraderFailed)  # noqa: S101 - the last of ``Paid``
    return body.asked


def _price(body: Paid, question: _Question, tariff: Tariff) -> Spending:
    failed = isinstance(body, AttemptFailed | TrialFailed | GraderFailed)
    has_figures = bool(body.tokens) or body.cost_usd or body.stated_cost_usd
    if failed and not has_figures and body.cause not in UNSURE:  # type: ignore[union-attr]
        return Spending()
    limits = question.configuration.limits
    bound = Tokens(input=question.size_bytes + FRAME_TOKENS, output=limits.output_tokens_max or 0)
    tokens = sum(count for _, count in body.tokens) if body.tokens else sum(bound)
    stated = body.cost_usd or body.stated_cost_usd
    if stated is not None:
        return Spending(Decimal(stated), tokens)
    cost = limits.cost_usd_max or tariff.charge(question.configuration, bound) or Decimal(0)
    return Spending(cost, tokens)
