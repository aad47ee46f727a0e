"""Floods against a real server: endless bodies, slow bodies, idle connections."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from tests.resilience.killing import workers_of
from tests.support.framings import FRAMINGS
from tests.support.server import Server, invoice, running, seed
from tests.support.server_fixtures import RawAnswer, read_answer
from tests.support.server_fixtures import Server as Socket

from timbra.web.portal.dispatch import sessions

MEBIBYTE = 1024 * 1024
CONNECTIONS = 200
FLOOD = 230
FLOOD_BYTES = 1536 * MEBIBYTE
CHUNK = b"10000\r\n" + bytes(65536) + b"\r\n"
VISITOR = "a-visitor"
PROBES = ("/health/live", "/health/ready")
SIGN_IN_HEAD = f"POST /portal/entrar HTTP/1.1\r\nHost: x\r\nCookie: timbra_visitor={VISITOR}\r\n"
SLOW_SIGN_IN = f"{SIGN_IN_HEAD}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nu".encode()
SLOW_LOGIN = b"POST /v2/security/authenticate HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("floods") / "data"
    token = seed(data)
    with running(data, token=token, environment={"TIMBRA_MAX_CONNECTIONS": str(CONNECTIONS)}) as started:
        yield started


@pytest.fixture
def connection(server: Server) -> Socket:
    return Socket(server.process, int(server.address.rpartition(":")[2]))


@contextmanager
def flood(connection: Socket, request: bytes, count: int = FLOOD) -> Iterator[list[socket.socket]]:
    """Open connections that each send the beginning of a request."""
    with ExitStack() as opened:
        sockets = [opened.enter_context(connection.connect()) for _ in range(count)]
        for one in sockets:
            one.sendall(request)
        yield sockets


def get(connection: Socket, path: str) -> RawAnswer:
    return connection.send(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())


def stamp(connection: Socket, server: Server, folio: str) -> RawAnswer:
    xml = invoice(server.data, folio=folio)
    return connection.send(FRAMINGS["python"].request(xml, server.token, "/cfdi33/issue/v4"))


SLOW = {"sign in": SLOW_SIGN_IN, "login": SLOW_LOGIN, "head": SLOW_SIGN_IN[:60], "nothing": b""}


@pytest.mark.parametrize("case", SLOW)
def test_server_answers_probes_and_stamps_during_a_flood_of_slow_requests(
    server: Server, connection: Socket, case: str
) -> None:
    with flood(connection, SLOW[case]):
        for _ in range(3):
            assert [get(connection, path).status for path in PROBES] == [200, 200]
        answer = stamp(connection, server, f"flood-{case}")
        assert (answer.status, answer.json["status"]) == (200, "success")
        assert [get(connection, path).status for path in PROBES] == [200, 200]


def test_server_answers_probes_during_a_flood_of_connections(server: Server, connection: Socket) -> None:
    with flood(connection, SLOW_SIGN_IN), flood(connection, b"", 3 * FLOOD):
        assert [get(connection, path).status for path in PROBES] == [200, 200]


def chunked_upload(address: str) -> bytes:
    head = [f"POST {address} HTTP/1.1", "Host: x", f"Cookie: timbra_visitor={VISITOR}", "Transfer-Encoding: chunked"]
    part = b'--b\r\nContent-Disposition: form-data; name="xml"; filename="a.xml"\r\n\r\n'
    lines = [*head, "Content-Type: multipart/form-data; boundary=b", "", ""]
    return "\r\n".join(lines).encode() + b"%x\r\n%b\r\n" % (len(part), part)


def sent_before_the_end(connection: socket.socket, begin: bytes) -> int:
    """Return the number of bytes that the server reads of an endless body."""
    sent = 0
    try:
        connection.sendall(begin)
        while sent < FLOOD_BYTES:
            connection.sendall(CHUNK)
            sent += len(CHUNK)
    except ConnectionError:
        pass
    return sent


@pytest.mark.parametrize("with_csrf_token", [True, False])
def test_server_closes_an_endless_upload_and_releases_its_memory(
    server: Server, connection: Socket, with_csrf_token: bool
) -> None:
    [process] = workers_of(server)
    assert get(connection, "/validador").status == 200
    before = process.memory_info().rss
    csrf_token = sessions.csrf_token(VISITOR, "/validador") if with_csrf_token else ""
    with connection.connect() as endless:
        sent = sent_before_the_end(endless, chunked_upload(f"/validador?csrf_token={csrf_token}"))
    assert sent < 100 * MEBIBYTE
    assert process.memory_info().rss - before < 150 * MEBIBYTE
    assert get(connection, "/health/live").status == 200


def test_upload_without_a_token_is_rejected_before_its_body(connection: Socket) -> None:
    head = f"POST /validador HTTP/1.1\r\nHost: x\r\nCookie: timbra_visitor={VISITOR}\r\n"
    content = "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 30000000\r\n\r\n"
    with connection.connect() as waiting:
        waiting.sendall((head + content).encode())
        assert read_answer(waiting).status == 403


def test_sign_in_rejects_a_large_form(connection: Socket) -> None:
    body = b"user=" + b"x" * 100_000
    head = f"{SIGN_IN_HEAD}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
    assert connection.send(head.encode() + body).status == 413


def test_server_reads_a_limited_part_of_a_rejected_body(server: Server, connection: Socket) -> None:
    """Without a token the API rejects at once and drops a limited part of the remaining body."""
    with connection.connect() as endless:
        begin = b"POST /cfdi33/stamp/v4 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        assert sent_before_the_end(endless, begin) < 100 * MEBIBYTE
