"""Server processes: address, graceful shutdown, replacement of workers."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import psutil  # type: ignore[import-untyped]
import pytest
from tests.support.fake_services import TOKEN
from tests.support.forked_program import start
from tests.support.framings import FRAMINGS
from tests.support.server_fixtures import PROGRAM, TIMEOUT, GatedServer, RawAnswer, Server, read_answer, serving
from tests.support.waiting import wait_until
from tests.web.test_clients import CLIENTS

SLOW = FRAMINGS["python"].request(b"<slow/>", TOKEN)
DIE = FRAMINGS["python"].request(b"<die/>", TOKEN)


def worker_of(server: Server) -> int:
    """Return the id of the process that answered."""
    return int(server.send(CLIENTS["python"]).json["data"]["uuid"])


def both_workers(server: Server) -> set[int]:
    """Wait until two workers have answered, and return their ids."""
    found: set[int] = set()

    def both_answered() -> bool:
        found.add(worker_of(server))
        return len(found) == 2

    wait_until(both_answered)
    return found


@pytest.mark.parametrize("workers", [1, 2])
def test_sigterm_finishes_accepted_requests(workers: int) -> None:
    with serving(workers) as server, ThreadPoolExecutor() as pool:
        answer = pool.submit(server.send, SLOW)
        wait_until(lambda: server.gate.requests() == 1)
        server.process.send_signal(signal.SIGTERM)
        wait_until(server.gate.is_draining)
        server.gate.release()
        assert answer.result().status == 200
        assert server.process.wait(TIMEOUT) == 0
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.1", server.port), 1)


def test_sigterm_ends_the_server_when_its_first_worker_is_ready() -> None:
    with serving(3) as server:
        server.process.terminate()
        assert server.process.wait(TIMEOUT) == 0


def test_sigterm_ends_the_server_while_workers_start() -> None:
    with serving(3, hold_start=True) as server:
        wait_until(lambda: server.gate.starts() == 2)
        server.process.terminate()
        assert server.process.wait(TIMEOUT) == 0


def test_server_ends_when_workers_cannot_start() -> None:
    with start(PROGRAM, "0", "{}", stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.read() == ""
        assert process.wait(TIMEOUT) == 1


def test_worker_is_replaced_when_it_dies() -> None:
    with serving(2) as server:
        before = both_workers(server)
        with pytest.raises(ConnectionError):
            server.send(DIE)
        wait_until(lambda: worker_of(server) not in before)
        assert server.process.pid not in before


def reload(server: GatedServer, **changes: object) -> None:
    server.gate.changes.write_text(json.dumps(changes))
    server.process.send_signal(signal.SIGHUP)


def test_sighup_replaces_workers_and_answers_every_request() -> None:
    """One request is in progress, others come on new connections and on one that is kept open."""
    with serving(2) as server, ThreadPoolExecutor() as pool, server.connect() as connection:
        before = both_workers(server)
        slow = pool.submit(server.send, SLOW)
        wait_until(lambda: server.gate.requests() == 1)
        reload(server, max_body_bytes=1_000_000)
        kept: list[RawAnswer] = []

        def is_closed() -> bool:
            connection.sendall(CLIENTS["python"])
            kept.append(read_answer(connection))
            return kept[-1].header("connection") == "close"

        wait_until(is_closed)
        assert len({answer.json["data"]["uuid"] for answer in kept}) == 1
        assert connection.recv(1) == b""
        wait_until(lambda: both_workers(server).isdisjoint(before))
        server.gate.release()
        assert slow.result().status == 200
        wait_until(lambda: not any(_alive(worker) for worker in before))


@pytest.mark.parametrize("changes", [None, {"no_setting": 1}], ids=["unreadable", "worker does not start"])
def test_sighup_keeps_workers_when_others_cannot_replace_them(changes: dict[str, object] | None) -> None:
    with serving(2) as server:
        before = both_workers(server)
        if changes is not None:
            reload(server, **changes)
        else:
            server.process.send_signal(signal.SIGHUP)
        first = psutil.Process(server.process.pid)
        wait_until(lambda: len(first.children()) <= 2)
        for _ in range(10):
            assert worker_of(server) in before
        reload(server, retire_seconds=0.1)
        wait_until(lambda: both_workers(server).isdisjoint(before))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems let each worker notice it")
def test_workers_end_when_the_supervisor_is_killed_whatever_they_do() -> None:
    """One has a request in progress, one is stopped; a new server can listen on the port at once."""
    with serving(2) as server, ThreadPoolExecutor() as pool:
        workers = sorted(both_workers(server))
        answer = pool.submit(server.send, SLOW)
        wait_until(lambda: server.gate.requests() == 1)
        psutil.Process(workers[0]).suspend()
        server.process.kill()
        wait_until(lambda: not any(_alive(worker) for worker in workers))
        with pytest.raises(ConnectionError):
            answer.result()
        socket.create_server(("127.0.0.1", server.port)).close()


def _alive(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
    finally:
        os.sched_yield()
