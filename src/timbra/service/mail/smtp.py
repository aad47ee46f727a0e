"""One message to one recipient through the mail server of the settings, with a bound on every wait."""

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

from timbra.errors import ServiceError

LONGEST_REPLY = 200
_FOR_GOOD = 500
Security = Literal["none", "starttls", "tls"]


@dataclass(frozen=True)
class Smtp:
    """A mail server. security: `tls` from the first byte, `starttls` before anything is told. user: empty for none.

    seconds: longest wait for any of its answers. authorities: PEM file of further CA for its certificate.
    """

    host: str
    port: int
    security: Security = "starttls"
    user: str = ""
    password: str = field(default="", repr=False)
    seconds: float = 10
    authorities: Path | None = None

    def send(self, message: EmailMessage, sender: str, recipient: str) -> None:
        """Hands a message over; the server has it when this returns.

        ServiceError: "mail-refused" when the server wants neither this recipient nor this message, ever; "mail-down"
        for whatever may pass.
        """
        with _told(), self._connected() as connection:
            if self.security == "starttls":
                connection.starttls(context=self._context)
            if self.user:
                connection.login(self.user, self.password)
            connection.send_message(message, sender, [recipient])

    @contextmanager
    def _connected(self) -> Iterator[smtplib.SMTP]:
        """A connection; once the message is over, nothing that goes wrong while parting takes it back."""
        # The name in the greeting: the library would ask the network for a longer one.
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
def _told() -> Iterator[None]:
    """What the library raises, as the two errors that are of interest."""
    try:
        yield
    except smtplib.SMTPRecipientsRefused as error:
        [(code, reply)] = error.recipients.values()
        raise _answered(code, reply, for_good=code >= _FOR_GOOD) from error
    except smtplib.SMTPDataError as error:
        raise _answered(error.smtp_code, error.smtp_error, for_good=error.smtp_code >= _FOR_GOOD) from error
    except smtplib.SMTPAuthenticationError as error:
        raise ServiceError("mail-down", f"No acepta el usuario y la contraseña ({error.smtp_code}).") from error
    except smtplib.SMTPResponseException as error:
        raise _answered(error.smtp_code, error.smtp_error, for_good=False) from error
    except smtplib.SMTPNotSupportedError as error:
        raise ServiceError("mail-down", "No ofrece lo que piden la configuración o la dirección.") from error
    except ssl.SSLError as error:
        raise ServiceError("mail-down", f"No hay conexión segura: {error.reason or 'TLS'}.") from error
    except (smtplib.SMTPException, OSError) as error:
        raise ServiceError("mail-down", "No hay conexión, o no respondió a tiempo.") from error


def _answered(code: int, reply: bytes | str, *, for_good: bool) -> ServiceError:
    text = reply.decode("utf-8", "replace") if isinstance(reply, bytes) else reply
    shown = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return ServiceError("mail-refused" if for_good else "mail-down", f"{code} {shown}"[:LONGEST_REPLY])
