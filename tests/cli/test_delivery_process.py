"""The process for deliveries of `timbra serve`: it delivers, is replaced, and ends with the server."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
from tests.resilience.killing import delivery_processes_of, workers_of
from tests.support.server import Server, invoice, running, seed
from tests.support.waiting import wait_until

from timbra.app.composition import open_container
from timbra.delivery.build import authority_outbox
from timbra.settings import Settings

NICENESS = 10


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("server") / "data"
    with running(data, token=seed(data), workers=1) as started:
        yield started


def issue(server: Server, folio: str) -> None:
    with server.client() as client:
        answer = client.post("/cfdi33/issue/v1", files={"xml": ("a.xml", invoice(server.data, folio))})
    assert answer.status_code == 200, answer.text


def waiting(server: Server) -> int:
    with open_container(Settings(data=server.data)) as container:
        return container.get(authority_outbox).size()


def is_stopped(process: psutil.Process) -> bool:
    """Whether every thread stands: the signal reaches a thread of another processor after `suspend` returned."""
    threads = Path(f"/proc/{process.pid}/task")
    if not threads.is_dir():
        return bool(process.status() == psutil.STATUS_STOPPED)
    return all((thread / "stat").read_text().rpartition(")")[2].split()[0] == "T" for thread in threads.iterdir())


def stop(server: Server) -> psutil.Process:
    """Stop the process for deliveries at a moment when it has no transaction, and return it."""
    wait_until(lambda: len(delivery_processes_of(server)) == 1)
    [process] = delivery_processes_of(server)
    while True:
        process.suspend()
        wait_until(lambda: is_stopped(process))
        with closing(sqlite3.connect(server.data / "timbra.db", timeout=0)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                process.resume()
            else:
                return process


def test_serve_delivers_in_a_process_that_does_not_listen(server: Server) -> None:
    wait_until(lambda: (len(workers_of(server)), len(delivery_processes_of(server))) == (1, 1))
    issue(server, "1")
    wait_until(lambda: waiting(server) == 0)


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a priority of their own on Linux only")
def test_delivery_process_leaves_the_processor_to_requests(server: Server) -> None:
    wait_until(lambda: len(delivery_processes_of(server)) == 1)
    issue(server, "6")
    wait_until(lambda: waiting(server) == 0)
    [process] = delivery_processes_of(server)
    threads = [thread.id for thread in process.threads()]
    assert {os.getpriority(os.PRIO_PROCESS, thread) for thread in threads} == {os.nice(0) + NICENESS}


def test_killed_delivery_process_is_replaced_and_delivers_what_waits(server: Server) -> None:
    first = stop(server)
    issue(server, "2")
    assert waiting(server) == 1
    first.kill()
    wait_until(lambda: waiting(server) == 0)
    [second] = delivery_processes_of(server)
    assert second.pid != first.pid


def test_stopped_delivery_process_delays_no_answer(server: Server) -> None:
    process = stop(server)
    try:
        for folio in ("3", "4", "5"):
            issue(server, folio)
        assert waiting(server) == 3
    finally:
        process.resume()
    wait_until(lambda: waiting(server) == 0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_delivery_process_ends_with_the_server(server: Server, number: signal.Signals) -> None:
    data = server.data.with_name(f"ending-{number}")
    with running(data, token=seed(data), workers=1) as started:
        wait_until(lambda: len(delivery_processes_of(started)) == 1)
        processes = psutil.Process(started.process.pid).children()
        started.process.send_signal(number)
        started.process.wait(60)
        wait_until(lambda: not any(process.is_running() for process in processes))
