"""Counts of several workers, in a folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import orjson

from timbra.meters import REFUSALS, Meters
from timbra.service.shared_meters import SharedMeters

KEY = ("refusals", ("301",))


def counted(number: int) -> Meters:
    meters = Meters()
    meters.count(REFUSALS, ("301",), number)
    meters.body_bytes = number
    return meters


def left_by(process: str, folder: Path, number: int) -> Path:
    file = folder / f"{process}.meters"
    file.write_bytes(orjson.dumps(counted(number).state()))
    return file


def ended_process() -> str:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait(30)
    return str(process.pid)


def test_alone_it_tells_its_own() -> None:
    assert SharedMeters(counted(3)).total().counts == {KEY: 3}


def test_any_worker_tells_the_sum(tmp_path: Path) -> None:
    shared = SharedMeters(counted(3), tmp_path)
    left_by("1", tmp_path, 4)
    total = shared.total()
    assert (total.counts, total.body_bytes) == ({KEY: 7}, 7)


def test_own_counts_are_published_and_not_counted_twice(tmp_path: Path) -> None:
    meters = counted(3)
    shared = SharedMeters(meters, tmp_path)
    shared.publish()
    [file] = tmp_path.iterdir()
    assert orjson.loads(file.read_bytes()) == meters.state()
    meters.count(REFUSALS, ("301",))
    assert shared.total().counts == {KEY: 4}


def test_a_worker_inherits_what_the_dead_counted_but_not_what_they_held(tmp_path: Path) -> None:
    gone = left_by(ended_process(), tmp_path, 4)
    meters = counted(3)
    shared = SharedMeters(meters, tmp_path)
    assert (meters.counts, meters.body_bytes) == ({KEY: 7}, 3)
    assert not gone.exists()
    assert shared.total().counts == {KEY: 7}
    assert [file.suffix for file in tmp_path.iterdir()] == [".meters"]


def test_the_dead_count_until_somebody_inherits(tmp_path: Path) -> None:
    shared = SharedMeters(counted(3), tmp_path)
    left_by(ended_process(), tmp_path, 4)
    total = shared.total()
    assert (total.counts, total.body_bytes) == ({KEY: 7}, 3)
