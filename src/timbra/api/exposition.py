"""Counts and states in Prometheus' words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from timbra.meters import FAMILIES, Histogram, Labels, Meters

Value = TypeVar("Value", int, Histogram)
PREFIX = "timbra_"


@dataclass(frozen=True, slots=True)
class Gauge:
    """A state: one value for each combination of its labels."""

    name: str
    says: str
    values: Mapping[Labels, float]
    labels: Labels = ()


def exposed(meters: Meters, gauges: list[Gauge], accept: str) -> tuple[bytes, str]:
    """The page, and its content type as the header Accept wishes."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Pages(meters, gauges))
    encode, content_type = choose_encoder(accept)
    page: bytes = encode(registry)
    return page, content_type


class _Pages(Collector):
    def __init__(self, meters: Meters, gauges: list[Gauge]) -> None:
        self._meters = meters
        self._gauges = gauges

    def collect(self) -> Iterator[Metric]:
        for family in FAMILIES.values():
            name = PREFIX + family.name
            if family.bounds:
                yield _histogram(name, family.says, family.labels, self._found(family.name, self._meters.histograms))
            else:
                yield _counter(name, family.says, family.labels, self._found(family.name, self._meters.counts))
        yield _gauge(Gauge("requests_open", "Requests that are being answered.", {(): self._meters.requests_open}))
        yield _gauge(Gauge("body_bytes", "Bytes of request bodies that are held.", {(): self._meters.body_bytes}))
        for gauge in self._gauges:
            yield _gauge(gauge)

    @staticmethod
    def _found(name: str, kept: Mapping[tuple[str, Labels], Value]) -> dict[Labels, Value]:
        return {labels: kept[found, labels] for found, labels in sorted(kept) if found == name}


def _counter(name: str, says: str, labels: Labels, values: Mapping[Labels, int]) -> Metric:
    metric = CounterMetricFamily(name, says, labels=labels)
    for given, number in values.items():
        metric.add_metric(given, number)
    return metric


def _histogram(name: str, says: str, labels: Labels, values: Mapping[Labels, Histogram]) -> Metric:
    metric = HistogramMetricFamily(name, says, labels=labels)
    for given, found in values.items():
        ends = [*(f"{bound:g}" for bound in found.bounds), "+Inf"]
        metric.add_metric(given, list(zip(ends, accumulate(found.counts), strict=True)), found.total)
    return metric


def _gauge(gauge: Gauge) -> Metric:
    metric = GaugeMetricFamily(PREFIX + gauge.name, gauge.says, labels=gauge.labels)
    for given, value in gauge.values.items():
        metric.add_metric(given, value)
    return metric
