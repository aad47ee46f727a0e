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

from timbra.metrics import METRIC_FAMILIES, Histogram, Labels, MetricsRegistry

Value = TypeVar("Value", int, Histogram)
PREFIX = "timbra_"


@dataclass(frozen=True, slots=True)
class PrometheusGauge:
    """A state: one value for each combination of its labels."""

    name: str
    description: str
    values: Mapping[Labels, float]
    labels: Labels = ()


def exposed(metrics: MetricsRegistry, gauges: list[PrometheusGauge], accept: str) -> tuple[bytes, str]:
    """The page, and its content type as the header Accept wishes."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Pages(metrics, gauges))
    encode, content_type = choose_encoder(accept)
    page: bytes = encode(registry)
    return page, content_type


class _Pages(Collector):
    def __init__(self, metrics: MetricsRegistry, gauges: list[PrometheusGauge]) -> None:
        self._metrics = metrics
        self._gauges = gauges

    def collect(self) -> Iterator[Metric]:
        for family in METRIC_FAMILIES.values():
            name = PREFIX + family.name
            if family.bounds:
                yield _histogram(
                    name, family.description, family.labels, self._found(family.name, self._metrics.histograms)
                )
            else:
                yield _counter(name, family.description, family.labels, self._found(family.name, self._metrics.counts))
        yield _gauge(
            PrometheusGauge(
                "http_requests_in_flight", "Requests that are being answered.", {(): self._metrics.requests_in_flight}
            )
        )
        yield _gauge(
            PrometheusGauge(
                "request_body_bytes", "Bytes of request bodies that are held.", {(): self._metrics.body_bytes}
            )
        )
        waiting: dict[Labels, float] = {
            (pool,): float(number) for pool, number in self._metrics.pool_queue_lengths.items()
        }
        yield _gauge(
            PrometheusGauge("pool_queue_length", "Requests that wait for a slot of a pool.", waiting, ("pool",))
        )
        for gauge in self._gauges:
            yield _gauge(gauge)

    @staticmethod
    def _found(name: str, kept: Mapping[tuple[str, Labels], Value]) -> dict[Labels, Value]:
        return {labels: kept[found, labels] for found, labels in sorted(kept) if found == name}


def _counter(name: str, description: str, labels: Labels, values: Mapping[Labels, int]) -> Metric:
    metric = CounterMetricFamily(name, description, labels=labels)
    for given, number in values.items():
        metric.add_metric(given, number)
    return metric


def _histogram(name: str, description: str, labels: Labels, values: Mapping[Labels, Histogram]) -> Metric:
    metric = HistogramMetricFamily(name, description, labels=labels)
    for given, found in values.items():
        ends = [*(f"{bound:g}" for bound in found.bounds), "+Inf"]
        metric.add_metric(given, list(zip(ends, accumulate(found.counts), strict=True)), found.total)
    return metric


def _gauge(gauge: PrometheusGauge) -> Metric:
    metric = GaugeMetricFamily(PREFIX + gauge.name, gauge.description, labels=gauge.labels)
    for given, value in gauge.values.items():
        metric.add_metric(given, value)
    return metric
