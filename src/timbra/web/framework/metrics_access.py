"""Access to `GET /metrics`: at its own listener; with the token of the settings; or from this machine in a sandbox."""

from __future__ import annotations

from hmac import compare_digest
from ipaddress import ip_address

from timbra.core.errors import ServiceError
from timbra.web.framework.metrics_listener import is_metrics_listener
from timbra.web.framework.request_context import RequestContext

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
