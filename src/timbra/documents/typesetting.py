"""Typesetting in child processes with limits of memory and time."""

from __future__ import annotations

from collections.abc import Callable

from timbra.core.errors import ServiceError
from timbra.pools import ProcessBusyError, ProcessPool, ProcessTimeoutError, WorkerDiedError
from timbra.rendering.bounds import check_bounds
from timbra.rendering.branding import DEFAULT_BRANDING, Branding, PrintExtras
from timbra.rendering.pdf import NO_EXTRAS, pdf
from timbra.rendering.view import DocumentView

BUSY_SECONDS = 5


class Typesetter:
    """Makes PDF in child processes and blocks the calling thread; do not call it on the event loop.

    Args:
        processes: size of the pool.
        memory_bytes: limit of the address space of each process.
        seconds: timeout of each print.
        typeset: module-level function that makes the PDF in the child process.
    """

    def __init__(
        self,
        processes: int,
        memory_bytes: int,
        seconds: float,
        typeset: Callable[[DocumentView, Branding, PrintExtras, bytes], bytes] = pdf,
    ) -> None:
        """Create the pool; processes start with the first print."""
        self._typeset = typeset
        self._pool = ProcessPool(processes, memory_bytes, seconds)

    def pdf(
        self,
        view: DocumentView,
        branding: Branding = DEFAULT_BRANDING,
        extras: PrintExtras = NO_EXTRAS,
        xml: bytes = b"",
    ) -> bytes:
        """Typeset as `rendering.pdf.pdf`.

        Raises:
            ServiceError: "print-failed" and "TB4005" as there; "print-too-large" for a view beyond the limits; "CO1000"
                with `retry_after` while no process is free.
        """
        check_bounds(view, extras)
        try:
            return self._pool.call(self._typeset, view, branding, extras, xml)
        except ProcessBusyError as cause:
            raise ServiceError("CO1000", "Hay demasiadas impresiones en espera.", retry_after=BUSY_SECONDS) from cause
        except ProcessTimeoutError as cause:
            raise ServiceError("print-too-large", "La impresión tarda más de lo que se le concede.") from cause
        except (WorkerDiedError, MemoryError) as cause:
            raise ServiceError("print-too-large", "La impresión pide más memoria de la que se le concede.") from cause

    def close(self) -> None:
        """Stop the processes."""
        self._pool.close()
