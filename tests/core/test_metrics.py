"""Metrics of one process, and their sum over processes."""

from __future__ import annotations

import json

import pytest

from timbra.core import metrics as module
from timbra.core.metrics import (
    COMMIT_BATCH_SIZE,
    HTTP_REQUESTS,
    REJECTIONS,
    STAGE_DURATION,
    STAGE_SAMPLING,
    MetricFamily,
    MetricsRegistry,
)
from timbra.web.framework.prometheus import render_metrics

FAMILIES = [each for each in vars(module).values() if isinstance(each, MetricFamily)]


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


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_family_is_added_up_and_shown(family: MetricFamily) -> None:
    worker, total = MetricsRegistry(), MetricsRegistry()
    labels = tuple("x" for _ in family.labels)
    if family.bounds:
        worker.observe(family, labels, 1)
    else:
        worker.count(family, labels)
    total.add(json.loads(json.dumps(worker.state())))
    assert (total.counts, len(total.histograms)) == (worker.counts, len(worker.histograms))
    page, _ = render_metrics(total, [], "text/plain")
    assert f"# HELP timbra_{family.name}" in page.decode()
    values = ",".join(f'{label}="x"' for label in family.labels)
    sample = f"timbra_{family.name}" + ("_count" if family.bounds else "_total") + (f"{{{values}}}" if values else "")
    assert f"{sample} 1.0" in page.decode()
