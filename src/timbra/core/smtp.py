"""SMTP client: one message to one recipient, with a timeout on every wait."""

from __future__ import annotations

import smtplib
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from functools import cached_property
from pathlib import Path
from typing import Literal

from timbra.core.errors import ServiceError

LONGEST_REPLY = 200
RETRY_AFTER = 30
_PERMANENT = 500
Security = Literal["none", "starttls", "tls"]


@dataclass(frozen=True)
class Smtp:
    """A mail server.

    Attributes:
        security: `tls` from the first byte, or `starttls` before the login.
        user: empty for no login.
        seconds: timeout of each reply.
        authorities: PEM file of additional CA certificates for the server's certificate.
    """

    host: str
    port: int
    security: Security = "starttls"
    user: str = ""
    password: str = field(default="", repr=False)
    seconds: float = 10
    authorities: Path | None = None

    def send(self, message: EmailMessage, sender: str, recipient: str) -> None:
        """Send a message. The server has accepted it when this returns.

        Raises:
            ServiceError: "mail-refused" when the server rejects the recipient or the message permanently;
                "mail-down" for a failure that may be temporary, with `retry_after` when it concerns every message.
        """
        with _translated_errors(), self._logged_in() as connection:
            connection.send_message(message, sender, [recipient])

    def log_in(self) -> str:
        """Log in without sending a message, and return the address of the server; raises what `send` raises."""
        with _translated_errors(), self._logged_in() as connection:
            connection.noop()
        return f"{self.host}:{self.port}"

    @contextmanager
    def _logged_in(self) -> Iterator[smtplib.SMTP]:
        with self._connected() as connection:
            if self.security == "starttls":
                connection.starttls(context=self._context)
            if self.user:
                connection.login(self.user, self.password)
            yield connection

    @contextmanager
    def _connected(self) -> Iterator[smtplib.SMTP]:
        """Open a connection. An error while closing it, after the message was accepted, is ignored."""
        # The name for EHLO: the library would make a DNS query for the full name.
        name = socket.gethostname()
        if self.security == "tls":
            connection: smtplib.SMTP = smtplib.SMTP_SSL(
                self.host, self.port, name, timeout=self.seconds, context=self._context
            )
        else:
            connection = smtplib.SMTP(self.host, self.port, name, timeout=self.seconds)
        try:
            yield connection
        finally:
            with suppress(smtplib.SMTPException, OSError):
                connection.quit()
            connection.close()

    @cached_property
    def _context(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        if self.authorities is not None:
            context.load_verify_locations(self.authorities)
        return context


@contextmanager
def _translated_errors() -> Iterator[None]:
    """Translate exceptions of smtplib into "mail-refused" and "mail-down"."""
    try:
        yield
    except smtplib.SMTPRecipientsRefused as error:
        [(code, reply)] = error.recipients.values()
        raise _reply_error(code, reply, permanent=code >= _PERMANENT) from error
    except smtplib.SMTPDataError as error:
        raise _reply_error(error.smtp_code, error.smtp_error, permanent=error.smtp_code >= _PERMANENT) from error
    except smtplib.SMTPAuthenticationError as error:
        raise _down(f"No acepta el usuario y la contraseña ({error.smtp_code}).") from error
    except smtplib.SMTPResponseException as error:
        raise _down(_reply_error(error.smtp_code, error.smtp_error, permanent=False).detail or "") from error
    except smtplib.SMTPNotSupportedError as error:
        raise ServiceError("mail-down", "No ofrece lo que piden la configuración o la dirección.") from error
    except ssl.SSLError as error:
        raise _down(f"No hay conexión segura: {error.reason or 'TLS'}.") from error
    except (smtplib.SMTPException, OSError) as error:
        raise _down("No hay conexión, o no respondió a tiempo.") from error


def _down(detail: str) -> ServiceError:
    return ServiceError("mail-down", detail, retry_after=RETRY_AFTER)


def _reply_error(code: int, reply: bytes | str, *, permanent: bool) -> ServiceError:
    text = reply.decode("utf-8", "replace") if isinstance(reply, bytes) else reply
    printable = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return ServiceError("mail-refused" if permanent else "mail-down", f"{code} {printable}"[:LONGEST_REPLY])
