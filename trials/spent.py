"""What was spent on runs before this window, read from the record: a budget holds for all of it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal

from ledger.digest import Digest, compute_digest
from ledger.events import (
    AttemptBegun,
    AttemptFailed,
    Entry,
    GraderAnswered,
    GraderAsked,
    GraderFailed,
    GradingStarted,
    RunStopped,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
)
from ledger.log import Ledger
from providers import FRAME_TOKENS
from trials.budget import FREE, Spending, Tariff
from trials.suite import format_configuration
from trials.window import Respondent

Paid = TrialCompleted | TrialFailed | AttemptFailed | GraderAnswered | GraderFailed
"""Events that say what a call came to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """What was sent, and to whom; ``place`` is the run, and the grading of a grader's question."""

    place: tuple[Digest, Digest | None]
    respondent: Respondent
    size_bytes: int


def read_spent(
    ledger: Ledger,
    runs: Mapping[Digest, Respondent],
    graders: Collection[Respondent],
    tariff: Tariff,
) -> Spending:
    """Return what all calls on record for ``runs`` and their gradings cost.

    A call whose cost is not known counts as the most that it can have cost: what was sent and all
    the output that was asked for. So does one that may have been under way when the program was
    ended, of which nothing is on record.

    Args:
        ledger: the record.
        runs: address to who answers its trials.
        graders: who answers graders' questions.
        tariff: what tokens cost.
    """
    account = _Account(runs, graders, tariff)
    start = min((ledger.find(run).position for run in runs), default=ledger.head().size)
    for entry in ledger.read(start):
        account.take(entry)
    return account.close()


class _Account:
    """What was spent, event by event."""

    def __init__(
        self, runs: Mapping[Digest, Respondent], graders: Collection[Respondent], tariff: Tariff
    ) -> None:
        self.spent = Spending()
        self._tariff = tariff
        self._runs = runs
        self._graders = {
            compute_digest(format_configuration(each.configuration)): each for each in graders
        }
        self._gradings: dict[Digest, Digest] = {}
        self._open: dict[Digest, _Question] = {}
        self._flying: set[Digest] = set()

    def take(self, entry: Entry) -> None:
        """Count an event: a question is kept until its outcome is there."""
        body = entry.event.body
        if isinstance(body, TrialStarted) and body.run in self._runs:
            refs = [body.prompt, *(ref for _, ref in body.inputs)]
            refs += [body.system] if body.system else []
            size = sum(ref.size for ref in refs)
            self._ask(entry.address, (body.run, None), self._runs[body.run], size)
        elif isinstance(body, GradingStarted) and body.run in self._runs:
            self._gradings[entry.address] = body.run
        elif isinstance(body, GraderAsked) and body.grading in self._gradings:
            grader = self._graders.get(body.configuration.address)
            asked = (self._gradings[body.grading], body.grading)
            self._ask(entry.address, asked, grader, body.request.size)
        elif isinstance(body, AttemptBegun):
            self._flying.add(body.subject)
        elif isinstance(body, AttemptFailed):
            self._pay(body, body.subject)
            self._flying.add(body.subject)
        elif isinstance(body, TrialCompleted | TrialFailed):
            self._pay(body, body.trial)
            self._open.pop(body.trial, None)
        elif isinstance(body, GraderAnswered | GraderFailed):
            self._pay(body, body.asked)
            self._open.pop(body.asked, None)
        elif isinstance(body, RunStopped):
            # A window that stopped by itself left nothing under way.
            stopped = (body.run, body.grading)
            self._flying -= {s for s, question in self._open.items() if question.place == stopped}

    def close(self) -> Spending:
        """Count what may have been under way, and return all that was spent."""
        for subject in self._flying & self._open.keys():
            self._add(self._open[subject], 0, None)
        return self.spent

    def _ask(
        self,
        subject: Digest,
        place: tuple[Digest, Digest | None],
        respondent: Respondent | None,
        size_bytes: int,
    ) -> None:
        if respondent is None:
            return
        if not self._tariff.is_free(respondent.configuration, respondent.provider):
            question = _Question(place=place, respondent=respondent, size_bytes=size_bytes)
            self._open[subject] = question
            self._flying.add(subject)

    def _pay(self, body: Paid, subject: Digest) -> None:
        question = self._open.get(subject)
        if question is None:
            return
        has_figures = bool(body.tokens) or body.cost_usd or body.stated_cost_usd
        if not has_figures and _is_refused(body):
            return
        tokens = sum(count for _, count in body.tokens)
        self._add(question, tokens, body.cost_usd or body.stated_cost_usd)

    def _add(self, question: _Question, tokens: int, cost_usd: str | None) -> None:
        """Add a call; what is not known of it is its bound."""
        configuration, provider = question.respondent.configuration, question.respondent.provider
        bound = self._tariff.bound_tokens(configuration, provider)
        if bound is not None:
            bound = bound._replace(input=question.size_bytes + FRAME_TOKENS)
        cost = Decimal(cost_usd) if cost_usd else self._tariff.price_bound(configuration, bound)
        self.spent = self.spent.plus(Spending(cost or Decimal(0), tokens or sum(bound or ())))


def _is_refused(body: Paid) -> bool:
    """Return whether a call failed in a way that costs nothing."""
    if isinstance(body, TrialCompleted | GraderAnswered):
        return False
    return body.cause in FREE
