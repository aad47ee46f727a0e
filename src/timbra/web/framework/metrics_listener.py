"""The listener of metrics: a second address that serves `GET /metrics` without a token, and nothing else."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from timbra.core.errors import ServiceError
from timbra.web.framework.error_responses import envelope
from timbra.web.framework.request_context import json_response

PATH = "/metrics"
MARK = "timbra.metrics_listener"
"""Member of the ASGI scope of a request that arrived at the listener."""


class MetricsListener:
    """Separates the requests of the listener by the local port of their connection, which no client can choose."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        """Wrap an application.

        Args:
            app: The application of all listeners.
            port: The port of the listener; no other listener has it.
        """
        self._app = app
        self._port = port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        server = scope.get("server")
        if scope["type"] != "http" or server is None or server[1] != self._port:
            await self._app(scope, receive, send)
        elif scope["path"] == PATH:
            await self._app({**scope, MARK: True}, receive, send)
        else:
            await json_response(envelope(ServiceError("TB4040")), 404)(scope, receive, send)


def is_metrics_listener(scope: Scope) -> bool:
    """Whether the request arrived at the listener of metrics."""
    return scope.get(MARK) is True
