"""Termination of servers by SIGKILL."""

from __future__ import annotations

import random
from contextlib import suppress

import psutil  # type: ignore[import-untyped]
from tests.support.server import Server

from timbra.testing.services.processes import kill_tree, wait_for

__all__ = ["delivery_processes_of", "is_alive", "kill_all", "processes_of", "wait_for", "workers_of"]


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
    return kill_tree(server.process, jitter)


def is_alive(process: psutil.Process) -> bool:
    """Return whether the process runs; a zombie does not."""
    with suppress(psutil.NoSuchProcess):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False
