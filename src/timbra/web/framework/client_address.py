"""The address of the client of a request that came through reverse proxies.

A header says anything that its sender likes. The addresses are therefore read from right to left, as each proxy has
added them, and an address counts only when the proxy that added it is trusted: the peer of the connection, then the
addresses before it, at most as many as there are proxies in a row. Everything further left is the client's own text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from time import monotonic
from typing import Literal

import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
PROXY_PROTOCOL = "proxy-protocol"
Header = Literal["x-forwarded-for", "forwarded", "proxy-protocol"]

PROTO = b"x-forwarded-proto"
SCHEMES = ("http", "https")
FORWARDING = frozenset({b"forwarded", b"x-forwarded-for", b"x-real-ip"})
"""Headers that make a proxy evident."""
WARNING_SECONDS = 3600.0
"""Time between two warnings of a worker."""
MAX_ENTRY = 256
"""Characters of one entry of a header; a longer one names no address."""

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.proxies")


@dataclass(frozen=True, slots=True)
class ProxyTrust:
    """The proxies whose headers count.

    Attributes:
        networks: networks of the proxies; empty when no proxy is trusted.
        hops: number of proxies in a row.
        header: the header that the proxies write, or the PROXY protocol; every other header is text of the client.
    """

    networks: tuple[Network, ...] = ()
    hops: int = 1
    header: Header = "x-forwarded-for"

    def trusts(self, address: Address | None) -> bool:
        """Whether the address is one of a trusted proxy."""
        if address is None:
            return False
        return any(address.version == network.version and address in network for network in self.networks)

    def client(self, peer: str, values: list[str]) -> str:
        """Return the address of the client.

        Args:
            peer: address of the other end of the connection.
            values: values of the header, in the order of the request.
        """
        client = read_address(peer)
        found = peer
        entries = reversed(list(self._entries(",".join(values))))
        for _ in range(self.hops):
            if not self.trusts(client):
                break
            client = read_address(next(entries, ""))
            if client is None:
                break
            found = str(client)
        return found

    def _entries(self, value: str) -> Iterator[str]:
        if self.header == "x-forwarded-for":
            yield from value.split(",")
            return
        for element in split_outside_quotes(value, ","):
            pairs = (pair.partition("=") for pair in split_outside_quotes(element, ";"))
            yield next((text.strip().strip('"') for name, _, text in pairs if name.strip().lower() == "for"), "")


def parse_networks(text: str) -> tuple[Network, ...]:
    """Return the networks of a setting: addresses and networks, separated by commas.

    Raises:
        ValueError: a part is neither.
    """
    return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())


def split_outside_quotes(text: str, separator: str) -> Iterator[str]:
    """Split a header value at a separator that is not inside a quoted string (RFC 7239)."""
    pieces: list[str] = []
    quoted = False
    for part in text.split(separator):
        pieces.append(part)
        quoted ^= part.count('"') % 2 == 1
        if not quoted:
            yield separator.join(pieces)
            pieces = []
    if pieces:
        yield separator.join(pieces)


def read_address(text: str) -> Address | None:
    """Read an address as proxies write it, with or without port and brackets; None for any other text."""
    text = text.strip()
    if len(text) > MAX_ENTRY:
        return None
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


class ClientAddresses:
    """ASGI middleware: the client of a request is the one that trusted proxies name, for everything that reads it.

    Args:
        app: the application.
        trust: the proxies whose headers count.
        warns: whether to warn when a proxy is evident that is not trusted.
        now: monotonic clock, in seconds.
    """

    def __init__(
        self, app: ASGIApp, trust: ProxyTrust, *, warns: bool = False, now: Callable[[], float] = monotonic
    ) -> None:
        self._app = app
        self._trust = trust
        self._header = trust.header.encode()
        self._warns = warns
        self._now = now
        self._warned_at: float | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        if client is not None and scope["type"] == "http":
            peer: str = client[0]
            if self._trust.networks and self._trust.trusts(read_address(peer)):
                scope = self._behind_proxy(scope, peer)
            elif self._warns:
                self._warn(scope, peer)
        await self._app(scope, receive, send)

    def _behind_proxy(self, scope: Scope, peer: str) -> Scope:
        values = [value.decode("latin-1") for name, value in scope["headers"] if name == self._header]
        schemes = [value.decode("latin-1").strip().lower() for name, value in scope["headers"] if name == PROTO]
        found = {**scope, "client": (self._trust.client(peer, values), 0)}
        if len(schemes) == 1 and schemes[0] in SCHEMES:
            found["scheme"] = schemes[0]
        return found

    def _warn(self, scope: Scope, peer: str) -> None:
        """Say once an hour that all clients of a proxy count as one."""
        headers = sorted({name.decode("latin-1") for name, _ in scope["headers"] if name in FORWARDING})
        if not headers:
            return
        now = self._now()
        if self._warned_at is None or now - self._warned_at >= WARNING_SECONDS:
            self._warned_at = now
            log.warning("proxy not trusted", peer=peer, headers=headers, setting="TIMBRA_TRUSTED_PROXIES")
