"""Metrics of one process, and their sum over processes."""

from __future__ import annotations

import json

import pytest

from timbra.core.metrics import (
    COMMIT_BATCH_SIZE,
    HTTP_REQUESTS,
    REJECTIONS,
    STAGE_DURATION,
    STAGE_SAMPLING,
    MetricsRegistry,
)


@pytest.mark.parametrize(("value", "bucket"), [(0, 0), (1, 0), (2, 1), (3, 2), (64, 6), (65, 7)])
def test_histogram_observe_uses_first_bucket_whose_bound_is_not_below_value(value: float, bucket: int) -> None:
    metrics = MetricsRegistry()
    metrics.observe(COMMIT_BATCH_SIZE, (), value)
    [histogram] = metrics.histograms.values()
    assert [number for number, count in enumerate(histogram.counts) if count] == [bucket]
    assert histogram.total == value


def test_registry_add_sums_two_processes() -> None:
    first, second = MetricsRegistry(), MetricsRegistry()
    for metrics, times in ((first, 2), (second, 3)):
        for _ in range(times):
            metrics.count(HTTP_REQUESTS, ("issue", "200"))
            metrics.observe(COMMIT_BATCH_SIZE, (), times)
        metrics.body_bytes = times
    second.count(REJECTIONS, ("301",))
    first.add(json.loads(json.dumps(second.state())))
    assert first.counts == {("http_requests", ("issue", "200")): 5, ("rejections", ("301",)): 1}
    assert first.histograms["commit_batch_size", ()].counts == [0, 2, 3, 0, 0, 0, 0, 0]
    assert first.histograms["commit_batch_size", ()].total == 13
    assert (first.body_bytes, first.requests_in_flight) == (5, 0)


def test_registry_add_ignores_gauges_of_dead_process() -> None:
    dead, survivor = MetricsRegistry(), MetricsRegistry()
    dead.count(REJECTIONS, ("301",))
    dead.body_bytes = 7
    survivor.add(dead.state(), alive=False)
    assert (survivor.counts, survivor.body_bytes) == ({("rejections", ("301",)): 1}, 0)


def test_registry_stage_timer_samples_one_document_in_sixteen() -> None:
    metrics = MetricsRegistry()
    for _ in range(2 * STAGE_SAMPLING):
        if (stage_timer := metrics.stage_timer()) is not None:
            stage_timer.end("parse")
            stage_timer.end("rules")
    timed = {labels: sum(found.counts) for (name, labels), found in metrics.histograms.items()}
    assert timed == {("parse",): 2, ("rules",): 2}
    assert {name for name, _ in metrics.histograms} == {STAGE_DURATION.name}
