"""Access to the metrics: with their token; while none is set, for programs of this machine."""

from __future__ import annotations

from hmac import compare_digest
from ipaddress import ip_address

from timbra.api.framework.request_context import RequestContext
from timbra.errors import ServiceError

FORWARDED = frozenset({"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})
"""Headers by which a proxy on this machine marks requests that it forwards."""


def require_monitor(request: RequestContext) -> None:
    """ServiceError "TB4011" for a wrong token, "TB4040" for a client of another machine."""
    token = request.environment.metrics_token
    if token:
        scheme, _, sent = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not compare_digest(sent.strip().encode(), token.encode()):
            raise ServiceError("TB4011")
    elif not is_near(request):
        raise ServiceError("TB4040")


def is_near(request: RequestContext) -> bool:
    """Whether the connection comes from this machine and carries no forwarded request."""
    client = request.scope.get("client")
    if client is None or not FORWARDED.isdisjoint(request.headers):
        return False
    return ip_address(client[0]).is_loopback
