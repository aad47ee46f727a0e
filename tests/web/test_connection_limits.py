"""Limits of connections under many slow, idle and non-reading clients; the others are served."""

from __future__ import annotations

import resource
import socket
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager

import pytest
from tests.support.fake_services import TOKEN
from tests.support.framings import BOUNDARY, FRAMINGS, PYTHON_PART, part
from tests.support.proc_sockets import connected_ports
from tests.support.requirements import need
from tests.support.server_fixtures import TIMEOUT, GatedServer, RawAnswer, Server, read_answer, request, serving
from tests.support.waiting import wait_until
from tests.web.test_clients import CLIENTS, UPLOAD, XML, same_document

from timbra.web.server.connections import SURPLUS

IDLE = 1000
FEW = 8
SOON = 0.5
UNREAD = 40
ATTEMPTS = 20
SLOW = FRAMINGS["python"].request(b"<slow/>", TOKEN)
STAMP = "/cfdi33/stamp/v4"


@contextmanager
def idle_connections(server: Server, count: int) -> Iterator[list[socket.socket]]:
    """Open connections that send nothing."""
    with ExitStack() as opened:
        yield [opened.enter_context(server.connect()) for _ in range(count)]


def read_rejection(connection: socket.socket, code: str) -> RawAnswer:
    """Read the envelope of a rejection with this code."""
    answer = read_answer(connection)
    assert answer.json["status"] == "error"
    assert answer.json["message"].startswith(code)
    return answer


def is_served(server: Server) -> bool:
    return same_document(server.send(CLIENTS["python"]))


def assert_closed(connection: socket.socket) -> None:
    """Read to the end of the connection, which the server must close."""
    connection.settimeout(TIMEOUT)
    try:
        while connection.recv(65536):
            pass
    except ConnectionError:
        pass


def test_server_serves_others_beside_a_thousand_idle_connections() -> None:
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    need("files", allowed > IDLE + 200, f"only {allowed} open files are allowed")
    with serving() as server, idle_connections(server, IDLE) as idle:
        assert is_served(server)
        idle[0].sendall(CLIENTS["python"])
        assert same_document(read_answer(idle[0]))


def test_longest_idle_connection_is_closed_at_the_limit() -> None:
    limits = {"max_connections": FEW, "idle_grace_seconds": 0}
    with serving(limits=limits) as server, idle_connections(server, 5 * FEW) as idle:
        assert is_served(server)
        assert_closed(idle[0])
        idle[-1].sendall(CLIENTS["python"])
        assert same_document(read_answer(idle[-1]))


def test_new_request_is_rejected_in_the_envelope_when_all_connections_are_busy() -> None:
    with serving(limits={"max_connections": FEW}) as server, idle_connections(server, FEW) as busy:
        hold_requests(server, busy)
        answer = rejection_when_full(server)
        assert (answer.status, answer.header("retry-after")) == (503, "1")
        server.gate.release()
        assert [read_answer(connection).status for connection in busy] == [200] * FEW
        assert is_served(server)


def hold_requests(server: GatedServer, connections: list[socket.socket]) -> None:
    """Send a request on each connection, which the server holds until the test releases it."""
    for connection in connections:
        connection.sendall(SLOW)
    wait_until(lambda: server.gate.requests() == len(connections))


def start_body(connection: socket.socket, path: str, headers: list[str], length: int) -> None:
    """Send the head of a request and wait until the server reads its body."""
    connection.sendall(request(path, [*headers, "Expect: 100-continue"], b"", length=length))
    assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"


def slow_login(connection: socket.socket) -> None:
    start_body(connection, "/v2/security/authenticate", [], 100)
    connection.sendall(b"{")


def test_request_is_served_in_place_of_the_slowest_anonymous_body() -> None:
    with (
        serving(limits={"max_connections": FEW}, body_idle_timeout_seconds=600) as server,
        idle_connections(server, FEW) as slow,
    ):
        for connection in slow:
            slow_login(connection)
        assert is_served(server)
        assert read_rejection(slow[0], "CO1000").status == 503
        assert_closed(slow[0])
        slow[-1].sendall(b" " * 99)
        assert read_answer(slow[-1]).status == 400


def test_request_does_not_end_an_authenticated_body_at_once() -> None:
    body = part(BOUNDARY, PYTHON_PART, XML)
    limits = {"max_connections": FEW, "slow_body_seconds": 600}
    with (
        serving(limits=limits, body_idle_timeout_seconds=600) as server,
        idle_connections(server, FEW) as uploads,
    ):
        for connection in uploads:
            start_body(connection, STAMP, UPLOAD, len(body))
        assert rejection_when_full(server).status == 503
        for connection in uploads:
            connection.sendall(body)
        assert all(same_document(read_answer(connection)) for connection in uploads)


def rejection_when_full(server: Server) -> RawAnswer:
    with server.connect() as surplus:
        surplus.sendall(CLIENTS["python"])
        return read_rejection(surplus, "CO1000")


@pytest.mark.parametrize("path", ["/health/live", "/health/ready"])
def test_probe_is_answered_when_all_connections_are_busy(path: str) -> None:
    with serving(limits={"max_connections": FEW}) as server, idle_connections(server, FEW) as busy:
        hold_requests(server, busy)
        assert server.send(request(path, [], b"", method="GET", length=-1)).status == 200
        assert rejection_when_full(server).status == 503
        server.gate.release()
        assert [read_answer(connection).status for connection in busy] == [200] * FEW


def test_probe_is_answered_beyond_connections_that_only_open() -> None:
    with serving(limits={"max_connections": FEW}) as server, idle_connections(server, 2 * SURPLUS):
        assert server.send(request("/health/live", [], b"", method="GET", length=-1)).status == 200


def test_body_after_its_answer_is_discarded_within_its_limit() -> None:
    head = ["Transfer-Encoding: chunked"]
    piece = b"10000\r\n" + bytes(0x10000) + b"\r\n"
    with serving(limits={"max_discarded_bytes": 1_000_000}) as server, server.connect() as endless:
        endless.sendall(request(STAMP, head, b"", length=-1))
        assert read_answer(endless).status == 401
        with pytest.raises(ConnectionError):
            endless.sendall(1000 * piece)


def test_connection_serves_the_next_request_after_a_late_body() -> None:
    with serving() as server, server.connect() as connection:
        connection.sendall(request(STAMP, [], b"x", length=1000))
        assert read_answer(connection).status == 401
        connection.sendall(b"x" * 999 + CLIENTS["python"])
        assert same_document(read_answer(connection))


def test_body_after_its_answer_is_discarded_for_a_limited_time() -> None:
    with serving(limits={"header_timeout_seconds": SOON}) as server, server.connect() as silent:
        silent.sendall(request(STAMP, [], b"x", length=1000))
        assert read_answer(silent).status == 401
        assert_closed(silent)


def test_pipelined_slow_body_is_dropped_for_a_new_request() -> None:
    """The second request of a connection begins when the first is answered, and its body is awaited from then on."""
    probe = request("/health/live", [], b"", method="GET", length=-1)
    with (
        serving(limits={"max_connections": FEW}, body_idle_timeout_seconds=600) as server,
        idle_connections(server, FEW) as slow,
    ):
        for connection in slow:
            connection.sendall(probe + request("/v2/security/authenticate", [], b"{", length=100))
            assert read_answer(connection).status == 200
        assert is_served(server)
        assert_closed(slow[0])


def test_slow_head_is_rejected() -> None:
    with serving(limits={"header_timeout_seconds": SOON}) as server, idle_connections(server, 2) as [slow, silent]:
        slow.sendall(b"POST /cfdi33/stamp/v4 HTTP/1.1\r\nX-A: ")
        assert is_served(server)
        assert read_rejection(slow, "TB4000").status == 400
        assert_closed(silent)


def test_slow_body_is_rejected() -> None:
    """A pause of the machine longer than the idle timeout ends an attempt; the next one follows."""
    with serving(body_min_bytes_per_second=1e6, body_idle_timeout_seconds=SOON) as server:
        details = (send_slow_body(server) for _ in range(ATTEMPTS))
        assert any("bytes por segundo" in detail for detail in details)


def send_slow_body(server: Server) -> str:
    """Send a body byte by byte and return the detail of its rejection."""
    with server.connect() as slow, ThreadPoolExecutor(1) as pool:
        slow.sendall(request(STAMP, UPLOAD, b"x", length=150_000))
        answer = pool.submit(read_rejection, slow, "TB4002")
        while not wait([answer], 0.01).done:
            slow.sendall(b"x")
        assert answer.result().status == 400
        return str(answer.result().json["messageDetail"])


def test_connection_of_a_client_that_never_reads_is_closed() -> None:
    """The responses exceed the buffers of the kernel."""
    sent = request(STAMP, UPLOAD, part(BOUNDARY, PYTHON_PART, b"<x>" + b"y" * 190_000))
    with serving(limits={"write_timeout_seconds": SOON}) as server, socket.socket() as non_reading:
        non_reading.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        non_reading.settimeout(TIMEOUT)
        non_reading.connect(("127.0.0.1", server.port))
        client_port = non_reading.getsockname()[1]
        try:
            for _ in range(UNREAD):
                non_reading.sendall(sent)
                assert is_served(server)
        except ConnectionError:
            pass
        wait_until(lambda: client_port not in connected_ports(server.port))
        assert is_served(server)


def test_large_concurrent_bodies_are_rejected_beyond_the_memory_budget() -> None:
    """Six bodies of 2 MiB with a budget for two: rejected clients get a complete response and no reset."""
    most = 2 * 1024 * 1024
    large = request(STAMP, UPLOAD, part(BOUNDARY, PYTHON_PART, b"<slow>" + b"y" * (most - 1000)))
    given = {"max_body_bytes": most, "max_bytes_in_flight": 3 * most, "body_idle_timeout_seconds": 600}
    with serving(**given) as server, ThreadPoolExecutor(6) as pool:
        answers = [pool.submit(server.send, large) for _ in range(6)]
        wait_until(lambda: server.gate.requests() + sum(answer.done() for answer in answers) == len(answers))
        assert is_served(server)
        server.gate.release()
        statuses = Counter(answer.result().status for answer in answers)
        rejected = [answer.result() for answer in answers if answer.result().status == 503]
        assert set(statuses) == {200, 503}
        assert {(one.json["status"], one.header("retry-after")) for one in rejected} == {("error", "1")}
        assert server.send(large).status == 200
