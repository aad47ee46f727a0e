"""Failures below Python, of allocations and calls for files, in stamps, cancellations, events and keys."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.compiler import compile_library, has_compiler
from tests.support.effort import cases, rounds

SOURCE = Path(__file__).with_name("failing_calls.c")
ALLOCATIONS, FILE_CALLS = rounds(331, 7), rounds(17, 1)
"""One in so many calls fails."""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc" or not has_compiler(), reason="no glibc, or no C compiler")
@pytest.mark.parametrize("fast_path", cases(["on"], ["on", "off"]))
def test_failure_in_libc_leaves_an_error_or_what_is_whole(fast_path: str, tmp_path: Path) -> None:
    library = compile_library(SOURCE, tmp_path / "failing_calls.so")
    command = [sys.executable, "-m", "tests.simulation.libc_failures", str(tmp_path), fast_path]
    ended = subprocess.run(
        [*command, str(ALLOCATIONS), str(FILE_CALLS)],
        env={**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=rounds(300, 10_800),
    )
    print(ended.stdout)
    assert ended.returncode == 0, ended.stderr[-4000:]
