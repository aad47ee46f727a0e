"""Processes of a drill: free ports, waiting, and SIGKILL for a process with all its descendants."""

from __future__ import annotations

import os
import random
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

PROC = Path("/proc")
DEAD_SECONDS = 60
ZOMBIE = "Z"


class StartedProgram(Protocol):
    """A started program, such as `subprocess.Popen`."""

    pid: int

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def terminate(self) -> None: ...


def free_port() -> int:
    """Return a port of 127.0.0.1 that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(holds: Callable[[], bool], seconds: float, what: str = "a condition", pause: float = 0.01) -> None:
    """Wait until a condition holds.

    Raises:
        TimeoutError: The time is over.
    """
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: {seconds:g} s")
        time.sleep(pause)


def kill_tree(program: StartedProgram, jitter: random.Random | None = None) -> int:
    """Kill a program and all its descendants, as a power cut; return the number of its descendants.

    The program is stopped first, so that it starts no others meanwhile.

    Args:
        program: A child of this process.
        jitter: Shuffles the order; None for the program first.
    """
    with suppress(ProcessLookupError):
        os.kill(program.pid, signal.SIGSTOP)
    found = descendants(program.pid)
    doomed = [program.pid, *found]
    if jitter is not None:
        jitter.shuffle(doomed)
    for pid in doomed:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    program.wait(DEAD_SECONDS)
    wait_for(lambda: not any(map(is_alive, found)), DEAD_SECONDS, "the end of killed processes")
    return len(found)


def descendants(pid: int) -> list[int]:
    """Return the living descendants of a process, as Linux tells them."""
    children = [int(child) for file in _children_files(pid) for child in _read(file).split()]
    return [each for child in children if is_alive(child) for each in (child, *descendants(child))]


def is_alive(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    fields = _read(PROC / str(pid) / "stat").rpartition(")")[2].split()
    return bool(fields) and fields[0] != ZOMBIE


def _children_files(pid: int) -> list[Path]:
    return [*(PROC / str(pid) / "task").glob("*/children")]


def _read(file: Path) -> str:
    """Return the text of a file of /proc; empty when its process has ended."""
    try:
        return file.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
