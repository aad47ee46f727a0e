"""`timbra` without the modules and functions that Windows does not have: `python -m tests.support.without_posix ...`.

They are taken away before any module of timbra is imported.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MODULES = frozenset({"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty", "uvloop"})
OS_NAMES = (
    "O_CLOEXEC",
    "O_DIRECTORY",
    "fork",
    "forkpty",
    "getpgid",
    "killpg",
    "mkfifo",
    "pread",
    "pwrite",
    "register_at_fork",
    "sched_getaffinity",
    "setsid",
    "statvfs",
)
SIGNAL_NAMES = (
    "ITIMER_PROF",
    "ITIMER_REAL",
    "SIGALRM",
    "SIGHUP",
    "SIGPROF",
    "SIGUSR1",
    "SIGUSR2",
    "pthread_sigmask",
    "setitimer",
)


class _Absent:
    """Finder that reports modules as missing."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def _no_signal_handler(*_args: Any) -> None:
    raise NotImplementedError


def remove_posix() -> None:
    """Take the modules and functions away from this process."""
    for name in [name for name in sys.modules if name.partition(".")[0] in MODULES]:
        del sys.modules[name]
    sys.meta_path.insert(0, _Absent())
    for module, names in ((os, OS_NAMES), (signal, SIGNAL_NAMES)):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    asyncio.SelectorEventLoop.add_signal_handler = _no_signal_handler  # type: ignore[assignment]


if __name__ in {"__main__", "__mp_main__"}:  # of the program, and of the children that multiprocessing starts
    remove_posix()
if __name__ == "__main__":
    from timbra.cli.main import run

    run()
