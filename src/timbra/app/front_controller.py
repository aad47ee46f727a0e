"""Front controller: one application for API clients and browsers, which routes to the API or to the pages."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from timbra.app.request_environment import request_environment
from timbra.core.caller import named_roles
from timbra.core.environments import ENVIRONMENTS
from timbra.web.framework.access_log import REQUEST_ID_HEADER, AccessLog
from timbra.web.portal.dispatch.environment import PageEnvironment
from timbra.web.portal.dispatch.log_path import loggable_path
from timbra.web.portal.documentation.site import SITE_FOLDER

if TYPE_CHECKING:
    from timbra.container import Container
    from timbra.web.injection import Groups

EVENT_STREAM = b"text/event-stream; charset=utf-8"
PAGE_PREFIXES = ("/portal", "/validador", "/estaticos", "/default.aspx")
DOCUMENTATION_PREFIX = "/docs"


class FrontController:
    """The ASGI application of a worker.

    The pages are imported and bound at the first request for a page, so that a server without browser users does not
    use time and memory for them.

    Args:
        api: The application of the API.
        environment: Environment of the page requests.
        groups: Builds each group of services, by its class.
    """

    def __init__(self, api: ASGIApp, environment: PageEnvironment, groups: Groups) -> None:
        self._api = api
        self._environment = environment
        self._groups = groups
        documentation = () if environment.documentation is None else (DOCUMENTATION_PREFIX,)
        self._prefixes = (*PAGE_PREFIXES, *documentation)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_http = scope["type"] == "http"
        app = self._pages if is_http and is_page(scope["method"], scope["path"], self._prefixes) else self._api
        await app(scope, receive, send)

    @cached_property
    def _pages(self) -> ASGIApp:
        from timbra.app.portal_factory import build

        return AccessLogMiddleware(
            build(self._environment, self._groups), AccessLog(self._environment.requests.metrics)
        )


class AccessLogMiddleware:
    """Writes an access log entry for each page request, and adds the request id to the response."""

    def __init__(self, app: ASGIApp, access_log: AccessLog) -> None:
        self._app = app
        self._access_log = access_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        entry = self._access_log.open({**scope, "path": loggable_path(scope["path"])})
        status, is_stream = 0, False

        async def send_with_request_id(message: Message) -> None:
            nonlocal status, is_stream
            if message["type"] == "http.response.start":
                status = message["status"]
                is_stream = (b"content-type", EVENT_STREAM) in message["headers"]
                message = {**message, "headers": [*message["headers"], (REQUEST_ID_HEADER, entry.request_id.encode())]}
            await send(message)
            if is_stream and message["type"] == "http.response.start":
                # Events have no end: the request counts up to its first byte.
                entry.log_response("events", status)
                entry.close()

        try:
            await self._app(scope, receive, send_with_request_id)
        except Exception:
            status = status or 500  # the server answers 500 for an uncaught exception
            raise
        finally:
            if not is_stream:
                if status:
                    entry.log_response("page", status)
                else:
                    entry.log_aborted("disconnected")
                entry.close()


def is_page(method: str, path: str, prefixes: tuple[str, ...] = PAGE_PREFIXES) -> bool:
    """Whether a request is for the pages: a GET of the root, or a path at or below one of the prefixes.

    A request of another method for the root comes from a client of the API whose base URL has no path.
    """
    if path == "/":
        return method in {"GET", "HEAD"}
    if not path.startswith(prefixes):  # one call for the requests of the API, which are nearly all
        return False
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in prefixes)


def page_environment(container: Container) -> PageEnvironment:
    settings = container.settings
    documentation = SITE_FOLDER if settings.docs else None
    roles = named_roles(settings.second_factor_roles)
    return PageEnvironment(ENVIRONMENTS[settings.environment], container.get(request_environment), documentation, roles)
