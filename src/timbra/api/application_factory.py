"""Application factory: the ASGI application of the API over a table of operations."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.types import ASGIApp

from timbra.api.framework.application import Application
from timbra.api.framework.endpoint_binding import EndpointBinder
from timbra.api.framework.operation import Operation
from timbra.api.framework.router import Router
from timbra.api.operation_table import OPERATIONS
from timbra.service.injection import Groups
from timbra.service.request_environment import RequestEnvironment


def build(environment: RequestEnvironment, groups: Groups, operations: Iterable[Operation] = OPERATIONS) -> ASGIApp:
    """Build the application.

    Args:
        environment: Limits, metrics and thread pools, used by every request.
        groups: Builds the groups of services that endpoints declare, by class. A group is built at the first request
            of an operation that uses it.
        operations: The operations to serve.
    """
    return Application(environment, Router(operations), EndpointBinder(groups))
