"""Opens encrypted key files in child processes: OpenSSL holds the interpreter's lock while it derives keys.

What a PKCS#12 file demands shows only in part before it is decrypted, so the deadline of the process bounds the rest.
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
"""Of this process; a child starts when the first file needs it."""


def in_key_process(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of `work`, a function of a module, or the ServiceError that it raises. Blocks the calling thread.

    ServiceError("key-cipher"): the work exceeded its limits. ServiceError("CO1000") with `retry_after`: no process was
    free.
    """
    try:
        return POOL.call(work, *args, **kwargs)
    except ProcessBusyError as cause:
        raise ServiceError("CO1000", "Hay demasiados archivos de llave en espera.", retry_after=BUSY_SECONDS) from cause
    except (ProcessTimeoutError, WorkerDiedError, MemoryError) as cause:
        raise ServiceError("key-cipher", "Abrir el archivo exige demasiado trabajo.") from cause
