"""The ASGI application: finds the operation, checks the token, turns every failure into an envelope."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import structlog
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from timbra.api.framework.access_log import HEADER, AccessLog
from timbra.api.framework.endpoint_binding import EndpointBinder
from timbra.api.framework.error_responses import UNCONTROLLED, envelope, known, status_of
from timbra.api.framework.fault_injection import ResponseDroppedError, abort_connection
from timbra.api.framework.metrics_access import require_monitor
from timbra.api.framework.operation import Operation, OperationAccess
from timbra.api.framework.rate_limit import RateLimiter
from timbra.api.framework.request_context import RequestContext, json_answer
from timbra.api.framework.router import Router
from timbra.api.operation_table import OPERATIONS
from timbra.api.parsing.request_body import BodyRejectedError
from timbra.errors import ServiceError
from timbra.metrics import INTERNAL_ERRORS
from timbra.service.injection import Groups
from timbra.service.request_environment import RequestEnvironment

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.api")


def build(environment: RequestEnvironment, groups: Groups, operations: Iterable[Operation] = OPERATIONS) -> ASGIApp:
    """Build the application.

    Args:
        environment: What the handling of every request uses.
        groups: Builds the groups of services that endpoints declare, by class. A group is built at the first request
            of an operation that uses it.
        operations: The operations that are served.
    """
    return Application(environment, Router(operations), EndpointBinder(groups))


class Application:
    """One for each worker. Every exception of an endpoint becomes a JSON error response."""

    def __init__(self, environment: RequestEnvironment, router: Router, binder: EndpointBinder) -> None:
        self._environment = environment
        self._router = router
        self._binder = binder
        self._access_log = AccessLog(environment.metrics)
        limits = environment.limits
        self._rate_limiter = RateLimiter(limits.requests_per_second, limits.request_burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"Only HTTP is served, not {scope['type']}.")
        entry = self._access_log.open(scope)
        request = RequestContext(self._environment, scope, receive, entry.request_id)
        try:
            answer = await self._answer(request)
            answer.raw_headers.append((HEADER, entry.request_id.encode()))
            await answer(scope, receive, send)
            caller = request.caller_or_none
            account = caller.account_id if caller else None
            entry.answered(request.operation, answer.status_code, code=request.rejected, account=account)
        except ClientDisconnect:
            entry.note("disconnected")
        except ResponseDroppedError:
            entry.note("answer lost")
            await abort_connection(scope)
        finally:
            request.release()
            entry.close()

    async def _answer(self, request: RequestContext) -> Response:
        try:
            return await self._perform(request)
        except ServiceError as error:
            return rejection_response(request, error)
        except (ClientDisconnect, ResponseDroppedError):
            raise
        except asyncio.CancelledError:
            return rejection_response(
                request, ServiceError(UNCONTROLLED, "El servidor se está deteniendo.", retry_after=1)
            )
        except Exception:
            log.exception("uncontrolled error")
            return rejection_response(request, ServiceError(UNCONTROLLED))

    async def _perform(self, request: RequestContext) -> Response:
        found = self._router.find(request.scope["method"], request.scope["path"])
        if found is None:
            raise ServiceError("TB4040")
        operation, request.parameters = found
        request.operation = operation.name
        await self._admit(request, operation.access)
        if operation.access is OperationAccess.ACCOUNT:
            await self._environment.faults.inject_latency()
        return await self._binder.endpoint(operation)(request)

    async def _admit(self, request: RequestContext, access: OperationAccess) -> None:
        """Raise ServiceError when the caller may not use the operation or exceeds its rate limit."""
        if access is OperationAccess.PUBLIC:
            return
        if access is OperationAccess.MONITOR:
            require_monitor(request)
            return
        caller = await request.authenticate_caller()
        self._rate_limiter.take(caller.account_id)
        if access is OperationAccess.ADMINISTRATOR and caller.role != "administrator":
            raise ServiceError("TB4010")


def rejection_response(request: RequestContext, error: ServiceError) -> Response:
    """The answer to a rejected request; it closes the connection when an announced body was not read.

    Of `error.data` only what an endpoint has shaped for the wire (a dictionary) is shown.
    """
    public_error = known(error)
    request.rejected = public_error.code
    if public_error is not error:
        log.error("internal error", code=error.code, detail=error.detail)
        request.environment.metrics.count(INTERNAL_ERRORS, (error.code,))
    data = public_error.data if isinstance(public_error.data, dict) else None
    answer = json_answer(envelope(public_error, data), status_of(public_error))
    if public_error.retry_after is not None:
        answer.headers["Retry-After"] = str(public_error.retry_after)
    if isinstance(error, BodyRejectedError) or request.awaits_continue:
        answer.headers["Connection"] = "close"
    return answer
