"""A TCP proxy between a node and PostgreSQL that can disconnect, and that can break the COMMIT of a stamp."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum

PIECE = 65536


class Fault(Enum):
    """Faults of the COMMIT of a stamp: whether it reaches the server, and what the node receives."""

    RESET_BEFORE = "reset before the commit"
    RESET_AFTER = "committed, then reset"
    SILENCE_BEFORE = "silent before the commit"
    SILENCE_AFTER = "committed, then silent"


class DatabaseProxy:
    """Forwards everything until it is cut; `arm` breaks the next COMMIT of a stamp."""

    def __init__(self, port: int) -> None:
        self._server = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.applied: list[Fault] = []
        self._armed: list[Fault] = []
        self._links: list[_Link] = []
        self._lock = threading.Lock()
        self._connected = threading.Event()
        self._connected.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self, fault: Fault) -> None:
        """Apply this fault to the next COMMIT of a stamp."""
        with self._lock:
            self._armed.append(fault)

    def cut(self) -> None:
        """Forward nothing and close nothing: connections are accepted and stay idle."""
        self._connected.clear()
        for link in self._links:
            link.silence()

    def reconnect(self) -> None:
        """Close the cut connections and forward new ones."""
        self._drop()
        self._connected.set()

    def close(self) -> None:
        self._listener.close()
        self._drop()

    def take(self) -> Fault | None:
        """Return the fault of this COMMIT, or None."""
        with self._lock:
            fault = self._armed.pop(0) if self._armed else None
            if fault is not None:
                self.applied.append(fault)
            return fault

    def _drop(self) -> None:
        with self._lock:
            links, self._links = self._links, []
        for link in links:
            link.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                node, _ = self._listener.accept()
                node.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                link = _Link(self, node)
                with self._lock:
                    self._links.append(link)
                if self._connected.is_set():
                    link.open(self._server)


class _Link:
    """One connection of a node, read message by message."""

    def __init__(self, proxy: DatabaseProxy, node: socket.socket) -> None:
        self._proxy = proxy
        self._node = node
        self._server: socket.socket | None = None
        self._reader = _MessageReader()
        self._silent = False
        self._drops_answers = False
        self._resets_at_answer = False

    def open(self, server: tuple[str, int]) -> None:
        """Forward in both directions; reset the node's connection when the server accepts none."""
        try:
            self._server = socket.create_connection(server, timeout=5)
        except OSError:
            self._reset()
            return
        self._server.settimeout(None)
        self._server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for work in (self._up, self._down):
            threading.Thread(target=work, daemon=True).start()

    def silence(self) -> None:
        self._silent = True

    def close(self) -> None:
        for end in (self._node, self._server):
            if end is not None:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()

    def _up(self) -> None:
        with suppress(OSError):
            while piece := self._node.recv(PIECE):
                for message, commits_stamp in self._reader.messages(piece):
                    if commits_stamp and (fault := self._proxy.take()) is not None:
                        self._apply(fault)
                    if not self._silent and self._server is not None:
                        self._server.sendall(message)
        if not self._silent:
            self.close()

    def _apply(self, fault: Fault) -> None:
        if fault is Fault.RESET_BEFORE:
            self._reset()
        elif fault is Fault.RESET_AFTER:
            self._resets_at_answer = True
        elif fault is Fault.SILENCE_BEFORE:
            self._silent = True
        else:
            self._drops_answers = True

    def _down(self) -> None:
        with suppress(OSError):
            while self._server is not None and (piece := self._server.recv(PIECE)):
                if self._resets_at_answer:
                    self._reset()
                elif not (self._silent or self._drops_answers):
                    self._node.sendall(piece)
        if not self._silent:
            self.close()

    def _reset(self) -> None:
        """Reset the node's connection."""
        with suppress(OSError):
            self._node.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()


class _MessageReader:
    """Reader of a node's messages in PostgreSQL's protocol, version 3."""

    def __init__(self) -> None:
        self._buffer = b""
        self._begun = False
        self._statements: dict[bytes, bytes] = {}
        self._stamping = False

    def messages(self, piece: bytes) -> Iterator[tuple[bytes, bool]]:
        """Yield whole messages with whether each begins the COMMIT of a transaction that stores stamps."""
        self._buffer += piece
        while True:
            # Only the first message of a connection has no type.
            start = 1 if self._begun else 0
            if len(self._buffer) < start + 4:
                return
            end = start + int.from_bytes(self._buffer[start : start + 4], "big")
            if len(self._buffer) < end:
                return
            message, self._buffer = self._buffer[:end], self._buffer[end:]
            yield message, self._begun and self._commits_stamp(message[:1], message[5:])
            self._begun = True

    def _commits_stamp(self, kind: bytes, content: bytes) -> bool:
        """StampAnswer at the first message of the COMMIT, so that all of it arrives or nothing."""
        if kind == b"P":
            name, query, _ = content.split(b"\0", 2)
            self._statements[name] = query
        elif kind == b"B":
            _, name, _ = content.split(b"\0", 2)
            query = self._statements.get(name, b"")
        else:
            return False
        if query.startswith(b"INSERT INTO stamp "):
            self._stamping = True
        elif query in {b"COMMIT", b"ROLLBACK"}:
            was, self._stamping = self._stamping, False
            return was and query == b"COMMIT"
        return False


@contextmanager
def database_proxy(port: int) -> Iterator[DatabaseProxy]:
    """Yield a proxy to the server on this port."""
    made = DatabaseProxy(port)
    try:
        yield made
    finally:
        made.close()
