"""Binding of endpoints: each gets the groups of services that it declares; those of stamping log what they reject."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NoReturn

from starlette.requests import ClientDisconnect
from starlette.responses import Response

from timbra.container import UnavailableServicesError
from timbra.core.errors import ServiceError
from timbra.rejections.log import RejectedRequest, RejectionLog
from timbra.web.framework.contract_codes import to_contract_error
from timbra.web.framework.error_responses import INTERNAL_ERROR, to_public_error
from timbra.web.framework.fault_injection import ResponseDroppedError
from timbra.web.framework.operation import Operation
from timbra.web.framework.request_context import RequestContext
from timbra.web.injection import Groups, bind_services

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
            await rejections.record(_rejection(request, answered))
            raise
        except Exception as error:
            # The application responds with CO1000; the rejection log shows that the server failed.
            if not isinstance(error, NOT_LOGGED):
                await rejections.record(_rejection(request, ServiceError(INTERNAL_ERROR)))
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


BoundEndpoint = Callable[[RequestContext], Awaitable[Response]]


class EndpointBinder:
    """Binds the endpoint of an operation at its first request, so that unused groups of services are not built.

    Args:
        groups: Builds each group of services, by its class.
        rejections: Returns the rejection log.
    """

    def __init__(self, groups: Groups, rejections: Callable[[], RejectionLog]) -> None:
        self._groups = groups
        self._rejections = rejections
        self._bound: dict[str, BoundEndpoint] = {}

    def endpoint(self, operation: Operation) -> BoundEndpoint:
        """Return the endpoint of an operation, to be called with the request alone.

        The endpoint raises TB4040 when the environment does not have one of the groups.
        """
        bound = self._bound.get(operation.name)
        if bound is None:
            bound = self._bound[operation.name] = self._bind(operation)
        return bound

    def _bind(self, operation: Operation) -> BoundEndpoint:
        try:
            bound = bind_services(operation.endpoint, self._groups)
        except UnavailableServicesError:
            return _not_found
        if operation.logs_rejections:
            return log_rejections(bound, self._rejections())
        return bound


async def _not_found(_: RequestContext) -> NoReturn:
    """Reject a request for an operation that the environment does not serve."""
    raise ServiceError("TB4040")
