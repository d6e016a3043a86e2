"""The kinds of event, by area, and the one registry of their versions.

An event is one immutable fact. Its kind never changes its meaning: a new shape is a new version,
and a reader upcasts the old one when it reads (``registry``); stored bytes are never rewritten.
Every ``Digest`` field names an earlier event, every ``ArtifactRef`` field names bytes; nothing
else in an event points anywhere.
"""

from ledger.events.custody import ArtifactRedacted
from ledger.events.envelope import Body, Entry, Event
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

__all__ = [
    "ArtifactRedacted",
    "AttemptBegun",
    "AttemptFailed",
    "Body",
    "DiagnosisMade",
    "Entry",
    "Event",
    "GraderAnswered",
    "GraderAsked",
    "GraderFailed",
    "GradingCompleted",
    "GradingStarted",
    "RunCompleted",
    "RunStarted",
    "RunStopped",
    "SuiteRegistered",
    "TrialCompleted",
    "TrialFailed",
    "TrialStarted",
    "VerdictGiven",
]
