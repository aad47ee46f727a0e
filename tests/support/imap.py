"""A mail server on loopback that serves one folder by IMAP over TLS."""

from __future__ import annotations

import re
import socket
import ssl
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

CREDENTIALS = ("facturas@example.com", "una clave del buzón")
"""Of AUTHENTICATE PLAIN; the password of LOGIN is `clave`."""
REJECTED = "{} NO credenciales inválidas"
_FETCH = re.compile(r"(\d+) \((RFC822\.SIZE|BODY\.PEEK\[\])\)")
_SEARCH = re.compile(r"UID (\d+):\*")


@dataclass
class ImapServer:
    """The folder. messages: by UID. commands: what clients asked for, without the login. announced: size instead of
    that of the message, by UID. has_plain: whether it offers AUTHENTICATE PLAIN."""

    messages: dict[int, bytes] = field(default_factory=dict)
    uid_validity: int = 7
    commands: list[str] = field(default_factory=list)
    announced: dict[int, int] = field(default_factory=dict)
    has_plain: bool = True
    port: int = 0

    def fetched(self) -> list[int]:
        """Return the UID of the messages that were read, in their order."""
        found = (_FETCH.search(command) for command in self.commands if "BODY" in command)
        return [int(match[1]) for match in found if match]


@contextmanager
def imap_server(context: ssl.SSLContext) -> Iterator[ImapServer]:
    """Start a server on a free port."""
    server = ImapServer()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server.port = listener.getsockname()[1]
        threading.Thread(target=_accept, args=(server, listener, context), daemon=True).start()
        yield server


def _accept(server: ImapServer, listener: socket.socket, context: ssl.SSLContext) -> None:
    with suppress(OSError):  # closed at the end of the test
        while True:
            connection, _ = listener.accept()
            with suppress(OSError), context.wrap_socket(connection, server_side=True) as secured:
                _serve(server, secured.makefile("rwb"))


def _serve(server: ImapServer, stream: Any) -> None:
    def send(*lines: bytes) -> None:
        stream.write(b"".join(line + b"\r\n" for line in lines))
        stream.flush()

    send(b"* OK ready")
    while line := stream.readline().decode().rstrip("\r\n"):
        tag, _, command = line.partition(" ")
        done = f"{tag} OK done".encode()
        if command == "CAPABILITY":
            send(b"* CAPABILITY IMAP4rev1" + b" AUTH=PLAIN" * server.has_plain, done)
        elif command == "AUTHENTICATE PLAIN":
            send(b"+ ")
            given = b64decode(stream.readline()).decode().split("\0")
            send(done if given == ["", *CREDENTIALS] else REJECTED.format(tag).encode())
        elif command.startswith("LOGIN"):
            send(done if command.split()[1:] == [CREDENTIALS[0], '"clave"'] else REJECTED.format(tag).encode())
        else:
            server.commands.append(command)
            send(*_answer(server, command), done if "missing" not in command else f"{tag} NO no existe".encode())


def _answer(server: ImapServer, command: str) -> list[bytes]:
    if command.startswith("EXAMINE"):
        return [f"* {len(server.messages)} EXISTS".encode(), f"* OK [UIDVALIDITY {server.uid_validity}] valid".encode()]
    if search := _SEARCH.search(command):
        newest = max(server.messages, default=0)
        found = [uid for uid in sorted(server.messages) if uid >= int(search[1]) or uid == newest]
        return [f"* SEARCH {' '.join(map(str, found))}".rstrip().encode()]
    if fetch := _FETCH.search(command):
        uid, content = int(fetch[1]), server.messages[int(fetch[1])]
        if fetch[2] == "RFC822.SIZE":
            return [f"* 1 FETCH (UID {uid} RFC822.SIZE {server.announced.get(uid, len(content))})".encode()]
        return [f"* 1 FETCH (UID {uid} BODY[] {{{len(content)}}}".encode(), content + b")"]
    return []
