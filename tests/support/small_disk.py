"""A small disk that a test may fill: a tmpfs, where mounting is allowed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.support.requirements import need

from timbra.testing.services.small_disk import Disk, mounted


def make_read_only(small: Disk) -> None:
    """Mount the disk again, without writing."""
    subprocess.run(["mount", "-o", "remount,ro", str(small.folder)], check=True)


@contextmanager
def disk(mebibytes: int) -> Iterator[Disk]:
    """Yield a disk of that size; skip the test where none can be mounted, or fail it where `mount` is required."""
    with mounted(mebibytes) as small:
        need("mount", small is not None, "a tmpfs cannot be mounted here")
        if small is None:
            pytest.skip("mount")
        yield small
