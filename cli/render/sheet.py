"""What a scorecard is rendered from."""

from collections.abc import Iterable
from dataclasses import dataclass

from trials.scorecard import Report, Shortfall


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A report, and what somebody asked to see of it.

    Attributes:
        shortfalls: the verdicts that count against a rate; read only as far as they are shown.
        is_failed: whether all of them are to be listed.
        has_cases: whether the table by case is to be shown however long it is.
        origin: the log's name in its checkpoints.
        root: of the tree over the events that the report rests on, base64 as in a checkpoint.
    """

    report: Report
    shortfalls: Iterable[Shortfall]
    is_failed: bool = False
    has_cases: bool = False
    origin: str
    root: str
