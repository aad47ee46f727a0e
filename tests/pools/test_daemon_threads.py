"""Daemon threads: results, errors, limits, and a process that ends while a call hangs."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from timbra.pools.daemon_threads import DaemonThreads

WAIT_SECONDS = 30
HANGING = """
import threading
from timbra.pools.daemon_threads import DaemonThreads
inside = threading.Event()
DaemonThreads(1, "test").submit(lambda: (inside.set(), threading.Event().wait()))
assert inside.wait(30)
"""


def test_submit_returns_results_and_errors() -> None:
    threads = DaemonThreads(2, "test")
    assert threads.submit(int, "7").result(WAIT_SECONDS) == 7
    with pytest.raises(ValueError, match="invalid literal"):
        threads.submit(int, "x").result(WAIT_SECONDS)
    assert [future.result(WAIT_SECONDS) for future in [threads.submit(abs, -n) for n in range(20)]] == list(range(20))


def test_submit_runs_as_many_calls_as_threads_and_skips_cancelled_ones() -> None:
    threads, together, release = DaemonThreads(2, "test"), threading.Barrier(3), threading.Event()

    def wait() -> bool:
        together.wait(WAIT_SECONDS)
        return release.wait(WAIT_SECONDS)

    running = [threads.submit(wait) for _ in range(2)]
    queued = threads.submit(int, "7")
    together.wait(WAIT_SECONDS)
    assert queued.cancel()
    release.set()
    assert [future.result(WAIT_SECONDS) for future in running] == [True, True]


def test_shutdown_ends_after_the_submitted_work() -> None:
    threads = DaemonThreads(1, "test")
    last = threads.submit(int, "7")
    threads.shutdown()
    assert last.result(WAIT_SECONDS) == 7
    with pytest.raises(RuntimeError, match="closed"):
        threads.submit(int, "8")


def test_process_ends_while_a_call_hangs() -> None:
    assert subprocess.run([sys.executable, "-c", HANGING], timeout=60, check=False).returncode == 0
