"""Stamping in a process of its own, within a bound of memory, that ends with the document."""

from __future__ import annotations

import asyncio
import multiprocessing
import resource
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial

from timbra.errors import ServiceError
from timbra.service.large import LargeOrder, check_size
from timbra.service.orders import Stamped, StampOrder
from timbra.settings import Settings


def stamper(settings: Settings) -> Callable[[LargeOrder], Awaitable[Stamped]]:
    """How a worker with these settings has large documents stamped."""
    return partial(_elsewhere, settings.model_copy(update={"max_body_bytes": settings.max_large_bytes}))


async def _elsewhere(settings: Settings, order: LargeOrder) -> Stamped:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, _stamp, settings, order)
        except (BrokenProcessPool, MemoryError) as error:
            raise ServiceError("CO1000", "El documento pidió más memoria de la que se le concede.") from error


def _stamp(settings: Settings, order: LargeOrder) -> Stamped:
    """In the other process: the same use case, over a house of its own."""
    from timbra.wiring import open_house

    resource.setrlimit(resource.RLIMIT_AS, (settings.large_memory_bytes, settings.large_memory_bytes))
    xml = order.path.read_bytes()
    check_size(xml)
    with open_house(settings) as house:
        return asyncio.run(house.stamping.stamp(StampOrder(order.caller, xml, order.request_id, order.custom_id)))
