"""The one registry of event kinds: which shape is current, and how older ones become it.

To release a new version of a kind: raise ``V`` on its class, write a pure function from the old
body (a JSON object) to the new one, enter it in ``UPCASTERS``, and add a golden file. Old golden
files stay and are never edited (``tests/ledger/golden``).
"""

from collections.abc import Callable, Mapping

from ledger.canonical import JsonObject
from ledger.events.custody import ArtifactRedacted
from ledger.events.envelope import Body
from ledger.events.grading import (
    DiagnosisMade,
    GraderAnswered,
    GraderAsked,
    GraderFailed,
    GradingCompleted,
    GradingStarted,
    VerdictGiven,
)
from ledger.events.runs import (
    AttemptBegun,
    AttemptFailed,
    RunCompleted,
    RunStarted,
    RunStopped,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
)
from ledger.events.suites import SuiteRegistered

Upcaster = Callable[[JsonObject], JsonObject]
"""From the body of version v to the body of version v + 1; pure."""

KINDS: Mapping[str, type[Body]] = {
    kind.KIND: kind
    for kind in (
        ArtifactRedacted,
        AttemptBegun,
        AttemptFailed,
        DiagnosisMade,
        GraderAnswered,
        GraderAsked,
        GraderFailed,
        GradingCompleted,
        GradingStarted,
        RunCompleted,
        RunStarted,
        RunStopped,
        SuiteRegistered,
        TrialCompleted,
        TrialFailed,
        TrialStarted,
        VerdictGiven,
    )
}

UPCASTERS: Mapping[tuple[str, int], Upcaster] = {}
"""Kind and version to the step that leads on to the next version."""
