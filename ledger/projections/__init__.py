"""Everything that people read: pure folds over the log, and the engine that keeps them.

A projection has a name, a version and a fold; it has no port and writes nothing. Its state is
split by key (a run, a grading, a trial), so that a step touches one small row and memory stays
flat however long the log is.
"""

from ledger.projections.answers import ANSWERS, AnswerState, name_answer
from ledger.projections.diagnoses import DIAGNOSES, DiagnosisState
from ledger.projections.engine import Folding, Keeper
from ledger.projections.inventory import INVENTORY, Inventory
from ledger.projections.projection import Projection
from ledger.projections.scorecard import SCORECARD, Counts, Scorecard
from ledger.projections.trials import TRIALS, TrialState
from ledger.projections.verdicts import VERDICTS, VerdictState

__all__ = [
    "ANSWERS",
    "DIAGNOSES",
    "INVENTORY",
    "SCORECARD",
    "TRIALS",
    "VERDICTS",
    "AnswerState",
    "Counts",
    "DiagnosisState",
    "Folding",
    "Inventory",
    "Keeper",
    "Projection",
    "Scorecard",
    "TrialState",
    "VerdictState",
    "name_answer",
]
