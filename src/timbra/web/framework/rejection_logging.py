"""Logging of rejected stamping requests in the rejection log of their account."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from starlette.requests import ClientDisconnect
from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.rejections.log import RejectedRequest, RejectionLog
from timbra.web.framework.contract_codes import to_contract_error
from timbra.web.framework.error_responses import INTERNAL_ERROR, to_public_error
from timbra.web.framework.fault_injection import ResponseDroppedError
from timbra.web.framework.request_context import RequestContext

NOT_LOGGED = (ResponseDroppedError, ClientDisconnect)
"""Exceptions that do not reject a request."""
Endpoint = Callable[[RequestContext], Awaitable[Response]]


def log_rejections(endpoint: Endpoint, rejections: RejectionLog) -> Endpoint:
    """Wrap an endpoint: an error is logged and raised again; that of a dry run is only raised.

    Args:
        endpoint: An endpoint that is bound to its services.
        rejections: The log that accounts read in the portal.

    Returns:
        The wrapped endpoint.
    """

    async def run(request: RequestContext) -> Response:
        try:
            return await endpoint(request)
        except ServiceError as error:
            if request.is_dry_run:
                raise
            answered = to_contract_error(to_public_error(error), request.operation)
            await asyncio.to_thread(rejections.record, _rejection(request, answered))
            raise
        except Exception as error:
            # The application responds with CO1000; the rejection log shows that the server failed.
            if not isinstance(error, NOT_LOGGED):
                await asyncio.to_thread(rejections.record, _rejection(request, ServiceError(INTERNAL_ERROR)))
            raise

    return run


def _rejection(request: RequestContext, error: ServiceError) -> RejectedRequest:
    return RejectedRequest(
        account_id=request.caller.account_id,
        request_id=request.request_id,
        operation=request.scope["path"],
        error=error,
        document=request.document,
    )
