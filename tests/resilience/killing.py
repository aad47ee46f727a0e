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


def processes_of(server: Server) -> list[psutil.Process]:
    """The processes of a supervisor that are alive: its workers, the process for deliveries, and their children."""
    children = psutil.Process(server.process.pid).children(recursive=True)
    return [child for child in children if is_alive(child)]


def workers_of(server: Server) -> list[psutil.Process]:
    """The worker processes of a supervisor: those of its children that listen."""
    return [child for child in _direct_children(server) if _listens(child)]


def delivery_processes_of(server: Server) -> list[psutil.Process]:
    """The processes of a supervisor that make deliveries: one, none while it is replaced."""
    return [child for child in _direct_children(server) if not _listens(child)]


def _direct_children(server: Server) -> list[psutil.Process]:
    return [child for child in psutil.Process(server.process.pid).children() if is_alive(child)]


def _listens(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return any(connection.status == psutil.CONN_LISTEN for connection in process.net_connections(kind="tcp"))
    return False


def kill_all(server: Server, jitter: random.Random) -> int:
    """Kill the supervisor and all its processes in random order, and return the number of these."""
    os.kill(server.process.pid, signal.SIGSTOP)
    processes = processes_of(server)
    doomed = [server.process.pid, *(process.pid for process in processes)]
    jitter.shuffle(doomed)
    for pid in doomed:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    server.process.wait(DEAD_SECONDS)
    wait_for(lambda: not any(map(is_alive, processes)), DEAD_SECONDS)
    return len(processes)


def wait_for(holds: Callable[[], bool], seconds: float) -> None:
    """Wait until a condition holds; AssertionError when the time is over."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_alive(process: psutil.Process) -> bool:
    """Return whether the process runs; a zombie does not."""
    with suppress(psutil.NoSuchProcess):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False
