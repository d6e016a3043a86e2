"""Findings of an answer: chosen by its scenario, laid out by its style."""

from dataclasses import dataclass

from examples.expense_analysis.script.session import Session
from examples.expense_analysis.script.styles import FindingForm, name_month
from examples.expense_analysis.script.tellings import SUBJECTS, TELLINGS, Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A finding of an answer.

    Attributes:
        kind: its name in ``TELLINGS``.
        cells: the totals that its text states.
        fault: how the answer's own tables contradict it.
    """

    kind: str
    title: str
    text: str
    points: tuple[str, ...]
    cells: tuple[Cell, ...]
    fault: str | None = None

    @property
    def subject(self) -> str:
        """What it is about, in two or three words."""
        return SUBJECTS[self.kind]


def make_findings(session: Session) -> tuple[Finding, ...]:
    """Return the findings of a session, in their order."""
    return tuple(_make_finding(session, kind) for kind in session.scenario.findings)


def write_findings(session: Session, findings: tuple[Finding, ...]) -> list[str]:
    """Return the findings in the form that the session uses."""
    form = session.dice.choose("finding form", session.style.findings)
    lines: list[str] = []
    for number, finding in enumerate(findings, start=1):
        if form is FindingForm.HEADED:
            lines += [f"### Finding {number}: {finding.title}", finding.text, ""]
        elif form is FindingForm.POINTS:
            lines += [f"{number}. **{finding.title}**", *(f"   * {p}" for p in finding.points)]
        elif form is FindingForm.NUMBERED:
            lines.append(f"{number}. **{finding.title}.** {finding.text}")
        else:
            lines.append(f"{number}. {finding.text}")
    return lines[:-1] if form is FindingForm.HEADED else lines


def _make_finding(session: Session, kind: str) -> Finding:
    telling = TELLINGS[kind](session)
    text = session.choose(kind, *telling.texts)
    return Finding(
        kind=kind,
        title=session.choose(f"{kind} title", *telling.titles),
        text=text,
        points=(text, _list_cells(session, telling.cells)),
        cells=telling.cells,
        fault=telling.fault,
    )


def _list_cells(session: Session, cells: tuple[Cell, ...]) -> str:
    """Return the figures that a finding rests on, as a point of support."""
    figures: list[str] = []
    for index, (category, period) in enumerate(cells):
        is_same = index > 0 and cells[index - 1][0] == category
        name = "" if is_same else f"{session.name(category)} "
        figures.append(f"{name}{name_month(period)} {session.say(category, period)}")
    return f"From the tables: {', '.join(figures)}."
