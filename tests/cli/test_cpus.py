"""Default number of workers, by CPU affinity and cgroup quotas."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from timbra.cli import serve
from timbra.cli.serve import default_workers
from timbra.core import cpus
from timbra.core.cpus import usable_cpus

MAX_WORKERS_ON_SQLITE = 8

POSTGRESQL = "postgresql+psycopg://timbra@database/timbra"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder /proc/self of a machine with 64 CPUs and without cgroups."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    monkeypatch.setattr(cpus, "PROC", tmp_path / "proc")
    (tmp_path / "proc").mkdir()
    return tmp_path / "proc"


def write_file(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def mount(machine: Path, version: int, root: str = "/") -> Path:
    """Mount a cgroup hierarchy and return the folder of its root."""
    folder = machine.parent / f"cgroup{version}"
    kind = "cgroup2 cgroup2 rw" if version == 2 else "cgroup cgroup rw,cpu,cpuacct"
    write_file(machine / "mountinfo", f"30 23 0:26 {root} {folder} rw,nosuid shared:4 - {kind}\n")
    return folder


def test_usable_cpus_is_the_affinity_when_there_are_no_cgroups(machine: Path) -> None:
    assert usable_cpus(machine) == 64


def test_usable_cpus_of_this_machine_is_between_one_and_cpu_count() -> None:
    assert 1 <= usable_cpus() <= (os.cpu_count() or 1)


@pytest.mark.parametrize(
    ("limit", "usable"),
    [("max 100000", 64), ("200000 100000", 2), ("150000 100000", 2), ("10000 100000", 1), ("9900000 100000", 64)],
)
def test_usable_cpus_applies_the_quota_of_cgroup_v2(machine: Path, limit: str, usable: int) -> None:
    write_file(machine / "cgroup", "0::/\n")
    write_file(mount(machine, 2) / "cpu.max", f"{limit}\n")
    assert usable_cpus(machine) == usable


def test_usable_cpus_applies_the_smallest_quota_of_parent_groups(machine: Path) -> None:
    write_file(machine / "cgroup", "0::/machine/service\n")
    folder = mount(machine, 2)
    write_file(folder / "machine/cpu.max", "300000 100000\n")
    write_file(folder / "machine/service/cpu.max", "400000 100000\n")
    assert usable_cpus(machine) == 3


@pytest.mark.parametrize(("quota", "usable"), [("-1", 64), ("250000", 3)])
def test_usable_cpus_applies_the_quota_of_cgroup_v1(machine: Path, quota: str, usable: int) -> None:
    write_file(machine / "cgroup", "4:memory:/a\n3:cpu,cpuacct:/docker/abc\n0::/\n")
    folder = mount(machine, 1)
    write_file(folder / "docker/abc/cpu.cfs_quota_us", f"{quota}\n")
    write_file(folder / "docker/abc/cpu.cfs_period_us", "100000\n")
    assert usable_cpus(machine) == usable


@pytest.mark.parametrize("root", ["/docker/abc", "/elsewhere"])
def test_usable_cpus_applies_the_quota_of_the_group_mounted_in_a_container(machine: Path, root: str) -> None:
    write_file(machine / "cgroup", "3:cpu,cpuacct:/docker/abc\n")
    folder = mount(machine, 1, root)
    write_file(folder / "cpu.cfs_quota_us", "100000\n")
    write_file(folder / "cpu.cfs_period_us", "100000\n")
    assert usable_cpus(machine) == 1


@pytest.mark.parametrize(
    ("affinity", "url", "workers"),
    [
        (1, "", 1),
        (4, "", 4),
        (64, "", MAX_WORKERS_ON_SQLITE),
        (64, "sqlite:////data/timbra.db", MAX_WORKERS_ON_SQLITE),
        (64, POSTGRESQL, 64),
        (512, POSTGRESQL, 256),
    ],
)
def test_default_workers_is_usable_cpus_up_to_the_limit_of_the_database(
    machine: Path, monkeypatch: pytest.MonkeyPatch, affinity: int, url: str, workers: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(affinity)), raising=False)
    assert default_workers(url) == workers


def test_default_workers_is_one_when_processes_cannot_share_a_socket(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "CAN_FORK", False)
    assert default_workers(POSTGRESQL) == 1
