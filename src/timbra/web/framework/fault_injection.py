"""Fault injection: errors and delays on demand, and a response that is dropped after its work was committed."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from starlette.types import Scope

from timbra.core.errors import ServiceError
from timbra.web.framework.request_context import RequestContext
from timbra.web.parsing.request_body import BodyRejectedError
from timbra.web.request_environment import FaultyRequest

ABORT_CONNECTION = "timbra.abort_connection"
"""Name of the ASGI extension by which the server lets an application close the connection at once."""
FAULT_HEADER: Final = "X-Timbra-Fault"
"""The simulated faults that affected the request, comma separated."""


class ResponseDroppedError(Exception):
    """The response of this request must not be sent."""


async def inject_faults(request: RequestContext) -> None:
    """Apply the simulated faults of an authenticated request before its operation runs.

    Raises:
        ServiceError: A fault answers the request.
    """
    faults = request.environment.faults
    if faults is None:
        return
    faulty = _faulty(request)
    try:
        await faults.before_operation(faulty)
    except ServiceError:
        # The inspector compares the documents of a client that repeats its request.
        with suppress(BodyRejectedError):
            await request.body()
        raise
    finally:
        if faulty.applied:
            request.response_headers[FAULT_HEADER] = ",".join(faulty.applied)


async def drop_response(request: RequestContext) -> None:
    """Drop the response when the fault applies to this request.

    Raises:
        ResponseDroppedError: The response must be dropped.
    """
    faults = request.environment.faults
    if faults is not None and await faults.drops_response(_faulty(request)):
        raise ResponseDroppedError


def _faulty(request: RequestContext) -> FaultyRequest:
    operation, caller = request.operation, request.caller
    name, tag = ("", "") if operation is None else (operation.name, operation.tag)
    return FaultyRequest(caller.user, name, tag, request.scope["path"], request.headers.get("authorization", ""))


async def abort_connection(scope: Scope) -> None:
    """Close the connection of a request without a response.

    Raises:
        ConnectionAbortedError: The server does not offer the extension `ABORT_CONNECTION`.
    """
    extension = scope.get("extensions", {}).get(ABORT_CONNECTION)
    if extension is None:
        raise ConnectionAbortedError("response dropped")
    extension["close"]()
