"""Fault injection: a response that is dropped, so that the client loses the result of committed work."""

from __future__ import annotations

from starlette.types import Scope

from timbra.service.request_environment import FaultInjection

ABORT_CONNECTION = "timbra.abort_connection"
"""Name of the ASGI extension by which the server lets an application close the connection at once."""


class ResponseDroppedError(Exception):
    """The response of this request must not be sent."""


async def drop_response(faults: FaultInjection) -> None:
    """Drop the response when the fault applies to this request.

    Raises:
        ResponseDroppedError: The response must be dropped.
    """
    if await faults.drops_response():
        raise ResponseDroppedError


async def abort_connection(scope: Scope) -> None:
    """Close the connection of a request without a response.

    Raises:
        ConnectionAbortedError: The server does not offer the extension `ABORT_CONNECTION`.
    """
    extension = scope.get("extensions", {}).get(ABORT_CONNECTION)
    if extension is None:
        raise ConnectionAbortedError("response dropped")
    extension["close"]()
