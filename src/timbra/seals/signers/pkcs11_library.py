"""PKCS#11 modules, used by several threads: initialization with locking, and a gate for the initialization.

python-pkcs11 initializes a module with `C_Initialize(NULL)`: the caller promises to use it from one thread at a time.
It releases Python's lock during calls, so that two threads with a session each corrupt the memory of such a module.
The module is therefore initialized again with `CKF_OS_LOCKING_OK`.

Source: PKCS #11 base specification 3.0, section 5.4, C_Initialize.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

CKF_OS_LOCKING_OK = 2
CKR_OK = 0
MAX_WAIT_SECONDS = 2.0


class _Version(ctypes.Structure):
    _fields_: ClassVar[Any] = [("major", ctypes.c_ubyte), ("minor", ctypes.c_ubyte)]


class _FunctionList(ctypes.Structure):
    _fields_: ClassVar[Any] = [
        ("version", _Version),
        ("C_Initialize", ctypes.CFUNCTYPE(ctypes.c_ulong, ctypes.c_void_p)),
        ("C_Finalize", ctypes.CFUNCTYPE(ctypes.c_ulong, ctypes.c_void_p)),
    ]


class _InitializeArguments(ctypes.Structure):
    _fields_: ClassVar[Any] = [
        ("CreateMutex", ctypes.c_void_p),
        ("DestroyMutex", ctypes.c_void_p),
        ("LockMutex", ctypes.c_void_p),
        ("UnlockMutex", ctypes.c_void_p),
        ("flags", ctypes.c_ulong),
        ("reserved", ctypes.c_void_p),
    ]


class ModuleGate:
    """Lets threads use a module at the same time, or one thread initialize it alone.

    A process that was forked has a gate of its own, see `gate_of`.

    Attributes:
        initializations: Number of times that a thread had the module alone. The sessions of before have ended, and the
            module gives their handles to new sessions.
    """

    def __init__(self) -> None:
        self.initializations = 0
        self._condition = threading.Condition()
        self._users = 0
        self._is_exclusive = False

    @contextmanager
    def use(self) -> Iterator[None]:
        """Use the module for the block."""
        with self._condition:
            self._condition.wait_for(lambda: not self._is_exclusive)
            self._users += 1
        try:
            yield
        finally:
            with self._condition:
                self._users -= 1
                self._condition.notify_all()

    @contextmanager
    def exclusive(self, seconds: float = MAX_WAIT_SECONDS) -> Iterator[bool]:
        """Wait until the other threads have left the module; yield False when they do not leave in time.

        Args:
            seconds: The longest wait; a call that never returns, as of a device that hangs, must not stop the others.
        """
        end = time.monotonic() + seconds
        with self._condition:
            entered = self._condition.wait_for(
                lambda: not self._is_exclusive and not self._users, max(end - time.monotonic(), 0)
            )
            self._is_exclusive = self._is_exclusive or entered
            self.initializations += entered
        try:
            yield entered
        finally:
            if entered:
                with self._condition:
                    self._is_exclusive = False
                    self._condition.notify_all()


_gates: dict[tuple[int, Path], ModuleGate] = {}


def gate_of(module: Path) -> ModuleGate:
    """Return the gate of a module in this process."""
    return _gates.setdefault((os.getpid(), module), ModuleGate())


def initialize_with_locking(module: Path) -> bool:
    """Initialize an initialized module again, for several threads; its sessions end.

    The caller has the module for itself, see `ModuleGate.exclusive`.

    Args:
        module: The shared library.

    Returns:
        Whether the module takes part. A module that is not a file of this system, or that has no locks, is left
        initialized for one thread.
    """
    if os.name != "posix" or not module.is_file():
        return False
    functions = ctypes.POINTER(_FunctionList)()
    library = ctypes.CDLL(str(module))
    if library.C_GetFunctionList(ctypes.byref(functions)) != CKR_OK:
        return False
    calls = functions.contents
    arguments = _InitializeArguments(flags=CKF_OS_LOCKING_OK)
    calls.C_Finalize(None)
    if calls.C_Initialize(ctypes.addressof(arguments)) == CKR_OK:
        return True
    calls.C_Initialize(None)
    return False
