"""Figures of interleaved rounds: the median tells, the spread warns."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Figure:
    """The median of several rounds with the least and the greatest of them."""

    middle: float
    least: float
    greatest: float

    @staticmethod
    def of(values: Sequence[float]) -> Figure:
        return Figure(median(values), min(values), max(values))

    def text(self, digits: int = 0) -> str:
        """`1,234 (1,200-1,250)`."""
        return f"{self.middle:,.{digits}f} ({self.least:,.{digits}f}-{self.greatest:,.{digits}f})"


@dataclass(frozen=True, slots=True)
class Speed:
    """How often something was done, by the clock on the wall and by the time that a processor spent on it."""

    count: int
    seconds: float
    cpu_seconds: float

    @property
    def rate(self) -> float:
        """Per second."""
        return self.count / self.seconds

    @property
    def cpu_rate(self) -> float:
        """Per second of one processor."""
        return self.count / self.cpu_seconds


def timed(work: Callable[[], object], count: int) -> Speed:
    """Calls `work` that often in this process."""
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(count):
        work()
    return Speed(count, time.perf_counter() - wall, time.process_time() - cpu)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share of all lies (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
