"""Application factory: the ASGI application of the API over a table of operations."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.types import ASGIApp

from timbra.app.operation_table import OPERATIONS
from timbra.operations.services import OperationsServices
from timbra.web.framework.application import Application
from timbra.web.framework.endpoint_binding import EndpointBinder
from timbra.web.framework.operation import Operation
from timbra.web.framework.router import Router
from timbra.web.injection import Groups
from timbra.web.request_environment import RequestEnvironment


def build(environment: RequestEnvironment, groups: Groups, operations: Iterable[Operation] = OPERATIONS) -> ASGIApp:
    """Build the application.

    Args:
        environment: Limits, metrics and thread pools, used by every request.
        groups: Builds the groups of services that endpoints declare, by class. A group is built at the first request
            of an operation that uses it.
        operations: The operations to serve.
    """
    return Application(
        environment, Router(operations), EndpointBinder(groups, lambda: groups[OperationsServices]().rejections)
    )
