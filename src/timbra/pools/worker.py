"""The child process of a `ProcessPool`: takes one call after the other until its parent closes the connection."""

from __future__ import annotations

import resource
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

STATM = Path("/proc/self/statm")
RETIREMENT_SHARE = 4
"""A process that has used a larger share of its memory limit, one in so many, is replaced: native caches only grow."""


def main(descriptor: int, memory_bytes: int) -> None:
    """descriptor: of the inherited connection. memory_bytes: limit of the address space."""
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with Connection(descriptor) as connection:
        while True:
            try:
                seconds, work = connection.recv()
            except EOFError:
                return
            # The default action of SIGALRM ends the process inside native code too, also when the parent has died.
            signal.setitimer(signal.ITIMER_REAL, seconds)
            succeeded, value = _outcome(work)
            connection.send((succeeded, value, _resident_bytes() > memory_bytes // RETIREMENT_SHARE))
            signal.setitimer(signal.ITIMER_REAL, 0)


def _outcome(work: Callable[[], object]) -> tuple[bool, object]:
    try:
        return True, work()
    except Exception as error:  # the parent raises it
        return False, error


def _resident_bytes() -> int:
    """The memory that this process holds; without /proc the most that it has held."""
    try:
        return int(STATM.read_text("ascii").split()[1]) * resource.getpagesize()
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
