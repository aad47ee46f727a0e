"""A rolling restart of two nodes behind a proxy, with its configuration of `deploy/`: no request is lost."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from httpx2 import Client, HTTPError
from tests.resilience.deployment import Deployment
from tests.support.databases import need_postgresql, postgresql_database
from tests.support.deployed_files import replaced_in
from tests.support.effort import LONG
from tests.support.postgresql_cluster import free_port
from tests.support.requirements import need
from tests.support.server import Server
from tests.support.waiting import wait_until

DRAIN = {"TIMBRA_DRAIN_SECONDS": "6"}
CLIENTS = 8
SECONDS = 60
PAUSE_SECONDS = 3
"""Between the restarts, as the page of operations has it."""
Proxy = Callable[[Path, int, Mapping[str, int]], AbstractContextManager[Callable[[], object]]]
"""Runs a proxy in a folder at a port for the nodes; yields what waits until it uses all nodes."""


def configuration(file: str, nodes: Mapping[str, int], replaced: Mapping[str, str]) -> str:
    """Return a configuration of `deploy/` for ports of this machine, without TLS."""
    local = {f"{name}.internal:8080": f"127.0.0.1:{own}" for name, own in nodes.items()}
    return replaced_in(file, local | dict(replaced))


@contextmanager
def haproxy(folder: Path, port: int, nodes: Mapping[str, int]) -> Iterator[Callable[[], object]]:
    replaced = {
        "bind 0.0.0.0:443 ssl crt /etc/haproxy/timbra.pem": f"bind 127.0.0.1:{port}",
        "global\n": f"global\n  stats socket {folder}/haproxy.sock\n",
    }
    file = folder / "haproxy.cfg"
    file.write_text(configuration("haproxy/haproxy.cfg", nodes, replaced))
    with running("haproxy", "-f", str(file)):
        wait_until(lambda: (folder / "haproxy.sock").exists())
        yield lambda: wait_until(lambda: set(states(folder).values()) == {"UP"})


@contextmanager
def nginx(folder: Path, port: int, nodes: Mapping[str, int]) -> Iterator[Callable[[], object]]:
    replaced = {
        "listen 443 ssl": f"listen 127.0.0.1:{port}",
        "  ssl_certificate /etc/nginx/timbra.pem;\n": "",
        "  ssl_certificate_key /etc/nginx/timbra.key;\n": "",
    }
    file = folder / "nginx.conf"
    places = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    text = configuration("nginx/timbra.conf", nodes, replaced)
    file.write_text(f"pid {folder}/nginx.pid;\nevents {{}}\nhttp {{\naccess_log off;\n{places}{text}\n}}\n")
    with running("nginx", "-c", str(file), "-e", f"{folder}/error.log", "-g", "daemon off;"):
        wait_until(lambda: (folder / "nginx.pid").exists())
        yield lambda: time.sleep(PAUSE_SECONDS)


@contextmanager
def running(name: str, *arguments: str) -> Iterator[None]:
    program = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    need(name, program, f"{name} is not installed")
    process = subprocess.Popen([str(program), *arguments], stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait(SECONDS)


def states(folder: Path) -> dict[str, str]:
    """Return the state of each node, as HAProxy knows it."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(f"{folder}/haproxy.sock")
        connection.sendall(b"show stat\n")
        text = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
    rows = [line.split(",") for line in text.splitlines() if line.startswith("timbra,node-")]
    return {row[1]: row[17] for row in rows}


def send(
    number: int, client: tuple[str, str], invoices: list[bytes], ended: threading.Event, answers: Counter[str]
) -> None:
    """Send requests until the end, one stamp in four, and count their statuses."""
    address, token = client
    with Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=SECONDS) as connection:
        while not ended.is_set():
            number += 1
            try:
                if number % 4:
                    answer = connection.get("/account/balance")
                else:
                    files = {"xml": ("invoice.xml", invoices[number % len(invoices)])}
                    answer = connection.post("/cfdi33/issue/v4", files=files)
            except HTTPError as error:
                answers[type(error).__name__] += 1
                continue
            # A document that was stamped before is answered with 307, as an error of the client.
            repeated = answer.status_code == 400 and '"message":"307' in answer.text
            answers["200" if repeated else str(answer.status_code)] += 1


@pytest.mark.skipif(not LONG, reason="two restarts with their drains take half a minute")
@pytest.mark.parametrize("proxy", [haproxy, nginx])
def test_rolling_restart_loses_no_request(tmp_path: Path, proxy: Proxy) -> None:
    need_postgresql()
    port, nodes = free_port(), {"node-a": free_port(), "node-b": free_port()}
    with postgresql_database() as url, ExitStack() as stack:
        deployment = Deployment(tmp_path / "node", url)
        token = deployment.seed()
        invoices = [deployment.invoice(uuid4().hex[:12], timedelta(minutes=5)) for _ in range(40)]
        served: dict[str, tuple[ExitStack, Server]] = {}

        def start(name: str) -> None:
            own = stack.enter_context(ExitStack())
            node = deployment.node(token, name=name, port=nodes[name], workers=2, environment=DRAIN)
            served[name] = own, own.enter_context(node)

        def restart(name: str) -> None:
            own, server = served[name]
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(SECONDS) == 0
            own.close()
            start(name)
            with served[name][1].client() as client:
                wait_until(lambda: client.get("/health/ready").status_code == 200)
            wait_for_nodes()

        for name in nodes:
            start(name)
        wait_for_nodes = stack.enter_context(proxy(tmp_path, port, nodes))
        wait_for_nodes()
        answers: Counter[str] = Counter()
        ended = threading.Event()

        client = f"http://127.0.0.1:{port}", token
        threads = [
            threading.Thread(target=send, args=(number * 7, client, invoices, ended, answers))
            for number in range(CLIENTS)
        ]
        for thread in threads:
            thread.start()
        try:
            for name in nodes:
                restart(name)
        finally:
            ended.set()
            for thread in threads:
                thread.join()
        print(dict(answers))
        assert set(answers) == {"200"}, answers
