"""The PROXY protocol: balancers of trusted networks name the client at the begin of a connection, others do not."""

from __future__ import annotations

import asyncio
from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from timbra.web.framework.client_address import ProxyTrust, parse_networks
from timbra.web.server.http_protocol import ConnectionLimits, ConnectionPool, TolerantProtocol
from timbra.web.server.proxy_protocol import ProxyHead, read_head
from timbra.web.server.worker import _config

V2 = b"\r\n\r\n\x00\r\nQUIT\n"

CLIENT, CLIENT6 = "203.0.113.9", "2001:db8::9"
REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 198.51.100.1\r\nConnection: close\r\n\r\n"
TRUSTED, OTHERS = "127.0.0.0/8", "10.0.0.0/8"
SECONDS = 30


def v2(command: int, family: int, addresses: bytes, more: bytes = b"") -> bytes:
    rest = addresses + more
    return V2 + bytes([command, family]) + len(rest).to_bytes(2, "big") + rest


def addresses(client: str, server: str) -> bytes:
    return (
        ip_address(client).packed + ip_address(server).packed + (51000).to_bytes(2, "big") + (8080).to_bytes(2, "big")
    )


HEADS = {
    b"PROXY TCP4 203.0.113.9 10.0.0.1 51000 8080\r\n": CLIENT,
    b"PROXY TCP6 2001:db8::9 2001:db8::1 51000 8080\r\n": CLIENT6,
    b"PROXY UNKNOWN\r\n": None,
    b"PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n": None,
    v2(0x21, 0x11, addresses(CLIENT, "10.0.0.1")): CLIENT,
    v2(0x21, 0x21, addresses(CLIENT6, "2001:db8::1")): CLIENT6,
    v2(0x21, 0x11, addresses(CLIENT, "10.0.0.1"), b"\x04\x00\x80" + bytes(128)): CLIENT,
    v2(0x20, 0x00, b""): None,
    v2(0x20, 0x11, addresses(CLIENT, "10.0.0.1")): None,
    v2(0x21, 0x00, b""): None,
    v2(0x21, 0x31, bytes(216)): None,
}
"""Heads with the client that they name."""
WRONG = (
    REQUEST,
    b"PROXY TCP4 203.0.113.9 10.0.0.1 51000\r\n",
    b"PROXY TCP4 203.0.113.9 10.0.0.1 51000 8080 9\r\n",
    b"PROXY TCP4 203.0.113.9  51000 8080\r\n",
    b"PROXY TCP4 2001:db8::9 2001:db8::1 51000 8080\r\n",
    b"PROXY TCP6 203.0.113.9 10.0.0.1 51000 8080\r\n",
    b"PROXY UDP4 203.0.113.9 10.0.0.1 51000 8080\r\n",
    b"PROXY TCP4 203.0.113.9 10.0.0.1 65536 8080\r\n",
    b"PROXY TCP4 203.0.113.9 10.0.0.1 -1 8080\r\n",
    b"PROXY TCP4 203.0.113.999 10.0.0.1 51000 8080\r\n",
    b"PROXY \xff\xfe 203.0.113.9 10.0.0.1 51000 8080\r\n",
    b"PROXY TCP4 " + b"1" * 120 + b"\r\n",
    b"PROXY " + b"x" * 101,
    b"proxy TCP4 203.0.113.9 10.0.0.1 51000 8080\r\n",
    v2(0x11, 0x11, addresses(CLIENT, "10.0.0.1")),
    v2(0x22, 0x11, addresses(CLIENT, "10.0.0.1")),
    v2(0x21, 0x11, addresses(CLIENT, "10.0.0.1")[:-1]),
    v2(0x21, 0x21, addresses(CLIENT, "10.0.0.1")),
    v2(0x21, 0x11, addresses(CLIENT, "10.0.0.1"), bytes(2048)),
    V2[:-1] + b"\r" + bytes(100),
)


@pytest.mark.parametrize("head", HEADS)
def test_head_is_read_when_it_is_complete(head: bytes) -> None:
    for size in range(len(head)):
        assert read_head(head[:size]) is None
    client = HEADS[head]
    expected = ProxyHead(len(head), None if client is None else (client, 51000))
    assert read_head(head) == read_head(head + REQUEST) == expected


@pytest.mark.parametrize("data", WRONG)
def test_anything_else_is_no_head(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_head(data)


@given(st.sampled_from([b"", b"PROXY ", b"PROXY TCP4 ", V2, V2 + b"\x21\x11"]), st.binary(max_size=3000))
def test_any_bytes_are_a_head_incomplete_or_an_error(begin: bytes, rest: bytes) -> None:
    try:
        head = read_head(begin + rest)
    except ValueError:
        return
    if head is None:
        assert len(begin + rest) < 16 + 2048
    else:
        assert 0 < head.size <= min(len(begin + rest), 16 + 2048)


async def client_address(scope: Scope, _receive: Receive, send: Send) -> None:
    """Answer with the address of the client."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["client"][0].encode()})


def answers(*pieces: bytes, networks: str, limits: ConnectionLimits | None = None) -> bytes:
    """Send pieces on a connection of the loopback address, one after the other, and read to its end."""
    pool = ConnectionPool(limits or ConnectionLimits(), ProxyTrust(parse_networks(networks), 1, "proxy-protocol"))
    config = _config(client_address, pool, None)
    config.load()

    def protocol() -> TolerantProtocol:
        return TolerantProtocol(config=config, server_state=ServerState(), app_state={}, connection_pool=pool)

    async def run() -> bytes:
        listening = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
        async with listening:
            reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0.001)
            answer = await asyncio.wait_for(reader.read(), SECONDS)
            writer.close()
        return answer

    return asyncio.run(run())


def body_of(answer: bytes) -> bytes:
    """Return the body, without the lengths of its chunks."""
    return answer.partition(b"\r\n\r\n")[2].split(b"\r\n")[1]


@pytest.mark.parametrize("head", HEADS)
def test_trusted_balancer_names_the_client(head: bytes) -> None:
    client = (HEADS[head] or "127.0.0.1").encode()
    assert body_of(answers(head + REQUEST, networks=TRUSTED)) == client
    assert body_of(answers(*(head[i : i + 5] for i in range(0, len(head), 5)), REQUEST, networks=TRUSTED)) == client


@pytest.mark.parametrize("data", [data for data in WRONG if len(data) > 16])
def test_connection_of_a_balancer_without_a_head_is_rejected(data: bytes) -> None:
    answer = answers(data + REQUEST, networks=TRUSTED)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"TB4000" in answer
    assert b"127.0.0.1" not in answer


def test_head_of_another_peer_is_not_read() -> None:
    assert body_of(answers(REQUEST, networks=OTHERS)) == b"127.0.0.1"
    for head in HEADS:
        answer = answers(head + REQUEST, networks=OTHERS)
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert CLIENT.encode() not in answer


def test_second_head_is_no_request() -> None:
    head = b"PROXY TCP4 203.0.113.9 10.0.0.1 51000 8080\r\n"
    assert answers(head + head + REQUEST, networks=TRUSTED).startswith(b"HTTP/1.1 400 ")


def test_incomplete_head_has_the_time_of_a_request_head() -> None:
    limits = ConnectionLimits(header_timeout_seconds=0.2)
    assert answers(b"PROXY TCP4 203.0.113.9 ", networks=TRUSTED, limits=limits) == b""
