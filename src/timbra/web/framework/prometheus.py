"""Metrics in the exposition format of Prometheus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from timbra.core.metrics import (
    HTTP_REQUESTS_IN_FLIGHT,
    METRIC_FAMILIES,
    POOL_QUEUE_LENGTH,
    PREFIX,
    REQUEST_BODY_BYTES,
    GaugeFamily,
    Histogram,
    Labels,
    MetricsRegistry,
)

Value = TypeVar("Value", int, Histogram)


@dataclass(frozen=True, slots=True)
class PrometheusGauge:
    """The values of a gauge.

    Attributes:
        family: The gauge.
        values: Value by label values.
    """

    family: GaugeFamily
    values: Mapping[Labels, float]


def render_metrics(metrics: MetricsRegistry, gauges: list[PrometheusGauge], accept: str) -> tuple[bytes, str]:
    """Render the page of `GET /metrics`.

    Args:
        metrics: Counters and histograms.
        gauges: Gauges besides those of `metrics`.
        accept: The `Accept` header of the request, which selects the text format or OpenMetrics.

    Returns:
        The page and its content type.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_MetricsCollector(metrics, gauges))
    encode, content_type = choose_encoder(accept)
    page: bytes = encode(registry)
    return page, content_type


class _MetricsCollector(Collector):
    def __init__(self, metrics: MetricsRegistry, gauges: list[PrometheusGauge]) -> None:
        self._metrics = metrics
        self._gauges = gauges

    def collect(self) -> Iterator[Metric]:
        metrics = self._metrics
        for family in METRIC_FAMILIES.values():
            name = PREFIX + family.name
            if family.bounds:
                histograms = _of_family(family.name, metrics.histograms)
                yield _histogram(name, family.description, family.labels, histograms)
            else:
                counts = _of_family(family.name, metrics.counts)
                yield _counter(name, family.description, family.labels, counts)
        queue_lengths: dict[Labels, float] = {
            (pool,): float(length) for pool, length in metrics.pool_queue_lengths.items()
        }
        own_gauges = (
            PrometheusGauge(HTTP_REQUESTS_IN_FLIGHT, {(): metrics.requests_in_flight}),
            PrometheusGauge(REQUEST_BODY_BYTES, {(): metrics.body_bytes}),
            PrometheusGauge(POOL_QUEUE_LENGTH, queue_lengths),
        )
        for gauge in (*own_gauges, *self._gauges):
            yield _gauge(gauge)


def _of_family(name: str, values: Mapping[tuple[str, Labels], Value]) -> dict[Labels, Value]:
    """Return the values of one family by label values, sorted."""
    return {labels: values[family, labels] for family, labels in sorted(values) if family == name}


def _counter(name: str, description: str, labels: Labels, values: Mapping[Labels, int]) -> Metric:
    metric = CounterMetricFamily(name, description, labels=labels)
    for label_values, number in values.items():
        metric.add_metric(label_values, number)
    return metric


def _histogram(name: str, description: str, labels: Labels, values: Mapping[Labels, Histogram]) -> Metric:
    metric = HistogramMetricFamily(name, description, labels=labels)
    for label_values, histogram in values.items():
        bounds = [*(f"{bound:g}" for bound in histogram.bounds), "+Inf"]
        metric.add_metric(label_values, list(zip(bounds, accumulate(histogram.counts), strict=True)), histogram.total)
    return metric


def _gauge(gauge: PrometheusGauge) -> Metric:
    family = gauge.family
    metric = GaugeMetricFamily(PREFIX + family.name, family.description, labels=family.labels)
    for label_values, value in gauge.values.items():
        metric.add_metric(label_values, value)
    return metric
