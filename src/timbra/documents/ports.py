"""The acuses and the mail server of an environment."""

from __future__ import annotations

from email.message import EmailMessage
from typing import Protocol

from timbra.container import Container
from timbra.events.smtp import smtp_client


class CancellationAcuses(Protocol):
    """Reads acuses of the authority."""

    def of_cancellation(self, uuid: str, issuer_rfc: str) -> bytes | None:
        """Return the acuse of the accepted cancellation, None without one."""


class MailTransport(Protocol):
    """Sends messages."""

    def send(self, message: EmailMessage, sender: str, recipient: str) -> None:
        """Send a message.

        Raises:
            ServiceError: "mail-refused" for a permanent failure, "mail-down" for a temporary one; with `retry_after`
                when the server did not answer, or rejects every message.
        """
        ...


def cancellation_acuses(_container: Container) -> CancellationAcuses:
    """Return the cancellation receipts (acuses); each environment binds it."""
    raise NotImplementedError


def mail_transport(container: Container) -> MailTransport | None:
    """Return the client of the mail server of the settings; None without one. A sandbox may keep e-mails instead."""
    return smtp_client(container.settings) if container.settings.smtp_host else None
