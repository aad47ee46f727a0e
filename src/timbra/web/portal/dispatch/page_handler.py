"""The ASGI application of the pages: routes, access control, security headers and error pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Sequence
from typing import TYPE_CHECKING

import structlog
from jinja2 import Environment
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.core.metrics import INTERNAL_ERRORS
from timbra.core.origin import set_origin
from timbra.pools import AccountPools
from timbra.web.framework.error_responses import status_of
from timbra.web.parsing.request_body import BodyRejectedError
from timbra.web.portal.dispatch import sessions
from timbra.web.portal.dispatch.log_path import loggable_path
from timbra.web.portal.dispatch.menu import may_open, menu_for
from timbra.web.portal.dispatch.page import Page, PageAccess, SessionStep
from timbra.web.portal.dispatch.page_request import PageRequest, client_account
from timbra.web.portal.dispatch.session_over import redirect_to_sign_in, show_kept_text
from timbra.web.portal.views.formatting import error_message
from timbra.web.public_errors import INTERNAL_ERROR

if TYPE_CHECKING:
    from timbra.web.portal.dispatch.environment import PageEnvironment

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.portal")

BODY_TOO_LARGE = "TB4001"
DOCUMENTATION = "/docs/"
OWN_HEADERS_OF_DOCUMENTATION = frozenset({b"cache-control", b"content-security-policy"})
"""Headers that a response under `DOCUMENTATION` may set itself."""
CLIENT_CLOSED_REQUEST = 499
"""Status in the access log for a request without an answer, as proxies write it."""
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
STATUS_MESSAGES = {
    400: "El navegador envió algo que no se entiende.",
    401: "Hay que entrar para ver esta página.",
    403: "El formulario no viene de esta página o ya venció. Vuelva a cargarla e intente de nuevo.",
    404: "Esta página no existe.",
    405: "Esta página no admite esa operación.",
}


class PageDispatcher:
    """Authenticates each request, calls the handler of its page, and renders errors as pages."""

    def __init__(self, environment: PageEnvironment, templates: Environment, pages: Sequence[Page]) -> None:
        self._environment = environment
        self._templates = templates
        self._pages = pages

    def endpoint(self, page: Page) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            page_request = await self._page_request(request, page.steps)
            page_request.max_bytes = page.max_bytes
            set_origin(page_request.origin)
            if not may_open(page, page_request.caller):
                if page_request.caller is not None or page.access is PageAccess.PUBLIC:
                    raise HTTPException(404)
                if not page.kept_field or page_request.step is not None:
                    return redirect_to_sign_in(request, self._environment.requests.public_url, page_request.step)
            try:
                if not may_open(page, page_request.caller):
                    return await show_kept_text(page_request, page)
                return await page.handler(page_request)
            finally:
                page_request.release()

        return handle

    async def error_page(self, request: Request, error: Exception) -> Response:
        """Render an HTTPException or a ServiceError as a page; details of internal errors are logged, not shown."""
        page_request = await self._page_request(request)
        if isinstance(error, HTTPException):
            text = STATUS_MESSAGES.get(error.status_code, STATUS_MESSAGES[400])
            response = page_request.render("error.html", {"message": text, "detail": ""}, status=error.status_code)
            return _close_connection(response) if "expect" in request.headers else response
        if not isinstance(error, ServiceError):
            raise error
        public = page_request.public_error(error)
        values = {"message": error_message(public.code), "detail": public.detail or ""}
        status = 413 if public.code == BODY_TOO_LARGE else status_of(public)
        if public is not error and public.retry_after is None:
            status = 500
        response = page_request.render("error.html", values, status=status)
        if public.retry_after is not None:
            response.headers["Retry-After"] = str(public.retry_after)
        return _close_connection(response) if isinstance(error, BodyRejectedError) else response

    async def client_disconnected(self, _: Request, error: Exception) -> Response:
        """Log that the connection ended before the form was complete; the response is for the access log only."""
        log.info("disconnected", error=repr(error))
        return Response(status_code=CLIENT_CLOSED_REQUEST)

    async def internal_error(self, request: Request, error: Exception) -> Response:
        """Respond with 500; Starlette raises the error again after the response, and the server logs it."""
        values = {
            "message": "Algo falló en el servidor.",
            "detail": "El administrador encuentra la causa en la bitácora.",
        }
        log.error("unhandled exception", path=loggable_path(request.url.path), exc_info=error)
        self._environment.requests.metrics.count(INTERNAL_ERRORS, (INTERNAL_ERROR,))
        return (await self._page_request(request)).render("error.html", values, status=500)

    async def _page_request(self, request: Request, steps: Container[SessionStep] = ()) -> PageRequest:
        """Return the request, as one without a session while the session waits for a step other than these."""
        requests = self._environment.requests
        pools = AccountPools(requests.pools, client_account(request))
        secure = sessions.is_secure(request, requests.public_url)
        token = sessions.session_token(request, secure=secure)
        caller = None
        visitor = PageRequest(self._environment, request, self._templates, None, "")
        set_origin(visitor.origin)
        if token is not None:
            try:
                caller = await requests.authenticate(f"Bearer {token}", pools.run_database)
            except ServiceError:
                token = None  # the session ended: the user signs in again
        if caller is not None and caller.is_restricted:
            caller = token = None  # a token for parts of the API, which a session would exceed
        step = None if caller is None else _awaited_step(caller, self._environment.second_factor_roles)
        if step is not None and step not in steps:
            caller = token = None
        csrf_secret = token or sessions.visitor_id(request, secure=secure)
        menu = menu_for(self._pages, caller) if step is None else ()
        return PageRequest(self._environment, request, self._templates, caller, csrf_secret, menu, step=step)


def _awaited_step(caller: Caller, roles: frozenset[str]) -> SessionStep | None:
    if caller.has_second_factor:
        return None if caller.passed_second_factor else SessionStep.CODE
    return SessionStep.ENROLMENT if caller.role_names & roles else None


def _close_connection(response: Response) -> Response:
    """Close the connection after the response, because the request body was not read to its end."""
    response.headers["Connection"] = "close"
    return response


class SecurityHeadersMiddleware:
    """Adds the security headers to every response; browsers may cache static files and the documentation only."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_static = scope["path"].startswith("/estaticos/")
        headers = {**SECURITY_HEADERS, "Cache-Control": "max-age=3600"} if is_static else SECURITY_HEADERS
        added = {name.lower().encode(): value.encode() for name, value in headers.items()}
        kept = OWN_HEADERS_OF_DOCUMENTATION if scope["path"].startswith(DOCUMENTATION) else frozenset()

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [pair for pair in message["headers"] if pair[0] not in added or pair[0] in kept]
                names = {name for name, _ in own}
                more = [pair for pair in added.items() if pair[0] not in names]
                message = {**message, "headers": [*own, *more]}
            await send(message)

        await self._app(scope, receive, send_with_headers)
