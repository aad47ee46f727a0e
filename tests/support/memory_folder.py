"""The temporary folder of the suite: in memory where there is room, for commits to a database wait for a disk."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import psutil  # type: ignore[import-untyped]

MEMORY = Path("/dev/shm")
GIBIBYTE = 1024**3
NEEDED = 8 * GIBIBYTE
"""More than the suite's temporary files take."""


def install() -> None:
    """Make the folder in memory the temporary folder of this process and its children, unless TMPDIR names one."""
    if "TMPDIR" not in os.environ and _has_room():
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None


def _has_room() -> bool:
    if not os.access(MEMORY, os.W_OK):
        return False
    found = os.statvfs(MEMORY)
    executable = not found.f_flag & os.ST_NOEXEC
    return executable and min(found.f_bavail * found.f_frsize, psutil.virtual_memory().available) > NEEDED
