"""The client's address behind trusted proxies: only what trusted hops wrote counts, from right to left."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from starlette.types import Receive, Scope, Send
from structlog.testing import capture_logs

from timbra.settings import Settings
from timbra.web.framework.client_address import ClientAddresses, Header, ProxyTrust, parse_networks

PROXIES = "127.0.0.1, 10.0.0.0/8, 2001:db8:ffff::/48"
OUTSIDE = "198.51.100.7"
CLIENT = "203.0.113.9"


def trust(hops: int = 1, header: Header = "x-forwarded-for", networks: str = PROXIES) -> ProxyTrust:
    return ProxyTrust(parse_networks(networks), hops, header)


def scope_of(middleware: ProxyTrust, peer: str | None, *headers: tuple[str, str], **options: Any) -> Scope:
    seen: list[Scope] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        seen.append(scope)

    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    scope = {"type": "http", "headers": raw, "client": None if peer is None else (peer, 4711), "scheme": "http"}
    asyncio.run(ClientAddresses(app, middleware, **options)(scope, None, None))  # type: ignore[arg-type]
    return seen[0]


def client_of(middleware: ProxyTrust, peer: str, *headers: tuple[str, str]) -> str:
    return str(scope_of(middleware, peer, *headers)["client"][0])


@pytest.mark.parametrize(
    ("hops", "peer", "value", "client"),
    [
        (1, "127.0.0.1", CLIENT, CLIENT),
        (1, "127.0.0.1", f"1.2.3.4, {CLIENT}", CLIENT),
        (1, "127.0.0.1", f"{CLIENT}, 10.0.0.5", "10.0.0.5"),
        (2, "127.0.0.1", f"{CLIENT}, 10.0.0.5", CLIENT),
        (2, "127.0.0.1", f"1.2.3.4, {CLIENT}", CLIENT),
        (2, "127.0.0.1", f"10.0.0.9, {CLIENT}", CLIENT),
        (9, "127.0.0.1", f"1.2.3.4, {CLIENT}, 10.0.0.6, 10.0.0.5", CLIENT),
        (3, "127.0.0.1", "10.0.0.6, 10.0.0.5", "10.0.0.6"),
        (1, OUTSIDE, CLIENT, OUTSIDE),
        (9, OUTSIDE, f"{CLIENT}, 10.0.0.5, 127.0.0.1", OUTSIDE),
        (1, "127.0.0.1", "unknown", "127.0.0.1"),
        (2, "127.0.0.1", f"{CLIENT}, garbage, 10.0.0.5", "10.0.0.5"),
        (1, "127.0.0.1", "", "127.0.0.1"),
        (1, "127.0.0.1", f"{CLIENT},", "127.0.0.1"),
        (1, "127.0.0.1", f"{CLIENT}:52000", CLIENT),
        (1, "127.0.0.1", "[2001:db8::7]:52000", "2001:db8::7"),
        (1, "127.0.0.1", "2001:db8::7", "2001:db8::7"),
        (1, "::ffff:127.0.0.1", f"::ffff:{CLIENT}", CLIENT),
        (1, "2001:db8:ffff::1", CLIENT, CLIENT),
        (1, "127.0.0.1", "1" * 10_000, "127.0.0.1"),
        (1, "127.0.0.1", "<script>", "127.0.0.1"),
    ],
)
def test_client_is_what_the_last_trusted_proxy_saw(hops: int, peer: str, value: str, client: str) -> None:
    assert client_of(trust(hops), peer, ("x-forwarded-for", value)) == client


@pytest.mark.parametrize(
    ("hops", "value", "client"),
    [
        (1, f"for={CLIENT}", CLIENT),
        (1, f'for="{CLIENT}:52000";proto=https;by=10.0.0.5', CLIENT),
        (1, f'For="[2001:db8::7]:52000", for={CLIENT}', CLIENT),
        (1, 'for="[2001:db8::7]"', "2001:db8::7"),
        (2, f"for={CLIENT}, for=10.0.0.5", CLIENT),
        (1, f'for=1.2.3.4, for={CLIENT};by="a,b;for=5.6.7.8"', CLIENT),
        (1, "for=_hidden", "127.0.0.1"),
        (1, "for=unknown", "127.0.0.1"),
        (1, "proto=https", "127.0.0.1"),
        (1, f'for={CLIENT}, for="', "127.0.0.1"),
    ],
)
def test_client_is_read_from_forwarded(hops: int, value: str, client: str) -> None:
    assert client_of(trust(hops, "forwarded"), "127.0.0.1", ("forwarded", value)) == client


def test_only_the_header_of_the_setting_counts() -> None:
    both = [("forwarded", "for=1.2.3.4"), ("x-forwarded-for", CLIENT), ("x-real-ip", "5.6.7.8")]
    assert client_of(trust(), "127.0.0.1", *both) == CLIENT
    assert client_of(trust(header="forwarded"), "127.0.0.1", *both) == "1.2.3.4"


def test_header_in_several_lines_is_one_list() -> None:
    lines = [("x-forwarded-for", "1.2.3.4"), ("x-forwarded-for", f"{CLIENT}, 10.0.0.5")]
    assert client_of(trust(2), "127.0.0.1", *lines) == CLIENT


@given(
    forged=st.lists(st.text(st.characters(codec="latin-1", exclude_characters="\r\n"), max_size=40), max_size=6),
    hops=st.integers(1, 3),
    quote=st.sampled_from(["", '"']),
)
def test_nothing_that_a_client_writes_changes_its_address(forged: list[str], hops: int, quote: str) -> None:
    """However the client fills the header: the proxies add their addresses at its end, and those count."""
    seen = [CLIENT, "10.0.0.2", "10.0.0.3"][:hops]
    written = [",".join(forged) + quote] if forged else []
    assert client_of(trust(hops), "127.0.0.1", ("x-forwarded-for", ", ".join([*written, *seen]))) == CLIENT


@pytest.mark.parametrize("networks", ["", "192.0.2.0/24"])
def test_no_header_counts_without_a_trusted_peer(networks: str) -> None:
    headers = [("x-forwarded-for", CLIENT), ("forwarded", f"for={CLIENT}"), ("x-forwarded-proto", "https")]
    scope = scope_of(trust(networks=networks), "127.0.0.1", *headers)
    assert (scope["client"], scope["scheme"]) == (("127.0.0.1", 4711), "http")


def test_scheme_is_that_of_the_trusted_proxy() -> None:
    assert scope_of(trust(), "127.0.0.1", ("x-forwarded-proto", "https"))["scheme"] == "https"
    assert scope_of(trust(), "127.0.0.1", ("x-forwarded-proto", "javascript"))["scheme"] == "http"
    twice = [("x-forwarded-proto", "https"), ("x-forwarded-proto", "http")]
    assert scope_of(trust(), "127.0.0.1", *twice)["scheme"] == "http"


def test_request_without_a_client_is_passed_on() -> None:
    assert scope_of(trust(), None, ("x-forwarded-for", CLIENT))["client"] is None


def test_evident_proxy_is_warned_of_once_an_hour() -> None:
    now = [0.0]

    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        return

    middleware = ClientAddresses(app, trust(networks="10.0.0.0/8"), warns=True, now=lambda: now[0])

    def send(peer: str, *headers: tuple[bytes, bytes]) -> None:
        scope = {"type": "http", "headers": list(headers), "client": (peer, 1), "scheme": "http"}
        asyncio.run(middleware(scope, None, None))  # type: ignore[arg-type]

    header = (b"x-forwarded-for", CLIENT.encode())
    with capture_logs() as logs:
        send("127.0.0.1")
        send("10.0.0.1", header)
        assert logs == []
        for now[0] in (0.0, 10.0, 3599.0, 3600.0):
            send("127.0.0.1", header)
    assert [(line["event"], line["peer"], line["setting"]) for line in logs] == [
        ("proxy not trusted", "127.0.0.1", "TIMBRA_TRUSTED_PROXIES")
    ] * 2


@pytest.mark.parametrize("text", ["10.0.0.0/8,", " 127.0.0.1 , ::1", ""])
def test_setting_accepts_addresses_and_networks(text: str) -> None:
    assert Settings(trusted_proxies=text).trusted_proxies == text


@pytest.mark.parametrize("text", ["nginx", "10.0.0.1/8", "10.0.0.0/33", "*"])
def test_setting_rejects_anything_else(text: str) -> None:
    with pytest.raises(ValidationError):
        Settings(trusted_proxies=text)
