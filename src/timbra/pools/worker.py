"""The child process of a `ProcessPool`: serves one call after another until its parent closes the connection."""

from __future__ import annotations

import resource
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

STATM = Path("/proc/self/statm")
RETIREMENT_SHARE = 4
"""A process that uses more than 1/RETIREMENT_SHARE of its memory limit is replaced, because native caches only grow."""


def main(descriptor: int, memory_bytes: int) -> None:
    """Serve calls until the connection closes.

    Args:
        descriptor: file descriptor of the inherited connection.
        memory_bytes: limit of the address space.
    """
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
    except Exception as error:  # raised again in the parent
        return False, error


def _resident_bytes() -> int:
    """Return the resident memory of this process; without /proc, its maximum so far."""
    try:
        return int(STATM.read_text("ascii").split()[1]) * resource.getpagesize()
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
