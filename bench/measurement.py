"""What a measurement is: runs that are repeated in turn, and rows with their medians.

1. everything that is compared is run in turn, in one process and on one disk, and who begins
   changes with each repeat: a slow minute of the machine meets all of them;
2. a ratio is taken within a repeat, and the median over the repeats is what counts;
3. beside the clock on the wall stands the processor's: what a busy machine changes least. A bar is
   met or missed by the wall;
4. all samples are kept; a bar that is missed is a finding, not a failure.

    >>> row = Row(name="x", what="X", unit="×", samples=[4.0, 6.0, 5.0], bar=at_least(5))
    >>> row.median, row.meets
    (5.0, True)
"""

import gc
import resource
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol


class Bar(NamedTuple):
    """What a row should reach: at least ``limit``, or at most."""

    limit: float
    is_floor: bool

    def is_met_by(self, value: float) -> bool:
        """Return whether ``value`` is on the right side, the limit included."""
        return value >= self.limit if self.is_floor else value <= self.limit


def at_least(limit: float) -> Bar:
    return Bar(limit, is_floor=True)


def at_most(limit: float) -> Bar:
    return Bar(limit, is_floor=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """An absolute figure: what stands behind a ratio."""

    unit: str
    samples: Sequence[float]

    @property
    def median(self) -> float:
        return statistics.median(self.samples)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table.

    Attributes:
        name: stable, for whoever compares two results.
        what: for people.
        unit: of the samples: ``%``, ``×``, ``events/s``, ``MB`` and so on.
        samples: one for each repeat.
        bar: what the median should reach; ``None`` for a row that is there to be read alone.
        cpu_samples: the same by processor time, that of child processes included; or none.
        figures: the absolute figures behind the samples, by name.
    """

    name: str
    what: str
    unit: str
    samples: Sequence[float]
    bar: Bar | None = None
    cpu_samples: Sequence[float] = ()
    figures: Mapping[str, Figure] = field(default_factory=dict)

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def cpu_median(self) -> float | None:
        return statistics.median(self.cpu_samples) if self.cpu_samples else None

    @property
    def meets(self) -> bool | None:
        """Whether the bar is met; ``None`` where there is none."""
        return None if self.bar is None else self.bar.is_met_by(self.median)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Where and how much to measure.

    Attributes:
        folder: an empty folder on the disk that is measured.
        is_quick: fewer repeats of less work; the figures scatter more.
    """

    folder: Path
    is_quick: bool

    def pick(self, full: int, quick: int) -> int:
        """Return an amount of work."""
        return quick if self.is_quick else full


class Measure(Protocol):
    """A measurement: a module of this folder has one, ``measure``."""

    def __call__(self, setting: Setting) -> list[Row]: ...


class Rate(NamedTuple):
    """Things done a second: by the clock on the wall, and by the time of the processor."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Rates:
    """The samples of one run."""

    wall: list[float]
    cpu: list[float]

    def figure(self, unit: str) -> Figure:
        return Figure(unit=unit, samples=self.wall)


def run_in_turn(repeats: int, runs: Mapping[str, Callable[[], Rate]]) -> dict[str, Rates]:
    """Return the samples of each of ``runs``, made in turn; another one begins each time."""
    samples = {name: Rates([], []) for name in runs}
    names = list(runs)
    for repeat in range(repeats):
        first = repeat % len(names)
        for name in names[first:] + names[:first]:
            rate = runs[name]()
            samples[name].wall.append(rate.wall)
            samples[name].cpu.append(rate.cpu)
    return samples


def measure_rate(amount: int, task: Callable[[], object]) -> Rate:
    """Do ``task``, which does ``amount`` things, and return how many that is a second.

    What was made ready for it is kept out of the garbage search, which would otherwise go over
    it again and again at the cost of whoever is measured.
    """
    gc.collect()
    gc.freeze()
    cpu, wall = _read_cpu_s(), time.perf_counter()
    try:
        task()
        return Rate(amount / (time.perf_counter() - wall), amount / (_read_cpu_s() - cpu))
    finally:
        gc.unfreeze()


def divide_rates(ours: Rates, theirs: Rates, scale: float = 1) -> Rates:
    """Return the ratio within each repeat, times ``scale``."""
    return Rates(
        [scale * our / their for our, their in zip(ours.wall, theirs.wall, strict=True)],
        [scale * our / their for our, their in zip(ours.cpu, theirs.cpu, strict=True)],
    )


def _read_cpu_s() -> float:
    """Return the processor time of this process and of the children that ended."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
