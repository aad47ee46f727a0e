"""A download from the emulated SAT by processes that are killed, through faults of every service."""

from __future__ import annotations

from pathlib import Path

from bench.bulk_sync import SyncOptions, measure
from tests.support.effort import LONG

QUICK = SyncOptions(documents=300, kills=2, pause=0.8, fault_share=0.2, package=40)
LONG_FORM = SyncOptions(documents=100_000, kills=30, pause=10, fault_share=0.2, package=2_000)


def test_download_loses_nothing_when_its_processes_are_killed(tmp_path: Path) -> None:
    options = LONG_FORM if LONG else QUICK
    result = measure(tmp_path, options)

    assert (result.lost, result.twice, result.equal_requests) == (0, 0, 0)
    assert result.kills == options.kills
    assert result.package_faults > 0
