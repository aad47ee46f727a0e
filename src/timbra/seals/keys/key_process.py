"""Decryption of key files in child processes, because OpenSSL holds the interpreter's lock while it derives keys.

The work that a PKCS#12 file needs is only partly known before it is decrypted: what its encrypted parts demand adds up
in one limit of processor time for the file. What is more than usual is charged to the account (`pools.work_share`), and
the processes have a lower priority than those of requests and logins.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import NoReturn, ParamSpec, TypeVar

from timbra.core.errors import ServiceError
from timbra.pools import ProcessBusyError, ProcessPool, ProcessTimeoutError, WorkerDiedError
from timbra.pools.work_share import charge

P = ParamSpec("P")
T = TypeVar("T")

PROCESSES = 3
MEMORY_BYTES = 512 * 1024 * 1024
SECONDS = 10.0
"""Timeout of a file on a loaded machine."""
PROCESSOR_SECONDS = 2.0
"""Limit of all key derivations of a file, on the processor; usual files need a hundredth of it."""
USUAL_SECONDS = 0.1
"""Processor time of a file that is not charged to its account."""
NICENESS = 5
BUSY_SECONDS = 5

POOL = ProcessPool(PROCESSES, MEMORY_BYTES, SECONDS, NICENESS)
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
        seconds, value, error = POOL.call_within(
            PROCESSOR_SECONDS, _answer_nothing, _measured, partial(work, *args, **kwargs)
        )
    except ProcessBusyError as cause:
        raise ServiceError("CO1000", "Hay demasiados archivos de llave en espera.", retry_after=BUSY_SECONDS) from cause
    except (ProcessTimeoutError, WorkerDiedError, MemoryError) as cause:
        charge(PROCESSOR_SECONDS)
        raise ServiceError("key-cipher", "Abrir el archivo exige demasiado trabajo.") from cause
    if seconds > USUAL_SECONDS:
        charge(seconds)
    if error is not None:
        raise error
    result: T = value  # type: ignore[assignment]
    return result


def _measured(work: Callable[[], T]) -> tuple[float, T | None, ServiceError | None]:
    """Return the processor time of the work, and its result or error; runs in the child."""
    begun = time.process_time()
    value, error = None, None
    try:
        value = work()
    except ServiceError as caught:  # raised again in the parent
        error = caught
    return time.process_time() - begun, value, error


def _answer_nothing(question: object) -> NoReturn:
    raise RuntimeError(f"no answer for {type(question).__name__}")
