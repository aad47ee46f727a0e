"""Who may read the metrics: whoever has their token; without one, programs of this machine."""

from __future__ import annotations

from hmac import compare_digest
from ipaddress import ip_address

from timbra.api.exchange import Exchange
from timbra.errors import ServiceError

FORWARDED = frozenset({"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})
"""Headers by which a proxy on this machine tells that it asks for somebody else."""


def require_monitor(exchange: Exchange) -> None:
    """ServiceError "TB4011" for a wrong token, "TB4040" for somebody from elsewhere: there the page does not exist."""
    token = exchange.house.settings.metrics_token
    if token:
        scheme, _, sent = exchange.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not compare_digest(sent.strip().encode(), token.encode()):
            raise ServiceError("TB4011")
    elif not is_near(exchange):
        raise ServiceError("TB4040")


def is_near(exchange: Exchange) -> bool:
    """Whether the connection comes from this machine, and nobody else's request with it."""
    client = exchange.scope.get("client")
    if client is None or not FORWARDED.isdisjoint(exchange.headers):
        return False
    return ip_address(client[0]).is_loopback
