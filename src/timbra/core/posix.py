"""Functions of POSIX systems, and what replaces them on systems without them, such as Windows."""

from __future__ import annotations

import mmap
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable

CAN_FORK = hasattr(os, "fork")
"""Whether a process can pass its open files to its children."""
ALARM_STATUS = -signal.SIGALRM if hasattr(signal, "SIGALRM") else None
"""Exit status of a process that `set_alarm` ended; None where there is no such signal."""
MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT = 1, 2, 4
"""Flags of Linux: pages are locked when they are first used, so that unused memory costs nothing."""
PROCESSOR_STATUS = -signal.SIGPROF if hasattr(signal, "SIGPROF") else None
"""Exit status of a process that `set_processor_alarm` ended; None where there is no such signal."""
M_ARENA_MAX = -8
"""Parameter of glibc's `mallopt`."""
STATM = Path("/proc/self/statm")
AUTOGROUP = Path("/proc/self/autogroup")
"""Nice value of the session of this process, on Linux with automatic groups of the scheduler."""


def handle_signal(loop: AbstractEventLoop, number: signal.Signals, handler: Callable[[], None]) -> None:
    """Call a function in the event loop on each signal; the event loops of Windows have no signal handlers."""
    try:
        loop.add_signal_handler(number, handler)
    except NotImplementedError:
        signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(handler))


def end_with_writer(reader: int) -> None:
    """End this process when the last writer of a pipe is closed, even while it is stopped or in native code.

    The kernel sends SIGKILL then. Linux only: elsewhere the process must notice the end of the pipe itself.

    Args:
        reader: Descriptor of the reading end. It may be shared with other processes, and may be closed afterwards.
    """
    try:
        import fcntl
        import select
    except ImportError:
        return
    if not hasattr(fcntl, "F_SETSIG"):
        return
    # The owner of the signal belongs to the open file, which forked processes share: each one opens its own.
    own = os.open(f"/proc/self/fd/{reader}", os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(own, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(own, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(own, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC)
    end = select.poll()
    end.register(own, 0)
    if end.poll(0):  # Before the signal was requested.
        os.kill(os.getpid(), signal.SIGKILL)


def try_lock(file: IO[Any]) -> bool:
    """Lock a file without waiting; the lock is held until the file is closed.

    Returns:
        False when another process holds the lock. True without a lock on systems that have no `flock`.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that renamed files survive a power failure; not on systems that cannot open folders."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def limit_memory(address_space: int) -> None:
    """Limit the address space of this process, and disable its core dumps; no limit on systems without `setrlimit`.

    Args:
        address_space: limit in bytes.
    """
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def lower_priority(niceness: int) -> None:
    """Lower the scheduling priority of this process, so that others get the processor first; not without `nice`.

    Linux divides the processor among sessions first (sched_autogroup), where nice values of processes in different
    sessions do not count. A process that leads a session therefore lowers the priority of its session too.

    Args:
        niceness: what is added to the nice value, 0 to 19.
    """
    if not niceness or not hasattr(os, "nice"):
        return
    nice = os.nice(niceness)
    if os.getsid(0) == os.getpid():
        # Without the file, or with a rejection, the process has the nice value only.
        with suppress(OSError):
            AUTOGROUP.write_text(str(nice), "ascii")


def raise_open_file_limit() -> int | None:
    """Raise the soft limit of open files to the hard limit.

    Returns:
        The limit; None when the system has none, or no `setrlimit`.
    """
    try:
        import resource
    except ImportError:
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return None if hard == resource.RLIM_INFINITY else hard


def set_alarm(seconds: float) -> None:
    """End this process by SIGALRM after a time, inside native code too; not on systems without the signal.

    Args:
        seconds: time until the signal; 0 removes the alarm.
    """
    if ALARM_STATUS is not None:
        signal.setitimer(signal.ITIMER_REAL, seconds)


def set_processor_alarm(seconds: float) -> None:
    """End this process by SIGPROF after processor time, inside native code too; not on systems without the signal.

    Args:
        seconds: processor time of all threads, until the signal; 0 removes the alarm.
    """
    if PROCESSOR_STATUS is not None:
        signal.setitimer(signal.ITIMER_PROF, seconds)


def resident_bytes() -> int:
    """Return the resident memory of this process; without /proc, its maximum so far; 0 where neither is known."""
    try:
        return int(STATM.read_text("ascii").split()[1]) * mmap.PAGESIZE
    except FileNotFoundError:
        pass
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def disable_core_dumps() -> None:
    """Write no core dump of this process and its children, which would contain keys; no effect without `setrlimit`."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_arenas(count: int) -> None:
    """Limit the arenas of malloc, which each keep the peak of the threads that use them; glibc only.

    Args:
        count: Arenas of this process; threads that start later share them.
    """
    mallopt = _libc("mallopt")
    if mallopt is not None:
        mallopt(M_ARENA_MAX, count)


def release_free_memory() -> None:
    """Give the pages that malloc does not use back to the system; glibc only."""
    malloc_trim = _libc("malloc_trim")
    if malloc_trim is not None:
        malloc_trim(0)


def _libc(name: str) -> Callable[..., object] | None:
    """Return a function of the C library; None where it does not exist."""
    if not CAN_FORK:
        return None
    import ctypes

    return getattr(ctypes.CDLL(None), name, None)


def try_lock_memory() -> bool:
    """Keep all memory of this process, present and future, out of the swap area.

    Returns:
        False when the limit of locked memory is not unlimited, because allocations would fail at the limit, and on
        systems without `mlockall`.
    """
    try:
        import ctypes
        import resource
    except ImportError:
        return False
    if resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] != resource.RLIM_INFINITY:
        return False
    mlockall = getattr(ctypes.CDLL(None), "mlockall", None)
    return mlockall is not None and mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0
