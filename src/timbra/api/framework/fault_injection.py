"""A response that is dropped on purpose: the client finds its connection closed after the work was committed."""

from __future__ import annotations

from starlette.types import Scope

from timbra.service.request_environment import FaultInjection

ABORT_CONNECTION = "timbra.hang_up"
"""Name of the ASGI extension by which the server offers to close the connection at once."""


class ResponseDroppedError(Exception):
    """The response of this request must not be sent."""


async def drop_response(faults: FaultInjection) -> None:
    """Raise ResponseDroppedError when the response is to be dropped."""
    if await faults.drops_response():
        raise ResponseDroppedError


async def abort_connection(scope: Scope) -> None:
    """Close the connection without a response; ConnectionAbortedError when the server offers no way to do it."""
    extension = scope.get("extensions", {}).get(ABORT_CONNECTION)
    if extension is None:
        raise ConnectionAbortedError("answer lost")
    extension["close"]()
