"""The scorecard that people read: counted verdicts, declared minimums, the gate, and its identity.

1. pass rate = pass / (pass + fail + unproven), shown with numerator, denominator and interval;
2. each check of the gated variant has to meet its own minimum; no average compensates;
3. a critical check, and every check on a critical case, may not fail or stay unproven once;
4. a check that was never decided on the gated variant meets no minimum;
5. where the suite refuses other models, no trial of the gated variant may have been answered under
   a name that is neither the configuration's model nor among its resolved models;
6. an incomplete grading passes no gate;
7. as of a position, everything is computed from the events before it alone.

Everything in a report is a plain frozen value, so that comparisons and labels can fold it further.
"""

from trials.scorecard.calls import Attempts, Cost, Known
from trials.scorecard.cases import CaseRow, Joint
from trials.scorecard.identity import Answering, GraderUse, Identity, Revisions
from trials.scorecard.newest import find_grading, find_run
from trials.scorecard.places import Place
from trials.scorecard.ratios import Interval, Ratio
from trials.scorecard.report import Report, Row, make_report
from trials.scorecard.shortfalls import Shortfall, list_shortfalls
from trials.scorecard.suspects import Suspicion
from trials.scorecard.times import Spent, Timing

__all__ = [
    "Answering",
    "Attempts",
    "CaseRow",
    "Cost",
    "GraderUse",
    "Identity",
    "Interval",
    "Joint",
    "Known",
    "Place",
    "Ratio",
    "Report",
    "Revisions",
    "Row",
    "Shortfall",
    "Spent",
    "Suspicion",
    "Timing",
    "find_grading",
    "find_run",
    "list_shortfalls",
    "make_report",
]
