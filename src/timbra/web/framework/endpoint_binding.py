"""Dependency injection for endpoints: binds each endpoint to the groups of services that it declares."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NoReturn

from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.rejections.log import RejectionLog
from timbra.web.framework.operation import Operation
from timbra.web.framework.rejection_logging import log_rejections
from timbra.web.framework.request_context import RequestContext
from timbra.web.injection import Groups, UnavailableServicesError, bind_services

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
