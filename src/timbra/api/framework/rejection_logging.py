"""Writes rejected stamping requests to the rejection log of the account."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import ClientDisconnect
from starlette.responses import Response

from timbra.api.framework.error_responses import UNCONTROLLED, known
from timbra.api.framework.fault_injection import ResponseDroppedError
from timbra.api.framework.request_context import RequestContext
from timbra.errors import ServiceError
from timbra.service.operations.rejection_log import RejectedRequest, RejectionLog
from timbra.store.database.event_loop import in_memory_or_thread

NO_REJECTIONS = (ResponseDroppedError, ClientDisconnect)
Endpoint = Callable[[RequestContext], Awaitable[Response]]


def log_rejections(endpoint: Endpoint, rejections: RejectionLog) -> Endpoint:
    """The endpoint; what it raises is raised again after it was logged.

    Args:
        endpoint: An endpoint that is bound to its services.
        rejections: The log that accounts read in the portal.
    """

    async def run(request: RequestContext) -> Response:
        try:
            return await endpoint(request)
        except ServiceError as error:
            await in_memory_or_thread(rejections.record, _rejection(request, known(error)))
            raise
        except Exception as error:
            # The application answers with CO1000; the account sees that the server has failed.
            if not isinstance(error, NO_REJECTIONS):
                await in_memory_or_thread(rejections.record, _rejection(request, ServiceError(UNCONTROLLED)))
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
