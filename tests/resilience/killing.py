"""Termination of servers by SIGKILL."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress

import psutil  # type: ignore[import-untyped]
from tests.support.server import Server

DEAD_SECONDS = 60


def workers_of(server: Server) -> list[psutil.Process]:
    """The worker processes of a supervisor that are alive."""
    children = psutil.Process(server.process.pid).children(recursive=True)
    return [child for child in children if _is_alive(child)]


def kill_all(server: Server, jitter: random.Random) -> int:
    """Kill the supervisor and all its workers in random order, and return the number of workers."""
    os.kill(server.process.pid, signal.SIGSTOP)
    workers = workers_of(server)
    doomed = [server.process.pid, *(worker.pid for worker in workers)]
    jitter.shuffle(doomed)
    for pid in doomed:
        os.kill(pid, signal.SIGKILL)
    server.process.wait(DEAD_SECONDS)
    wait_for(lambda: not any(map(_is_alive, workers)), DEAD_SECONDS)
    return len(workers)


def wait_for(holds: Callable[[], bool], seconds: float) -> None:
    """Wait until a condition holds; AssertionError when the time is over."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _is_alive(process: psutil.Process) -> bool:
    """Return whether the process runs; a zombie does not."""
    with suppress(psutil.NoSuchProcess):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False
