"""The application of the pages: routes, who may see them, headers, and what goes wrong shown as a page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

import structlog
from jinja2 import Environment, PackageLoader
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from timbra.api.errors import known, status_of
from timbra.errors import ServiceError
from timbra.portal import sessions
from timbra.portal.menu import may_see, menu_for
from timbra.portal.page import Access, Page
from timbra.portal.pages import PAGES
from timbra.portal.texts import local, local_day, message
from timbra.portal.visit import Visit
from timbra.rendering.html import environment
from timbra.rendering.texts import amount

if TYPE_CHECKING:
    from timbra.wiring import House

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.portal")

SIGN_IN = "/portal/entrar"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
WORDS = {
    400: "El navegador envió algo que no se entiende.",
    401: "Hay que entrar para ver esta página.",
    403: "El formulario no viene de esta página o ya venció. Vuelva a cargarla e intente de nuevo.",
    404: "Esta página no existe.",
    405: "Esta página no admite esa operación.",
    413: "Lo que se envió es demasiado grande.",
}


def build(house: House, pages: Sequence[Page] = PAGES) -> ASGIApp:
    """The pages over an open house."""
    templates = environment(PackageLoader("timbra.portal"))
    templates.globals["full_message"] = message
    templates.filters |= {"local": local, "local_day": local_day, "amount": amount}
    desk = _Desk(house, templates, pages)
    routes = [Route(page.path, desk.handler(page), methods=[page.method]) for page in pages]
    folders = StaticFiles(packages=[("timbra.portal", "static"), ("timbra.rendering", "static")])
    app = Starlette(
        routes=[Route("/", _home), *routes, Mount("/estaticos", folders)],
        exception_handlers={
            HTTPException: desk.refuse,
            ServiceError: desk.refuse,
            Exception: desk.fail,
        },
    )
    return _Guarded(app)


async def _home(_: Request) -> Response:
    return RedirectResponse("/portal", 307)


class _Desk:
    """Makes visits of requests."""

    def __init__(self, house: House, templates: Environment, pages: Sequence[Page]) -> None:
        self._house = house
        self._templates = templates
        self._pages = pages

    def handler(self, page: Page) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            visit = self._visit(request)
            visit.most_bytes = page.most_bytes
            if not may_see(page, visit.caller, sandbox=self._house.sandbox):
                if visit.caller is None and page.access is not Access.PUBLIC:
                    return RedirectResponse(SIGN_IN, 303)
                raise HTTPException(404)
            return await page.handler(visit)

        return handle

    async def refuse(self, request: Request, error: Exception) -> Response:
        """A refusal as a page. error: HTTPException or ServiceError; nothing internal is shown."""
        visit = self._visit(request)
        if isinstance(error, HTTPException):
            words = WORDS.get(error.status_code, WORDS[400])
            return visit.show("error.html", {"words": words, "detail": ""}, status=error.status_code)
        if not isinstance(error, ServiceError):
            raise error
        told = known(error)
        if told is not error:
            log.error("internal error", code=error.code, detail=error.detail)
        values = {"words": message(told.code), "detail": told.detail or ""}
        return visit.show("error.html", values, status=status_of(told))

    async def fail(self, request: Request, error: Exception) -> Response:
        """Starlette raises the error again after this answer, for the server to log."""
        values = {
            "words": "Algo falló en el servidor.",
            "detail": "El administrador encuentra la causa en la bitácora.",
        }
        log.error("uncontrolled error", path=request.url.path, exc_info=error)
        return self._visit(request).show("error.html", values, status=500)

    def _visit(self, request: Request) -> Visit:
        token = sessions.session_of(request)
        caller = None
        if token is not None:
            try:
                caller = self._house.accounts.caller(f"Bearer {token}")
            except ServiceError:
                token = None  # ended: the visitor signs in again
        holder = token or sessions.visitor_of(request)
        menu = menu_for(self._pages, caller, sandbox=self._house.sandbox)
        return Visit(self._house, request, self._templates, caller, holder, menu)


class _Guarded:
    """Adds the headers that browsers obey to every answer; assets alone may be kept by the browser."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kept = scope["path"].startswith("/estaticos/")
        headers = {**HEADERS, "Cache-Control": "max-age=3600"} if kept else HEADERS
        added = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        names = {name for name, _ in added}

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [pair for pair in message["headers"] if pair[0] not in names]
                message = {**message, "headers": [*own, *added]}
            await send(message)

        await self._app(scope, receive, guarded)
