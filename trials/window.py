"""The window: the time in which some runs are made together, and what all its calls share."""

from dataclasses import dataclass, field

from providers import Provider, Vault
from trials.budget import Purse
from trials.pace import Pace
from trials.stop import Stop
from trials.suite import Configuration


@dataclass(frozen=True, slots=True, kw_only=True)
class Respondent:
    """Who answers: a configuration, and its provider ready to answer."""

    configuration: Configuration
    provider: Provider


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What all calls of a window share.

    Attributes:
        vault: the secrets that are kept out of the record.
        stop: whether to stop.
        purse: what may still be spent.
        pace: how often calls may be begun.
        reached: runs, and roles of gradings, in which at least one call was answered.
    """

    vault: Vault = field(default_factory=Vault)
    stop: Stop = field(default_factory=Stop)
    purse: Purse = field(default_factory=Purse)
    pace: Pace = field(default_factory=Pace)
    reached: set[str] = field(default_factory=set)
