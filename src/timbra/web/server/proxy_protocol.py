"""The head of the PROXY protocol, versions 1 and 2, with which a balancer of TCP names the client of a connection."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

V1 = b"PROXY "
V2 = b"\r\n\r\n\0\r\nQUIT\n"
MAX_V1 = 107
"""Bytes of a head of version 1 with its end of line, as the protocol says."""
MAX_V2 = 16 + 2048
"""Bytes of a head of version 2; the addresses have 36, and the rest are values that are not read."""
LOCAL, PROXY = 0x20, 0x21
"""Version and command: a connection of the balancer itself, and one of a client."""
FAMILIES = {"TCP4": 4, "TCP6": 6}
LENGTHS = {0x11: 4, 0x21: 16}
"""Bytes of an address, by family and transport."""


@dataclass(frozen=True, slots=True)
class ProxyHead:
    """A head.

    Attributes:
        size: its bytes.
        client: address and port of the client; None when the balancer names none.
    """

    size: int
    client: tuple[str, int] | None


def read_head(data: bytes) -> ProxyHead | None:
    """Read the head at the beginning of a connection; None while it is incomplete.

    Raises:
        ValueError: The connection does not begin with a head.
    """
    if data.startswith(V2):
        return _read_v2(data)
    if data.startswith(V1):
        return _read_v1(data)
    if V1.startswith(data) or V2.startswith(data):
        return None
    raise ValueError("no PROXY head")


def _read_v1(data: bytes) -> ProxyHead | None:
    end = data.find(b"\r\n", 0, MAX_V1)
    if end < 0:
        if len(data) >= MAX_V1:
            raise ValueError("a PROXY head without end")
        return None
    words = data[len(V1) : end].decode("ascii").split(" ")
    if words[0] == "UNKNOWN":
        return ProxyHead(end + 2, None)
    family, source, target, source_port, target_port = words
    client, server = ip_address(source), ip_address(target)
    if not client.version == server.version == FAMILIES.get(family):
        raise ValueError("addresses of another family")
    ports = [int(port) for port in (source_port, target_port) if port.isdecimal() and len(port) <= 5]
    if len(ports) < 2 or max(ports) > 0xFFFF:
        raise ValueError("no ports")
    return ProxyHead(end + 2, (str(client), ports[0]))


def _read_v2(data: bytes) -> ProxyHead | None:
    if len(data) < 16:
        return None
    command, family, length = data[12], data[13], int.from_bytes(data[14:16], "big")
    if command not in (LOCAL, PROXY) or 16 + length > MAX_V2:
        raise ValueError("an unknown PROXY head")
    if len(data) < 16 + length:
        return None
    size = LENGTHS.get(family)
    if command == LOCAL or size is None:
        return ProxyHead(16 + length, None)
    if length < 2 * size + 4:
        raise ValueError("a PROXY head without addresses")
    read = IPv4Address if size == 4 else IPv6Address
    port = 16 + 2 * size
    client = read(data[16 : 16 + size])
    return ProxyHead(16 + length, (str(client), int.from_bytes(data[port : port + 2], "big")))
