"""The conditions of alerts: expressions of PromQL that can be evaluated over queries of `/metrics` without Prometheus.

Each condition writes its expression, which Prometheus evaluates, and evaluates the same over a `History`. A value
before the first query of a history is that of the first query: a history begins with a quiet past.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, Protocol

from timbra.core.metrics import GaugeFamily, MetricFamily

Labels = frozenset[tuple[str, str]]
Samples = Mapping[str, Mapping[Labels, float]]
"""Values by series and labels."""
LOOKBACK_SECONDS = 300
"""For how long Prometheus uses a value without a newer one."""
SUBQUERY_SECONDS = 15
RATE_SECONDS = 300
PROBES = "health.*|metrics"


def read_samples(page: str) -> Samples:
    """Return the values of a page of metrics in Prometheus' text format."""
    from prometheus_client.parser import text_string_to_metric_families

    found: dict[str, dict[Labels, float]] = defaultdict(dict)
    for family in text_string_to_metric_families(page):
        for sample in family.samples:
            found[sample.name][frozenset(sample.labels.items())] = sample.value
    return found


@dataclass(frozen=True, slots=True)
class Scrape:
    """A query of the metrics of a node. at: Unix time; samples: None when the node did not answer."""

    at: float
    samples: Samples | None


@dataclass
class History:
    """The queries of one node, oldest first."""

    scrapes: list[Scrape] = field(default_factory=list)

    def add(self, at: float, samples: Samples | None) -> None:
        self.scrapes.append(Scrape(at, samples))

    @property
    def now(self) -> float:
        return self.scrapes[-1].at

    def at(self, instant: float) -> Samples:
        """Return the values at an instant; none while the node does not answer."""
        before = [scrape for scrape in self.scrapes if scrape.at <= instant]
        found = before[-1] if before else self.scrapes[0]
        is_old = bool(before) and found.at <= instant - LOOKBACK_SECONDS
        return {} if is_old or found.samples is None else found.samples

    def within(self, seconds: float) -> Iterator[Samples]:
        """Yield the answered queries of the last seconds, after the value at their beginning."""
        if self.scrapes[0].at > self.now - seconds:
            yield self.scrapes[0].samples or {}
        for scrape in self.scrapes:
            if scrape.at > self.now - seconds and scrape.samples is not None:
                yield scrape.samples


@dataclass(frozen=True, slots=True)
class Selector:
    """The series of a metric whose labels match. text: as PromQL writes it, with its braces."""

    family: MetricFamily | GaugeFamily
    text: str = ""

    def __str__(self) -> str:
        return f"{self.family.series}{self.text}"

    def of(self, samples: Samples) -> Mapping[Labels, float]:
        found = samples.get(self.family.series, {})
        return {labels: value for labels, value in found.items() if self._matches(dict(labels))} if self.text else found

    def _matches(self, labels: Mapping[str, str]) -> bool:
        return all(
            _MATCHES[operator](labels.get(name, ""), wanted) for name, operator, wanted in _MATCHER.findall(self.text)
        )


_MATCHER = re.compile(r'(\w+)(=~|!~|!=|=)"([^"]*)"')
_MATCHES: Mapping[str, Callable[[str, str], bool]] = {
    "=": lambda value, wanted: value == wanted,
    "!=": lambda value, wanted: value != wanted,
    "=~": lambda value, wanted: re.fullmatch(wanted, value) is not None,
    "!~": lambda value, wanted: re.fullmatch(wanted, value) is None,
}
_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    ">": lambda value, limit: value > limit,
    "==": lambda value, limit: value == limit,
}


class Condition(Protocol):
    """What makes an alert active."""

    @property
    def expression(self) -> str:
        """The condition in PromQL; the alert is active while it has a result."""
        ...

    def nodes(self, histories: Mapping[str, History]) -> AbstractSet[str]:
        """Return the nodes for which the alert is active now."""
        ...


class NodeCondition(ABC):
    """A condition of each node by itself."""

    def nodes(self, histories: Mapping[str, History]) -> AbstractSet[str]:
        return {name for name, history in histories.items() if self.holds(history)}

    @abstractmethod
    def holds(self, history: History) -> bool:
        """Whether the condition holds for a node now."""


@dataclass(frozen=True, slots=True)
class NoAnswer(NodeCondition):
    """A node does not answer the queries of its metrics. job: the name of the job that queries."""

    job: str

    @property
    def expression(self) -> str:
        return f'up{{job="{self.job}"}} == 0'

    def holds(self, history: History) -> bool:
        return history.scrapes[-1].samples is None


@dataclass(frozen=True, slots=True)
class Absent:
    """No node has the metric."""

    selector: Selector

    @property
    def expression(self) -> str:
        return f"absent({self.selector})"

    def nodes(self, histories: Mapping[str, History]) -> AbstractSet[str]:
        found = any(self.selector.of(history.at(history.now)) for history in histories.values())
        return frozenset() if found else frozenset(histories)


@dataclass(frozen=True, slots=True)
class Compared(NodeCondition):
    """A value is over a limit or equal to it. absolute: whether its sign is left out."""

    selector: Selector
    operator: Literal[">", "=="]
    limit: float
    absolute: bool = False

    @property
    def expression(self) -> str:
        value = f"abs({self.selector})" if self.absolute else str(self.selector)
        return f"{value} {self.operator} {self.limit:.15g}"

    def holds(self, history: History) -> bool:
        values = self.selector.of(history.at(history.now)).values()
        compare = _COMPARISONS[self.operator]
        return any(compare(abs(value) if self.absolute else value, self.limit) for value in values)


@dataclass(frozen=True, slots=True)
class Grew(NodeCondition):
    """A counter grew; a counter that a server has not counted yet has no series."""

    selector: Selector
    minutes: int = 10

    @property
    def expression(self) -> str:
        series, minutes = self.selector, self.minutes
        return f"increase({series}[{minutes}m]) > 0 or ({series} > 0 unless {series} offset {minutes}m)"

    def holds(self, history: History) -> bool:
        points: dict[Labels, list[float]] = defaultdict(list)
        for samples in history.within(self.minutes * 60):
            for labels, value in self.selector.of(samples).items():
                points[labels].append(value)
        before = self.selector.of(history.at(history.now - self.minutes * 60))
        current = self.selector.of(history.at(history.now))
        is_new = any(value > 0 and labels not in before for labels, value in current.items())
        return is_new or any(_increase(values) > 0 for values in points.values())


@dataclass(frozen=True, slots=True)
class QuantileAbove(NodeCondition):
    """A quantile of a histogram of five minutes is over a limit, in seconds."""

    selector: Selector
    quantile: float
    limit: float

    @property
    def expression(self) -> str:
        rate = f"rate({self.selector}[5m])"
        return f"histogram_quantile({self.quantile:g}, sum by (instance, le) ({rate})) > {self.limit:.15g}"

    def holds(self, history: History) -> bool:
        points: dict[Labels, list[float]] = defaultdict(list)
        for samples in history.within(RATE_SECONDS):
            for labels, value in self.selector.of(samples).items():
                points[labels].append(value)
        buckets: dict[float, float] = defaultdict(float)
        for labels, values in points.items():
            buckets[float(dict(labels)["le"])] += _increase(values)
        return _quantile(sorted(buckets.items()), self.quantile) > self.limit


@dataclass(frozen=True, slots=True)
class ShareOfRequests(NodeCondition):
    """The part of the requests of clients that got a status in five minutes is over a limit, from 0 to 1."""

    family: MetricFamily
    status: str
    limit: float

    @property
    def expression(self) -> str:
        every, some = (f"sum by (instance) ({selector})" for selector in self._selectors())
        share = f"increase(({some} or 0 * {every})[5m:15s]) / increase(({every})[5m:15s])"
        return f"{share} > {self.limit:.15g}"

    def holds(self, history: History) -> bool:
        every, some = self._selectors()
        last = int(history.now // SUBQUERY_SECONDS)
        instants = range(last - RATE_SECONDS // SUBQUERY_SECONDS + 1, last + 1)
        pages = [history.at(instant * SUBQUERY_SECONDS) for instant in instants]
        totals = [(sum(every.of(page).values()), sum(some.of(page).values())) for page in pages if every.of(page)]
        requests = _increase([total for total, _ in totals])
        return requests > 0 and _increase([count for _, count in totals]) / requests > self.limit

    def _selectors(self) -> tuple[Selector, Selector]:
        return (
            Selector(self.family, f'{{operation!~"{PROBES}"}}'),
            Selector(self.family, f'{{operation!~"{PROBES}",status="{self.status}"}}'),
        )


def _increase(values: list[float]) -> float:
    """Return by how much a counter grew; it begins at 0 again after a restart of its server."""
    return sum(after - before if after >= before else after for before, after in pairwise(values))


def _quantile(buckets: list[tuple[float, float]], quantile: float) -> float:
    """Return a quantile of cumulative buckets as Prometheus interpolates it; 0 without values."""
    total = buckets[-1][1] if buckets else 0.0
    if total <= 0:
        return 0.0
    rank, lower, below = quantile * total, 0.0, 0.0
    for bound, count in buckets:
        if count >= rank:
            return lower if bound == float("inf") else lower + (bound - lower) * (rank - below) / (count - below)
        lower, below = bound, count
    return lower
