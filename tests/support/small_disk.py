"""A small disk that a test may fill: a tmpfs, where mounting is allowed."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.requirements import need

MEBIBYTE = 1024 * 1024


class Disk:
    """folder: where it is mounted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self) -> int:
        """Fill the disk and return the number of bytes written."""
        with self._ballast.open("ab", buffering=0) as ballast:
            for size in (MEBIBYTE, 4096, 1):
                while _written(ballast.fileno(), size):
                    pass
            return ballast.tell()

    def free(self) -> None:
        """Delete what `fill` wrote."""
        self._ballast.unlink(missing_ok=True)

    def make_read_only(self) -> None:
        """Mount the disk again, without writing."""
        subprocess.run(["mount", "-o", "remount,ro", str(self.folder)], check=True)


def _written(descriptor: int, size: int) -> bool:
    try:
        return os.write(descriptor, bytes(size)) == size
    except OSError:
        return False


@contextmanager
def disk(mebibytes: int) -> Iterator[Disk]:
    """Yield a disk of that size; skip the test where none can be mounted, or fail it where `mount` is required."""
    with mounted(mebibytes) as small:
        need("mount", small is not None, "a tmpfs cannot be mounted here")
        if small is None:
            pytest.skip("mount")
        yield small


@contextmanager
def mounted(mebibytes: int) -> Iterator[Disk | None]:
    """Yield a disk of that size, or None where none can be mounted."""
    folder = Path(tempfile.mkdtemp(prefix="timbra-disk-"))
    command = ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m,mode=0755", "tmpfs", str(folder)]
    try:
        fits = os.geteuid() == 0 and subprocess.run(command, check=False, capture_output=True).returncode == 0
    except FileNotFoundError:
        fits = False
    try:
        yield Disk(folder) if fits else None
    finally:
        if fits:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
        folder.rmdir()
