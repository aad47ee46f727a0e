"""A fake server process for tests, and raw requests to it."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.support.forked_program import Program, start
from tests.support.request_gate import RequestGate

PROGRAM = "tests.support.fake_server"
TIMEOUT = 60.0


@dataclass(frozen=True)
class Server:
    process: Program
    port: int

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), TIMEOUT)

    def send(self, request: bytes, *, half_close: bool = False) -> RawAnswer:
        """Send raw bytes on a new connection and return the response."""
        with self.connect() as connection:
            connection.sendall(request)
            if half_close:
                connection.shutdown(socket.SHUT_WR)
            return read_answer(connection)


@dataclass(frozen=True)
class GatedServer(Server):
    """A fake server. gate: where the test holds its requests and workers."""

    gate: RequestGate


@dataclass(frozen=True)
class RawAnswer:
    head: str
    body: bytes

    @property
    def status(self) -> int:
        return int(self.head.split(" ", 2)[1])

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def header(self, name: str) -> str | None:
        for line in self.head.split("\r\n")[1:]:
            key, _, value = line.partition(":")
            if key.strip().lower() == name:
                return value.strip()
        return None


@contextmanager
def serving(workers: int = 1, **changes: object) -> Iterator[GatedServer]:
    """Run a fake server on a free port. changes: settings, `limits` of connections, and `hold_start`."""
    with TemporaryDirectory() as folder:
        given, gate = json.dumps({**changes, "gate": folder}), RequestGate(Path(folder))
        with start(PROGRAM, str(workers), given, stdout=subprocess.PIPE) as process:
            try:
                assert process.stdout
                yield GatedServer(process, int(process.stdout.readline().rpartition(":")[2]), gate)
            finally:
                gate.release()
                process.terminate()
                process.wait(TIMEOUT)


def read_answer(connection: socket.socket) -> RawAnswer:
    """Read one response by its Content-Length and keep the connection open; ConnectionError when it is incomplete."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += _more(connection)
    head, _, body = received.partition(b"\r\n\r\n")
    answer = RawAnswer(head.decode("latin-1"), b"")
    length = int(answer.header("content-length") or 0)
    while len(body) < length:
        body += _more(connection)
    return RawAnswer(answer.head, body)


def _more(connection: socket.socket) -> bytes:
    piece = connection.recv(65536)
    if not piece:
        raise ConnectionError("the answer ended early")
    return piece


def request(
    path: str,
    headers: Iterable[str],
    body: bytes,
    *,
    method: str = "POST",
    version: str = "1.1",
    length: int | None = None,
) -> bytes:
    """The bytes of a request. length: a Content-Length that is not the body's; -1 for none."""
    lines = [f"{method} {path} HTTP/{version}", "Host: localhost", *headers]
    if length != -1:
        lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body
