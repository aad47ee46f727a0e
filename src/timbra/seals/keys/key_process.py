"""Decryption of key files in child processes, because OpenSSL holds the interpreter's lock while it derives keys.

The work that a PKCS#12 file needs is only partly known before it is decrypted; the timeout of the process bounds it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from timbra.errors import ServiceError
from timbra.pools import ProcessBusyError, ProcessPool, ProcessTimeoutError, WorkerDiedError

P = ParamSpec("P")
T = TypeVar("T")

PROCESSES = 3
MEMORY_BYTES = 512 * 1024 * 1024
SECONDS = 5.0
BUSY_SECONDS = 5

POOL = ProcessPool(PROCESSES, MEMORY_BYTES, SECONDS)
"""The pool of this process; a child starts at its first use."""


def in_key_process(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function in a child process and return its result. Blocks the calling thread.

    Args:
        work: A function of a module.
        args: Its positional arguments.
        kwargs: Its keyword arguments.

    Raises:
        ServiceError: "key-cipher" when the work exceeded its limits; "CO1000" with `retry_after` when no process was
            free; otherwise the error that `work` raises.
    """
    try:
        return POOL.call(work, *args, **kwargs)
    except ProcessBusyError as cause:
        raise ServiceError("CO1000", "Hay demasiados archivos de llave en espera.", retry_after=BUSY_SECONDS) from cause
    except (ProcessTimeoutError, WorkerDiedError, MemoryError) as cause:
        raise ServiceError("key-cipher", "Abrir el archivo exige demasiado trabajo.") from cause
