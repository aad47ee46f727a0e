"""HTTP load generator with little overhead: prebuilt requests, one thread, one epoll."""

from __future__ import annotations

import re
import select
import socket
import time
from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Self
from urllib.parse import urlsplit

HEALTH = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
LONGEST_WAIT = 30.0
TRIED_FOR_EACH = 200
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)
_WORKER = re.compile(rb"\r\nx-request-id: *([^-]+)-", re.IGNORECASE)


class Connection:
    """A kept-alive connection with at most one request in progress.

    Attributes:
        due: time at which that request is due.
    """

    def __init__(self, address: str) -> None:
        place = urlsplit(address)
        self.socket = socket.create_connection((str(place.hostname), place.port or 80), LONGEST_WAIT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.due = 0.0
        self._received = b""
        self._expected = 0

    def send(self, request: bytes, due: float) -> None:
        """Send a request."""
        self.due = due
        self._received = b""
        self._expected = 0
        self.socket.sendall(request)

    def receive(self) -> bytes | None:
        """Return the whole response once it is complete, else None; ConnectionError when the server closes."""
        piece = self.socket.recv(262_144)
        if not piece:
            raise ConnectionError("the server closed the connection")
        self._received += piece
        if not self._expected:
            head = self._received.find(b"\r\n\r\n")
            if head < 0:
                return None
            length = _LENGTH.search(self._received, 0, head + 2)
            self._expected = head + 4 + (int(length[1]) if length else 0)
        return self._received if len(self._received) >= self._expected else None

    def exchange(self, request: bytes) -> bytes:
        """Send a request and wait for its response."""
        self.send(request, 0)
        while (answer := self.receive()) is None:
            continue
        return answer


class Load:
    """Connections to one server, an equal number to each of its workers."""

    def __init__(self, address: str, connections: int, workers: int = 1) -> None:
        self._stack = ExitStack()
        self._connections = self._connect(address, connections // workers, workers)
        self._poll = select.epoll()
        self._stack.callback(self._poll.close)
        self._by_descriptor = {connection.socket.fileno(): connection for connection in self._connections}
        for descriptor in self._by_descriptor:
            self._poll.register(descriptor, select.EPOLLIN)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def run(self, requests: Sequence[bytes], due: Sequence[float] | None = None) -> tuple[float, list[float]]:
        """Send all requests.

        Args:
            requests: the requests.
            due: seconds after the start at which each request is sent, whether others were answered or not; the latency
                counts from there. None to send whenever a connection is free.

        Returns:
            Seconds from the first request to the last response, and the latency of each.

        Raises:
            RuntimeError: a response has another status than 200.
        """
        idle = deque(self._connections)
        waiting = deque(zip(requests, due or [0.0] * len(requests), strict=True))
        latencies: list[float] = []
        begun = time.perf_counter()
        while len(latencies) < len(requests):
            now = time.perf_counter() - begun
            while waiting and idle and waiting[0][1] <= now:
                request, at = waiting.popleft()
                idle.popleft().send(request, at if due else now)
                now = time.perf_counter() - begun
            # While a request is scheduled the poll does not block, so that it is sent on time to the microsecond.
            ready = self._poll.poll(0 if waiting and idle else LONGEST_WAIT)
            for descriptor, _ in ready:
                connection = self._by_descriptor[descriptor]
                answer = connection.receive()
                if answer is not None:
                    latencies.append(time.perf_counter() - begun - connection.due)
                    idle.append(connection)
                    if not answer.startswith(b"HTTP/1.1 200"):
                        raise RuntimeError(answer.decode(errors="replace"))
        return time.perf_counter() - begun, latencies

    def _connect(self, address: str, share: int, workers: int) -> list[Connection]:
        found: dict[bytes, list[Connection]] = {}
        for _ in range(TRIED_FOR_EACH * share * workers):
            connection = Connection(address)
            self._stack.callback(connection.socket.close)
            worker = _WORKER.search(connection.exchange(HEALTH))
            of_worker = found.setdefault(worker[1] if worker else b"", [])
            if len(of_worker) < share:
                of_worker.append(connection)
            else:
                connection.socket.close()
            if len(found) == workers and all(len(connections) == share for connections in found.values()):
                return [connection for connections in found.values() for connection in connections]
            time.sleep(0.002)
        raise RuntimeError(f"{len(found)} of {workers} workers took connections")
