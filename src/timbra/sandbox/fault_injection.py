"""Faults of the HTTP server that a user of the sandbox has activated."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from math import ceil
from typing import TYPE_CHECKING, Protocol

from timbra.core.errors import ServiceError
from timbra.sandbox.fault_selection import FaultCall

if TYPE_CHECKING:
    from timbra.sandbox.faults import Fault, FaultName, Faults
    from timbra.web.request_environment import FaultyRequest


_CHANGED: ContextVar[bool] = ContextVar("lco_changed", default=False)


class _Lco(Protocol):
    def obligations(self, rfc: str) -> int | None: ...


class ChangedLco:
    """An LCO that has the taxpayers, and none of their certificates yet."""

    def __init__(self, lco: _Lco) -> None:
        self._lco = lco

    def obligations(self, rfc: str) -> int | None:
        """Return ValidezObligaciones as the LCO in force has it."""
        return self._lco.obligations(rfc)

    def certificate(self, rfc: str, number: str) -> None:
        """Return None: the certificate is not listed yet."""


def is_lco_changed() -> bool:
    """Whether the current request gets the changed LCO."""
    return _CHANGED.get()


SIMULATED = "Falla simulada de este ambiente de pruebas; repita la petición después de los segundos de Retry-After."
EXPIRED = "Falla simulada de este ambiente de pruebas; entre otra vez para obtener un token."
STAMPING = "stamping"
"""Tag of the operations that look the issuer up in the LCO."""


class SandboxFaultInjection:
    """Implements `FaultInjection`.

    Args:
        faults: The active faults.
        end_session: Ends the session of a token; returns False for a token that is not of a session.
    """

    def __init__(self, faults: Faults, end_session: Callable[[str], bool]) -> None:
        self._faults = faults
        self._end_session = end_session

    async def before_operation(self, request: FaultyRequest) -> None:
        """Apply the faults `latency`, `unavailable`, `too-many-requests`, `token-expired` and `lco-changed`.

        Raises:
            ServiceError: The fault answers the request: "CO1000" or "TB4290" with `retry_after`, "AU4000".
        """
        _CHANGED.set(False)
        if not await self._active():
            return
        fault = await self._take("latency", request)
        if fault is not None:
            await asyncio.sleep(fault.seconds)
        fault = await self._take("unavailable", request)
        if fault is not None:
            raise ServiceError("CO1000", SIMULATED, retry_after=ceil(fault.seconds))
        fault = await self._take("too-many-requests", request)
        if fault is not None:
            raise ServiceError("TB4290", SIMULATED, retry_after=ceil(fault.seconds))
        if await self._take("token-expired", request) is not None:
            raise ServiceError("AU4000", EXPIRED)
        if request.tag == STAMPING:
            _CHANGED.set(await self._take("lco-changed", request) is not None)

    async def drops_response(self, request: FaultyRequest) -> bool:
        """Whether the fault `answer-lost` applies to this request; the request is counted."""
        return await self._take("answer-lost", request) is not None

    async def _take(self, name: FaultName, request: FaultyRequest) -> Fault | None:
        """Return the fault if it affects the request, counted down in a thread."""
        active = await self._active()
        if name not in active:
            return None
        chosen = self._faults.choose(active, name, FaultCall(request.user, request.operation, request.path))
        if chosen is None or (name == "token-expired" and not await asyncio.to_thread(self._ends_session, request)):
            return None
        taken = chosen if chosen.remaining is None else await asyncio.to_thread(self._faults.count, chosen)
        if taken is not None:
            request.applied.append(name)
        return taken

    async def _active(self) -> Mapping[FaultName, Fault]:
        known = self._faults.known
        return await asyncio.to_thread(self._faults.current) if known is None else known

    def _ends_session(self, request: FaultyRequest) -> bool:
        try:
            return self._end_session(request.authorization.partition(" ")[2].strip())
        except ServiceError:
            return False
