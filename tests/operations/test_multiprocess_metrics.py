"""Metrics of several workers in a folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import orjson

from timbra.core.metrics import REJECTIONS, MetricsRegistry
from timbra.operations.multiprocess_metrics import MultiprocessMetrics

KEY = ("rejections", ("301",))


def counted(number: int) -> MetricsRegistry:
    metrics = MetricsRegistry()
    metrics.count(REJECTIONS, ("301",), number)
    metrics.body_bytes = number
    return metrics


def left_by(process: str, folder: Path, number: int) -> Path:
    file = folder / f"{process}.meters"
    file.write_bytes(orjson.dumps(counted(number).state()))
    return file


def ended_process() -> str:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait(30)
    return str(process.pid)


def test_total_is_own_metrics_without_folder() -> None:
    assert MultiprocessMetrics(counted(3)).total().counts == {KEY: 3}


def test_total_is_sum_of_all_workers(tmp_path: Path) -> None:
    shared = MultiprocessMetrics(counted(3), tmp_path)
    left_by("1", tmp_path, 4)
    total = shared.total()
    assert (total.counts, total.body_bytes) == ({KEY: 7}, 7)


def test_total_counts_published_own_metrics_once(tmp_path: Path) -> None:
    metrics = counted(3)
    shared = MultiprocessMetrics(metrics, tmp_path)
    shared.publish()
    [file] = tmp_path.iterdir()
    assert orjson.loads(file.read_bytes()) == metrics.state()
    metrics.count(REJECTIONS, ("301",))
    assert shared.total().counts == {KEY: 4}


def test_new_worker_adds_counts_but_not_gauges_of_dead_workers(tmp_path: Path) -> None:
    gone = left_by(ended_process(), tmp_path, 4)
    metrics = counted(3)
    shared = MultiprocessMetrics(metrics, tmp_path)
    assert (metrics.counts, metrics.body_bytes) == ({KEY: 7}, 3)
    assert not gone.exists()
    assert shared.total().counts == {KEY: 7}
    assert [file.suffix for file in tmp_path.iterdir()] == [".meters"]


def test_total_includes_dead_workers(tmp_path: Path) -> None:
    shared = MultiprocessMetrics(counted(3), tmp_path)
    left_by(ended_process(), tmp_path, 4)
    total = shared.total()
    assert (total.counts, total.body_bytes) == ({KEY: 7}, 3)
