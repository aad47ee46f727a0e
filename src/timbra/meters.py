"""What a process counts of its own work, cheaply enough for the hot path; how it is told to others is the edge's."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

Labels = tuple[str, ...]
State = dict[str, Any]

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SHORT_SECONDS = (0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0)
TIMED_EVERY = 16
"""Of so many documents, one has its stages timed."""


@dataclass(frozen=True, slots=True)
class Family:
    """What is counted under one name. bounds: upper ends of a histogram's buckets, empty for a plain count."""

    name: str
    labels: Labels
    says: str
    bounds: tuple[float, ...] = ()


REQUESTS = Family("requests", ("operation", "status"), "Requests answered.")
REFUSALS = Family("refusals", ("code",), "Requests refused, by the code that the envelope tells.")
OUTCOMES = Family("claims", ("outcome",), "Finished stamps that asked to be stored, by how that was decided.")
REQUEST_SECONDS = Family(
    "request_seconds", ("operation",), "From the request's head to the end of its answer.", SECONDS
)
STAGE_SECONDS = Family(
    "stage_seconds", ("stage",), f"Stages of a stamp, one document in {TIMED_EVERY} is timed.", SHORT_SECONDS
)
COMMIT_SECONDS = Family("commit_seconds", (), "Durable transactions of stamps.", SHORT_SECONDS)
COMMIT_STAMPS = Family("commit_stamps", (), "Finished stamps that share one transaction.", (1, 2, 4, 8, 16, 32, 64))
FAMILIES = {
    family.name: family
    for family in (REQUESTS, REFUSALS, OUTCOMES, REQUEST_SECONDS, STAGE_SECONDS, COMMIT_SECONDS, COMMIT_STAMPS)
}


class Histogram:
    """Observed values by bucket. counts: one more than bounds, not cumulated; the last is for what lies above all."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


class Laps:
    """The stages of one document: each call of `end` closes the stage that has run since the last one."""

    __slots__ = ("_meters", "_since")

    def __init__(self, meters: Meters) -> None:
        self._meters = meters
        self._since = perf_counter()

    def end(self, stage: str) -> None:
        now = perf_counter()
        self._meters.observe(STAGE_SECONDS, (stage,), now - self._since)
        self._since = now


class Meters:
    """Everything that one process has counted. Counts belong to the thread of the event loop.

    requests_open: that are being answered now. body_bytes: of their bodies.
    """

    __slots__ = ("_documents", "body_bytes", "counts", "histograms", "requests_open")

    def __init__(self) -> None:
        self.counts: dict[tuple[str, Labels], int] = {}
        self.histograms: dict[tuple[str, Labels], Histogram] = {}
        self.requests_open = 0
        self.body_bytes = 0
        self._documents = 0

    def count(self, family: Family, labels: Labels, more: int = 1) -> None:
        key = (family.name, labels)
        self.counts[key] = self.counts.get(key, 0) + more

    def observe(self, family: Family, labels: Labels, value: float) -> None:
        key = (family.name, labels)
        found = self.histograms.get(key)
        if found is None:
            found = self.histograms[key] = Histogram(family.bounds)
        found.observe(value)

    def laps(self) -> Laps | None:
        """A stopwatch for the next document, None for most of them."""
        self._documents += 1
        return Laps(self) if self._documents % TIMED_EVERY == 1 else None

    def state(self) -> State:
        """All of it in JSON-ready values, for `add` in another process."""
        return {
            "counts": [[name, *labels, number] for (name, labels), number in self.counts.items()],
            "histograms": [
                [name, *labels, list(found.counts), found.total] for (name, labels), found in self.histograms.items()
            ],
            "now": [self.requests_open, self.body_bytes],
        }

    def add(self, state: Mapping[str, Any], *, alive: bool = True) -> None:
        """Adds what another process counted. alive: it still runs, so that what it holds now counts too."""
        for name, *labels, number in state["counts"]:
            self.count(FAMILIES[name], tuple(labels), number)
        for name, *labels, counts, total in state["histograms"]:
            key = (name, tuple(labels))
            mine = self.histograms.setdefault(key, Histogram(FAMILIES[name].bounds))
            mine.counts = [one + other for one, other in zip(mine.counts, counts, strict=True)]
            mine.total += total
        if alive:
            requests, size = state["now"]
            self.requests_open += requests
            self.body_bytes += size
