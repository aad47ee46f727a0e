"""Stamping of a large document in a child process with a memory limit; the process ends with the document."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from timbra.errors import ServiceError
from timbra.posix import limit_memory
from timbra.service.stamping.large_documents import LargeStampRequest, check_size, unpack
from timbra.service.stamping.models import StampRequest, StampResult
from timbra.settings import Settings


def stamper(settings: Settings) -> Callable[[LargeStampRequest], Awaitable[StampResult]]:
    """Return a function that stamps each large document in a child process with these settings."""
    return partial(_stamp_in_child, settings.model_copy(update={"max_body_bytes": settings.max_large_bytes}))


async def _stamp_in_child(settings: Settings, request: LargeStampRequest) -> StampResult:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, _stamp, settings, request)
        except MemoryError as error:
            raise ServiceError("301", "El documento pide más memoria de la que se le concede.") from error
        except BrokenProcessPool as error:
            raise ServiceError("CO1000", "El proceso que timbraba el documento terminó antes de tiempo.") from error


def _stamp(settings: Settings, request: LargeStampRequest) -> StampResult:
    """Open the archive and stamp the document, in the child process with its own container."""
    from timbra.bootstrap import open_container

    limit_memory(settings.large_memory_bytes)
    with request.path.open("rb") as archive:
        xml = unpack(archive, settings.max_large_bytes)
    check_size(xml)
    with open_container(settings) as container:
        return asyncio.run(
            container.stamping_services.stamping.stamp(
                StampRequest(request.caller, xml, request.request_id, request.custom_id)
            )
        )
