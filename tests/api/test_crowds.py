"""Crowds and stragglers: slow, idle, deaf and greedy clients; the others are served on."""

from __future__ import annotations

import resource
import socket
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

from tests.api.fake_house import TOKEN
from tests.api.framings import BOUNDARY, FRAMINGS, PYTHON_PART, part
from tests.api.served import RawAnswer, Server, read_answer, request, serving
from tests.api.test_clients import CLIENTS, UPLOAD, same_document
from tests.support.need import need

IDLE = 1000
FEW = 8
SOON = 0.5
UNREAD = 40
SLOW = FRAMINGS["python"].request(b"<slow/>", TOKEN)
STAMP = "/cfdi33/stamp/v4"


@contextmanager
def idlers(server: Server, count: int) -> Iterator[list[socket.socket]]:
    """Connections that say nothing."""
    with ExitStack() as opened:
        yield [opened.enter_context(server.connect()) for _ in range(count)]


def told(connection: socket.socket, code: str) -> RawAnswer:
    """The envelope of a refusal."""
    answer = read_answer(connection)
    assert answer.json["status"] == "error"
    assert answer.json["message"].startswith(code)
    return answer


def is_served(server: Server) -> bool:
    return same_document(server.send(CLIENTS["python"]))


def ends(connection: socket.socket) -> None:
    """Nothing more comes, and the connection is closed."""
    connection.settimeout(20)
    try:
        while connection.recv(65536):
            pass
    except ConnectionError:
        pass


def test_a_thousand_idle_connections_disturb_nobody() -> None:
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    need("files", allowed > IDLE + 200, f"only {allowed} open files are allowed")
    with serving() as server, idlers(server, IDLE) as idle:
        assert is_served(server)
        idle[0].sendall(CLIENTS["python"])
        assert same_document(read_answer(idle[0]))


def test_the_connection_idle_longest_makes_room() -> None:
    with serving(limits={"connections": FEW}) as server, idlers(server, 5 * FEW) as idle:
        assert is_served(server)
        ends(idle[0])
        idle[-1].sendall(CLIENTS["python"])
        assert same_document(read_answer(idle[-1]))


def test_when_all_are_busy_the_next_is_turned_away_in_the_envelope() -> None:
    with serving(limits={"connections": FEW}) as server, idlers(server, FEW) as busy:
        for connection in busy:
            connection.sendall(SLOW)
        time.sleep(0.1)
        with server.connect() as surplus:
            surplus.sendall(CLIENTS["python"])
            answer = told(surplus, "CO1000")
        assert (answer.status, answer.header("retry-after")) == (503, "1")
        assert [read_answer(connection).status for connection in busy] == [200] * FEW
        assert is_served(server)


def test_a_head_that_trickles_is_told() -> None:
    with serving(limits={"head_seconds": SOON}) as server, idlers(server, 2) as [slow, silent]:
        slow.sendall(b"POST /cfdi33/stamp/v4 HTTP/1.1\r\nX-A: ")
        assert is_served(server)
        assert told(slow, "TB4000").status == 400
        ends(silent)


def test_a_body_that_trickles_is_told() -> None:
    with serving(body_least_bytes_per_second=1000) as server, server.connect() as slow:
        slow.sendall(request(STAMP, UPLOAD, b"x", length=10_000))
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(told, slow, "TB4002")
            while not answer.done():
                time.sleep(0.1)
                slow.sendall(b"x")
        assert answer.result().status == 400


def test_a_client_that_never_reads_is_left() -> None:
    """Its answers are more than the kernel takes off our hands."""
    sent = request(STAMP, UPLOAD, part(BOUNDARY, PYTHON_PART, b"<x>" + b"y" * 190_000))
    with serving(limits={"answer_seconds": SOON}) as server, socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.settimeout(20)
        deaf.connect(("127.0.0.1", server.port))
        try:
            for _ in range(UNREAD):
                deaf.sendall(sent)
                assert is_served(server)
            time.sleep(4 * SOON)
        except ConnectionError:
            pass
        ends(deaf)
        assert is_served(server)


def test_large_bodies_at_once_are_told_to_come_later_and_small_ones_are_served() -> None:
    """Six bodies of 2 MiB, and room for two: whoever got none is told, whole answers and no reset."""
    most = 2 * 1024 * 1024
    large = request(STAMP, UPLOAD, part(BOUNDARY, PYTHON_PART, b"<slow>" + b"y" * (most - 1000)))
    given = {"max_body_bytes": most, "max_bytes_in_flight": 3 * most, "body_silence_seconds": 20}
    with serving(**given) as server, ThreadPoolExecutor(6) as pool:
        answers = [pool.submit(server.send, large) for _ in range(6)]
        assert is_served(server)
        statuses = Counter(answer.result().status for answer in answers)
        refused = [answer.result() for answer in answers if answer.result().status == 503]
        assert set(statuses) == {200, 503}
        assert {(one.json["status"], one.header("retry-after")) for one in refused} == {("error", "1")}
        assert server.send(large).status == 200
