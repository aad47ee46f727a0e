"""Figures of interleaved rounds: the median, with the minimum and maximum as a measure of the spread."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Figure:
    """The median of several rounds, with their minimum and maximum."""

    middle: float
    least: float
    greatest: float

    @staticmethod
    def of(values: Sequence[float]) -> Figure:
        """Return the figure of these values."""
        return Figure(median(values), min(values), max(values))

    def text(self, digits: int = 0) -> str:
        """Format as `1,234 (1,200-1,250)`."""
        return f"{self.middle:,.{digits}f} ({self.least:,.{digits}f}-{self.greatest:,.{digits}f})"


@dataclass(frozen=True, slots=True)
class Speed:
    """A count of operations, with the wall time and the processor time that they took."""

    count: int
    seconds: float
    cpu_seconds: float

    @property
    def rate(self) -> float:
        """Operations per second."""
        return self.count / self.seconds

    @property
    def cpu_rate(self) -> float:
        """Operations per second of one processor."""
        return self.count / self.cpu_seconds


def timed(work: Callable[[], object], count: int) -> Speed:
    """Call `work` that number of times in this process."""
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(count):
        work()
    return Speed(count, time.perf_counter() - wall, time.process_time() - cpu)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the percentile of that share by nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
