"""A grader that asks a model, models that answer by script, and gradings with both."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cli.run import make_provider
from cli.setting import Opened
from graders import Decision, Diagnosis, Evidence, GraderRequest, Member, grader
from ledger import outcomes
from ledger.canonical import JsonObject
from ledger.digest import Digest
from ledger.events import GraderAnswered, GraderAsked, GraderFailed, VerdictGiven
from ledger.outcomes import Cause, Verdict
from ledger.projections import Scorecard
from providers import Provider, SessionFailure, SessionRequest, SessionResult
from tests.trials.runs import write_suite
from trials.engine import CONCURRENCY, run_trials
from trials.grade import grade_run
from trials.run import Run, start_run
from trials.suite import Configuration, load_configuration, load_suite
from trials.window import Respondent, Window

WORDS = {"PASS": Verdict.PASS, "FAIL": Verdict.FAIL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Asks whether the answer is good, and reads ``PASS`` or ``FAIL``.

    ``trouble`` says which of its methods raises, or what else it does that no grader should.
    """

    name: str = "one_word"
    version: int = 1
    question: str = "good"
    trouble: str = ""

    def configuration(self) -> JsonObject:
        """Return the fields."""
        return {"question": self.question, "trouble": self.trouble}

    @property
    def roles(self) -> tuple[str, ...]:
        """It asks a judge."""
        return ("judge",)

    def plan(self, evidence: Evidence) -> tuple[GraderRequest, ...]:
        """Ask for one word."""
        self._stumble("plan")
        prompt = f"Is it {self.question}? {evidence.answer}"
        return (GraderRequest(role="judge", prompt=prompt),)

    def is_readable(self, request: GraderRequest, answer: str) -> bool:
        """Return whether the word is there."""
        self._stumble("is_readable")
        return answer.strip() in WORDS

    def decide(self, evidence: Evidence, answers: Mapping[Digest, str]) -> Decision:
        """Read the word."""
        self._stumble("decide")
        if self.trouble == "nothing":
            return None  # type: ignore[return-value]
        reason = {"long": "x" * 70_000, "surrogate": "\ud800"}.get(self.trouble, "It says so.")
        (answer,) = answers.values()
        if answer.strip() not in WORDS:
            cause = Cause.GRADER_UNREADABLE
            return Decision(verdict=Verdict.UNPROVEN, cause=cause, reason="It says neither.")
        return Decision(verdict=WORDS[answer.strip()], reason=reason)

    def diagnose(self, evidence: Evidence, answers: Mapping[Digest, str]) -> tuple[Diagnosis, ...]:
        """Say nothing."""
        return ()

    def _stumble(self, method: str) -> None:
        if self.trouble == method:
            raise RuntimeError(f"no {method} \ud800 today\nnor tomorrow")


def make_judge(fields: Mapping[str, Any]) -> Judge:
    return Judge(**fields)


JUDGES_MODEL = Configuration(
    name="script",
    provider="script",
    model="script-1",
    effort="low",
    tools=(),
    recorded_from=None,
    description="",
    settings={},
    files=(),
)

JUDGE = Member(factory=make_judge, modules=(grader, outcomes))


def judge_check(name: str = "judged", **fields: Any) -> dict[str, Any]:
    """Return a check of the judge."""
    return {
        "check_name": name,
        "grader": "one_word",
        "minimum_pass_rate": 0.5,
        "description": "Is good.",
    } | fields


@dataclass
class Model:
    """Answers by script: the words in turn, then the last one for ever.

    A word may be text, a failure, or an exception to raise. What it sends as raw bytes is its
    text with a frame around it.
    """

    words: list[str | SessionFailure | Exception]
    asked: list[SessionRequest] = field(default_factory=list)

    async def respond(self, request: SessionRequest) -> SessionResult | SessionFailure:
        """Answer."""
        self.asked.append(request)
        await asyncio.sleep(0)
        word = self.words.pop(0) if len(self.words) > 1 else self.words[0]
        if isinstance(word, Exception):
            raise word
        if isinstance(word, SessionFailure):
            return word
        raw = b"<" + word.encode("utf-8", "surrogatepass") + b">"
        return SessionResult(answer=word, response=raw, media="text/x-frame")


@dataclass(frozen=True, kw_only=True)
class Course:
    """A run with its trials made, to be graded."""

    opened: Opened
    run: Run

    def grade(
        self, model: Provider, *, window: Window | None = None, concurrency: int = CONCURRENCY
    ) -> Scorecard:
        """Grade it, ``model`` being the judge, and return the scorecard."""
        models = {"judge": Respondent(configuration=JUDGES_MODEL, provider=model)}
        return grade_run(
            self.opened.ledger,
            self.opened.keeper,
            self.run.address,
            self.run.suite_event,
            self.run.suite,
            models=models,
            window=window,
            concurrency=concurrency,
        )

    def bodies(self, *kinds: type) -> list[Any]:
        """Return the events of some kinds, in order."""
        found = (entry.event.body for entry in self.opened.ledger.read())
        return [body for body in found if isinstance(body, kinds)]

    def verdicts(self) -> list[tuple[str, Verdict, Cause | None]]:
        """Return check, verdict and cause of every verdict, in order."""
        return [(body.check, body.verdict, body.cause) for body in self.bodies(VerdictGiven)]

    def conversation(self) -> list[str]:
        """Return what was asked, answered and failed, by kind and attempt."""
        return [
            f"asked {body.attempt}" if isinstance(body, GraderAsked) else body.KIND[7:]
            for body in self.bodies(GraderAsked, GraderAnswered, GraderFailed)
        ]


def make_course(
    opened: Opened,
    folder: Path,
    checks: list[dict[str, Any]],
    *,
    provider: Any = None,
    **rest: Any,
) -> Course:
    """Write a suite with ``checks``, and make its trials, by ``provider`` or as recorded."""
    path = write_suite(folder, checks=checks, **({"cases": 1} | rest))
    suite, configuration = load_suite(path), load_configuration(path / "configurations/m.json")
    run = start_run(opened.ledger, suite, configuration)
    answering = provider or make_provider(configuration)
    run_trials(run, opened.ledger, opened.keeper, answering)
    return Course(opened=opened, run=run)
