"""A mail server on loopback with configurable responses."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session


@dataclass
class MailServer:
    """Received messages. rejected: recipients that it rejects. later: replies before it accepts a message.

    silence: seconds before every answer to a message.
    """

    received: list[Envelope] = field(default_factory=list)
    rejected: set[str] = field(default_factory=set)
    later: list[str] = field(default_factory=list)
    silence: float = 0
    secured: list[bool] = field(default_factory=list)
    port: int = 0

    @property
    def messages(self) -> list[EmailMessage]:
        return [message_from_bytes(one.content or b"", policy=default) for one in self.received]  # type: ignore[arg-type]

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address in self.rejected:
            return "550 5.1.1 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        await asyncio.sleep(self.silence)
        if self.later:
            return self.later.pop(0)
        self.secured.append(session.ssl is not None)
        self.received.append(envelope)
        return "250 OK"


@contextmanager
def mail_server(
    *, context: ssl.SSLContext | None = None, login: tuple[str, str] | None = None, **behaviour: object
) -> Iterator[MailServer]:
    """Start a server on a free port. context: requires STARTTLS. login: requires these credentials."""
    server = MailServer(**behaviour)  # type: ignore[arg-type]

    def authenticate(
        _server: object, _session: object, _envelope: object, _mechanism: str, given: object
    ) -> AuthResult:
        wanted = login and LoginPassword(*(one.encode() for one in login))
        return AuthResult(success=given == wanted, handled=False)

    options: dict[str, Any] = {"require_starttls": True, "tls_context": context} if context is not None else {}
    if login is not None:
        options |= {"authenticator": authenticate, "auth_required": True, "auth_require_tls": context is not None}
    server.port = free_port()
    controller = Controller(server, hostname="127.0.0.1", port=server.port, **options)
    controller.start()
    try:
        yield server
    finally:
        controller.stop()


def free_port() -> int:
    """Return a free port of the loopback interface."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])
