"""Number of CPUs that this process may use, by its CPU affinity and by the quota of its control groups (cgroups).

Source: sched_getaffinity(2); the kernel's documentation of `cpu.max` (cgroup v2) and `cpu.cfs_quota_us` (v1).
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

PROC = Path("/proc/self")
UNLIMITED = -1


def usable_cpus(proc: Path | None = None) -> int:
    """Return the number of CPUs, at least 1; quotas are rounded up, because one worker cannot use 1.5 CPUs.

    Args:
        proc: folder of this process below `/proc`.
    """
    quotas = [math.ceil(quota) for quota in _quotas(proc or PROC)]
    return max(1, min([_affinity(), *quotas]))


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quotas(proc: Path) -> Iterator[float]:
    """Yield the quota, in CPUs, of each cgroup of this process and of each of its parents."""
    groups = _groups(proc)
    for version, root, folder in _mounts(proc):
        own = groups.get(version)
        if own is None:
            continue
        for group in _with_parents(own, root):
            quota = _quota(version, folder / group)
            if quota is not None:
                yield quota


def _groups(proc: Path) -> dict[int, PurePosixPath]:
    """Return the cgroup of this process by cgroup version; for version 1, that of the controller `cpu`."""
    groups: dict[int, PurePosixPath] = {}
    for line in _lines(proc / "cgroup"):
        number, controllers, group = line.split(":", 2)
        if number == "0" and not controllers:
            groups[2] = PurePosixPath(group)
        elif "cpu" in controllers.split(","):
            groups[1] = PurePosixPath(group)
    return groups


def _mounts(proc: Path) -> Iterator[tuple[int, PurePosixPath, Path]]:
    """Yield each mounted hierarchy: cgroup version, the group that is the root of the mount, mount point."""
    for line in _lines(proc / "mountinfo"):
        mount, _, kind = line.partition(" - ")
        fields, described = mount.split(" "), kind.split(" ")
        if described[0] == "cgroup2":
            yield 2, PurePosixPath(fields[3]), Path(fields[4])
        elif described[0] == "cgroup" and "cpu" in described[-1].split(","):
            yield 1, PurePosixPath(fields[3]), Path(fields[4])


def _with_parents(own: PurePosixPath, root: PurePosixPath) -> Iterator[PurePosixPath]:
    """Yield a group and its parents up to the root of the mount, relative to that root.

    In a container that sees the groups of its host, the group is not below the root: the root alone is yielded.
    """
    if not own.is_relative_to(root):
        yield PurePosixPath()
        return
    group = own.relative_to(root)
    yield from (group, *group.parents)


def _quota(version: int, folder: Path) -> float | None:
    """Return the quota in CPUs; None for a group that has none or does not exist."""
    if version == 2:
        [limit, period] = (_lines(folder / "cpu.max") or ["max 100000"])[0].split()
        return None if limit == "max" else int(limit) / int(period)
    limits = [*_lines(folder / "cpu.cfs_quota_us"), *_lines(folder / "cpu.cfs_period_us")]
    if len(limits) != 2 or int(limits[0]) == UNLIMITED:
        return None
    return int(limits[0]) / int(limits[1])


def _lines(file: Path) -> list[str]:
    """Return the lines of a file; none when it does not exist, as on systems other than Linux."""
    try:
        return file.read_text().splitlines()
    except OSError:
        return []
