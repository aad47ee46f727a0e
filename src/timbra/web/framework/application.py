"""The ASGI application of the API: routing, authentication, and error responses."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from hmac import compare_digest
from ipaddress import ip_address

import structlog
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.core.metrics import INTERNAL_ERRORS
from timbra.core.origin import set_origin
from timbra.web.framework.access_log import REQUEST_ID_HEADER, AccessLog
from timbra.web.framework.call_capture import capture_call, capture_lost_answer
from timbra.web.framework.contract_codes import to_contract_error
from timbra.web.framework.endpoint_binding import EndpointBinder
from timbra.web.framework.error_responses import INTERNAL_ERROR, contract_status_of, envelope, to_public_error
from timbra.web.framework.fault_injection import ResponseDroppedError, abort_connection, inject_faults
from timbra.web.framework.metrics_listener import is_metrics_listener
from timbra.web.framework.operation import Operation, OperationAccess
from timbra.web.framework.rate_limit import RateLimiter
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.framework.router import Router
from timbra.web.framework.scopes import EVERY_SCOPE, scope_of
from timbra.web.parsing.request_body import BodyRejectedError
from timbra.web.request_environment import RequestEnvironment

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.api")


PROXY_HEADERS = frozenset({"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})
"""Headers of requests that a proxy on this machine forwards."""


def require_monitor(request: RequestContext) -> None:
    """Check that the client may read the metrics.

    Raises:
        ServiceError: "TB4011" for a wrong token; "TB4040" when the settings have no token, for a remote client, and for
            any client in production.
    """
    if is_metrics_listener(request.scope):
        return
    token = request.environment.metrics_token
    if token:
        scheme, _, sent = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not compare_digest(sent.strip().encode(), token.encode()):
            raise ServiceError("TB4011")
    elif request.environment.is_production or not is_local(request):
        raise ServiceError("TB4040")


def is_local(request: RequestContext) -> bool:
    """Whether the client is on this machine, and the request did not come through a proxy."""
    client = request.scope.get("client")
    if client is None or not PROXY_HEADERS.isdisjoint(request.headers):
        return False
    return ip_address(client[0]).is_loopback


class Application:
    """The application of one worker. Every exception of an endpoint becomes a JSON error response."""

    def __init__(self, environment: RequestEnvironment, router: Router, binder: EndpointBinder) -> None:
        self._environment = environment
        self._router = router
        self._binder = binder
        self._access_log = AccessLog(environment.metrics)
        self._recorder = environment.recorder
        limits = environment.limits
        self._rate_limiter = RateLimiter(limits.requests_per_second, limits.request_burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"Only HTTP is served, not {scope['type']}.")
        entry = self._access_log.open(scope)
        request = RequestContext(self._environment, scope, receive, entry.request_id)
        set_origin(request.origin)
        try:
            response = await self._respond(request)
            if request.response_headers:
                response.headers.update(request.response_headers)
            response.raw_headers.append((REQUEST_ID_HEADER, entry.request_id.encode()))
            await response(scope, receive, send)
            caller = request.caller_or_none
            account = caller.account_id if caller else None
            name, status, code = request.operation_name, response.status_code, request.error_code
            seconds = entry.log_response(name, status, code=code, account=account)
            if self._recorder is not None:
                capture_call(self._recorder, request, response, seconds)
        except ClientDisconnect:
            entry.log_aborted("disconnected")
        except ResponseDroppedError:
            seconds = entry.log_aborted("response dropped")
            if self._recorder is not None:
                capture_lost_answer(self._recorder, request, seconds)
            await abort_connection(scope)
        finally:
            request.release()
            entry.close()

    async def _respond(self, request: RequestContext) -> Response:
        try:
            return await self._dispatch(request)
        except ServiceError as error:
            return error_response(request, error)
        except (ClientDisconnect, ResponseDroppedError):
            raise
        except asyncio.CancelledError:
            return error_response(
                request, ServiceError(INTERNAL_ERROR, "El servidor se está deteniendo.", retry_after=1)
            )
        except Exception:
            log.exception("unhandled exception")
            request.environment.metrics.count(INTERNAL_ERRORS, (INTERNAL_ERROR,))
            return error_response(request, ServiceError(INTERNAL_ERROR))

    async def _dispatch(self, request: RequestContext) -> Response:
        method, path = request.scope["method"], request.scope["path"]
        match = self._router.find(method, path)
        if match is None:
            await self._identify(request)
            allowed = self._router.methods(path)
            if not allowed:
                raise ServiceError("TB4040")
            # Not 405: the clients of the vendor read the body of 404, but not of 405.
            request.response_headers["Allow"] = ", ".join(allowed)
            raise ServiceError("TB4042", method)
        operation, request.parameters = match
        request.operation = operation
        await self._authorize(request, operation.access)
        if operation.access is OperationAccess.ACCOUNT:
            await inject_faults(request)
        return await self._binder.endpoint(operation)(request)

    async def _identify(self, request: RequestContext) -> None:
        """Find the caller of a request without an operation, so that the inspector shows wrong paths to its account."""
        if self._recorder is not None and "authorization" in request.headers:
            with suppress(ServiceError):
                await request.authenticate_caller()

    async def _authorize(self, request: RequestContext, access: OperationAccess) -> None:
        """Raise ServiceError when the caller may not use the operation or exceeds its rate limit."""
        if access is OperationAccess.PUBLIC:
            return
        if access is OperationAccess.MONITOR:
            require_monitor(request)
            return
        caller = await request.authenticate_caller()
        self._rate_limiter.acquire(caller.account_id)
        if caller.scopes is not None and request.operation is not None:
            require_scope(caller, request.operation)
        if access is OperationAccess.ADMINISTRATOR and not caller.is_administrator:
            raise ServiceError("TB4010")


def require_scope(caller: Caller, operation: Operation) -> None:
    """Raise ServiceError("TB4012") when the token of the caller does not have the scope of an operation."""
    scope = scope_of(operation)
    if scope is not None and not caller.may(scope):
        wanted = "un titular de la cuenta y un token sin alcances" if scope == EVERY_SCOPE else f"el alcance {scope}"
        raise ServiceError("TB4012", f"La operación pide {wanted}.")


def error_response(request: RequestContext, error: ServiceError) -> Response:
    """Build the response to a request that raised an error.

    The response closes the connection when the request body was not read to its end.
    """
    public_error = to_public_error(error)
    answered = to_contract_error(public_error, request.operation)
    request.error_code, request.error = public_error.code, public_error
    if public_error is not error:
        log.error("internal error", code=error.code, detail=error.detail)
        request.environment.metrics.count(INTERNAL_ERRORS, (error.code,))
    response = json_response(envelope(answered), contract_status_of(answered, public_error))
    if public_error.retry_after is not None:
        response.headers["Retry-After"] = str(public_error.retry_after)
    if isinstance(error, BodyRejectedError) or request.awaits_continue:
        response.headers["Connection"] = "close"
    return response
