"""Faults of the HTTP server that a user of the sandbox has activated."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from timbra.store.database.event_loop import in_memory_or_thread

if TYPE_CHECKING:
    from timbra.authority.sandbox.controls.faults import Faults


class SandboxFaultInjection:
    """Implements `FaultInjection` by the faults `latency` and `answer-lost`."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults

    async def inject_latency(self) -> None:
        """Wait for the seconds of the fault `latency`, if it is active."""
        fault = await in_memory_or_thread(self._faults.take, "latency")
        if fault is not None:
            await asyncio.sleep(fault.seconds)

    async def drops_response(self) -> bool:
        """Whether the fault `answer-lost` applies to this request; the request is counted."""
        return await in_memory_or_thread(self._faults.take, "answer-lost") is not None
