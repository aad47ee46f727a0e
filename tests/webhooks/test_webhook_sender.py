"""Requests to webhooks: the addresses that are allowed, and limits of time and size."""

from __future__ import annotations

import hmac
import socket
from collections.abc import Callable, Iterator
from hashlib import sha256
from ipaddress import ip_address, ip_network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tls import HOST, TlsServer, tls_server
from tests.support.webhook_receiver import Receiver, receiving

from timbra.core.errors import ServiceError
from timbra.settings import Settings
from timbra.webhooks.address_policy import AddressPolicy
from timbra.webhooks.build import address_policy
from timbra.webhooks.http_sender import SentRequest, WebhookSender
from timbra.webhooks.notification import signature_header

ANSWER_BYTES = 1024

LOOPBACK = AddressPolicy("127.0.0.0/8", requires_https=False)
NONE_ALLOWED = AddressPolicy(requires_https=False)
PRIVATE = (
    "127.0.0.1",
    "127.9.9.9",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fd00:ec2::254",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2001::1",
)


SPECIAL = (
    "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 "
    "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 "
    "::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8"
)
"""The networks of IANA's registries of special-purpose addresses that are not reachable from everywhere."""


@pytest.mark.parametrize("text", SPECIAL.split())
@given(data=st.data())
def test_policy_allows_no_address_of_a_special_network(text: str, data: st.DataObject) -> None:
    network = ip_network(text)
    drawn = data.draw(st.integers(0, network.num_addresses - 1))
    for number in (0, network.num_addresses - 1, drawn):
        assert not NONE_ALLOWED.allows(network[number])


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_sender_answers_alike_for_a_name_without_an_address_and_a_rejected_one(scheme: str) -> None:
    def unresolvable(host: str, port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    def answer(resolve: Callable[[str, int], list[str]]) -> tuple[int | None, str]:
        sent = WebhookSender(NONE_ALLOWED, 5, resolve=resolve).send(request(f"{scheme}://intranet.example/hook"))
        return sent.status, sent.text

    answers = {answer(unresolvable), answer(lambda _host, _port: [])}
    for found in PRIVATE:
        addresses = [found]
        answers.add(answer(lambda _host, _port: addresses))  # noqa: B023
    assert answers == {
        (None, "intranet.example no tiene una dirección pública, ni una de las redes de TIMBRA_WEBHOOK_NETWORKS.")
    }


@pytest.fixture(scope="module")
def shared() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def receiver(shared: Receiver) -> Receiver:
    shared.requests.clear()
    shared.status, shared.answer, shared.headers = 204, b"", {}
    shared.hold.set()
    return shared


def request(url: str, body: bytes = b"{}") -> SentRequest:
    return SentRequest(url, {"Content-Type": "application/json"}, body)


@pytest.mark.parametrize("address", PRIVATE)
def test_policy_allows_no_address_that_is_not_public(address: str) -> None:
    assert not NONE_ALLOWED.allows(ip_address(address))


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822"])
def test_policy_allows_public_addresses(address: str) -> None:
    assert NONE_ALLOWED.allows(ip_address(address))


def test_policy_allows_the_networks_of_the_setting_only() -> None:
    policy = AddressPolicy("10.1.0.0/16, fd00::/8")
    assert policy.allows(ip_address("10.1.2.3"))
    assert policy.allows(ip_address("::ffff:10.1.2.3"))
    assert policy.allows(ip_address("fd00::1"))
    assert not policy.allows(ip_address("10.2.0.1"))


@pytest.mark.parametrize(
    ("environment", "networks", "allowed"),
    [
        ("sandbox", None, "127.0.0.1 ::1 10.1.2.3 172.17.0.1 192.168.1.1 fd00::1"),
        ("sandbox", "", ""),
        ("sandbox", "10.0.0.0/8", "10.1.2.3"),
        ("rehearsal", None, ""),
        ("production", None, ""),
        ("production", "10.0.0.0/8", "10.1.2.3"),
    ],
)
def test_policy_of_the_settings_allows_private_networks_in_a_sandbox(
    environment: Any, networks: str | None, allowed: str
) -> None:
    policy = address_policy(Settings(environment=environment, webhook_networks=networks))
    private = (
        "127.0.0.1 ::1 10.1.2.3 172.17.0.1 192.168.1.1 fd00::1 169.254.169.254 fe80::1 100.64.0.1 224.0.0.1 0.0.0.0"
    )
    assert " ".join(address for address in private.split() if policy.allows(ip_address(address))) == allowed
    assert policy.requires_https == (environment != "sandbox")


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://127.1/",
        "http://user:pass@example.com/",
        "http://example.com/#here",
        "http://example.com:99999/",
        "http://example.com:0/",
        "http:///path",
        "http://exa mple.com/",
        "https://ñandú.example/",
        "https://example.com/" + "a" * 2_000,
    ],
)
def test_check_url_rejects(url: str) -> None:
    with pytest.raises(ServiceError) as raised:
        NONE_ALLOWED.check_url(url)
    assert raised.value.code == "TB4005"
    assert (raised.value.detail or "").startswith("El campo url ")


def test_check_url_requires_https_outside_of_a_sandbox() -> None:
    AddressPolicy().check_url("https://example.com:8443/hook?a=1")
    NONE_ALLOWED.check_url("http://example.com/hook")
    with pytest.raises(ServiceError, match="https"):
        AddressPolicy().check_url("http://example.com/hook")


def test_send_delivers_the_body_and_reads_the_answer(receiver: Receiver) -> None:
    receiver.answer = b"gracias"
    receiver.status = 200
    answer = WebhookSender(LOOPBACK, 10).send(request(f"{receiver.url}/hook", b'{"a":1}'))
    assert (answer.status, answer.text, answer.delivered) == (200, "gracias", True)
    [received] = receiver.requests
    assert (received.path, received.body) == ("/hook", b'{"a":1}')


def test_send_connects_to_the_address_that_it_checked(receiver: Receiver) -> None:
    port = receiver.url.rpartition(":")[2]
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])
    sender = WebhookSender(LOOPBACK, 10, resolve=lambda *_: next(answers))
    assert sender.send(request(f"http://rebinding.example:{port}/")).delivered
    assert receiver.requests[0].headers["Host"] == f"rebinding.example:{port}"
    rejected = sender.send(request(f"http://rebinding.example:{port}/"))
    assert (rejected.status, rejected.delivered) == (None, False)
    assert "no tiene una dirección pública" in rejected.text


def test_send_never_connects_to_a_private_address_of_a_name(receiver: Receiver) -> None:
    port = receiver.url.rpartition(":")[2]
    sender = WebhookSender(NONE_ALLOWED, 10, resolve=lambda *_: ["127.0.0.1", "::ffff:127.0.0.1"])
    answer = sender.send(request(f"http://inside.example:{port}/"))
    assert answer.status is None
    assert receiver.requests == []


def test_send_does_not_follow_a_redirect(receiver: Receiver) -> None:
    receiver.status, receiver.headers = 302, {"Location": f"{receiver.url}/other"}
    answer = WebhookSender(LOOPBACK, 10).send(request(receiver.url))
    assert (answer.status, answer.delivered) == (302, False)
    assert len(receiver.requests) == 1


def test_send_reads_a_kibibyte_of_an_answer(receiver: Receiver) -> None:
    receiver.answer = b"x" * 5_000_000
    answer = WebhookSender(LOOPBACK, 10).send(request(receiver.url))
    assert len(answer.text) <= ANSWER_BYTES


def test_send_ends_at_its_timeout(receiver: Receiver) -> None:
    receiver.hold.clear()
    answer = WebhookSender(LOOPBACK, 0.05).send(request(receiver.url))
    assert (answer.status, answer.delivered) == (None, False)
    assert "No respondió" in answer.text


def test_send_tells_why_a_connection_failed() -> None:
    answer = WebhookSender(LOOPBACK, 5).send(request("http://127.0.0.1:1/"))
    assert answer.text.startswith("La conexión falló")


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> TlsServer:
    return tls_server(tmp_path_factory.mktemp("tls"))


def test_send_delivers_over_tls_to_the_name_of_the_certificate(tls: TlsServer) -> None:
    with receiving(tls.context) as receiver:
        sender = WebhookSender(LOOPBACK, 10, tls.authority, resolve=lambda *_: ["127.0.0.1"])
        port = receiver.url.rpartition(":")[2]
        answer = sender.send(request(f"https://{HOST}:{port}/hook", b'{"a":1}'))
        assert (answer.status, answer.text) == (204, "")
        assert sender.send(request(receiver.url)).delivered
        assert [(one.path, one.body) for one in receiver.requests] == [("/hook", b'{"a":1}'), ("/", b"{}")]


def test_send_delivers_nothing_to_a_certificate_of_another_name_or_authority(tls: TlsServer) -> None:
    with receiving(tls.context) as receiver:
        port = receiver.url.rpartition(":")[2]
        other_name = WebhookSender(LOOPBACK, 10, tls.authority, resolve=lambda *_: ["127.0.0.1"])
        unknown = WebhookSender(LOOPBACK, 10)
        for sender, host in ((other_name, "other.example"), (unknown, "127.0.0.1")):
            answer = sender.send(request(f"https://{host}:{port}/hook"))
            assert (answer.status, answer.delivered) == (None, False)
            assert "certificate verify failed" in answer.text
        assert receiver.requests == []


def test_send_over_tls_ends_at_its_timeout(tls: TlsServer) -> None:
    with receiving(tls.context) as receiver:
        receiver.hold.clear()
        answer = WebhookSender(LOOPBACK, 0.5, tls.authority).send(request(receiver.url))
        assert (answer.status, answer.delivered) == (None, False)
        assert "No respondió" in answer.text


def test_signature_has_the_time_and_one_value_for_each_secret() -> None:
    expected = [hmac.new(secret, b"1763402400.{}", sha256).hexdigest() for secret in (b"new", b"old")]
    assert signature_header(["new", "old"], 1763402400, b"{}") == f"t=1763402400,v1={expected[0]},v1={expected[1]}"
