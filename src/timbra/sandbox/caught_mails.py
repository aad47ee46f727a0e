"""A mail transport that keeps messages for the portal, and the messages that it kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from typing import Final

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.text import storable
from timbra.sandbox.store.mails import CaughtMail, CaughtMailStore

MAX_SUBJECT: Final = 300
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class MailAttachment:
    """An attached file.

    Attributes:
        name: Its name, of safe characters only.
        media_type: Such as `application/pdf`.
    """

    name: str
    media_type: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class MailContent:
    """A kept message.

    Attributes:
        headers: Names and values.
        text: The plain text.
        source: The message as it would have been sent.
    """

    mail: CaughtMail
    headers: Sequence[tuple[str, str]]
    text: str
    attachments: Sequence[MailAttachment]
    source: bytes = field(repr=False)


class CaughtMails:
    """Implements `MailTransport` without sending anything."""

    def __init__(self, store: CaughtMailStore, wall: Clock) -> None:
        self._store = store
        self._wall = wall

    def send(self, message: EmailMessage, sender: str, recipient: str) -> None:  # noqa: ARG002
        subject = storable(str(message["Subject"] or ""), MAX_SUBJECT)
        self._store.add(self._wall.now(), storable(recipient, MAX_SUBJECT), subject, message.as_bytes(policy=SMTP))

    def newest(self) -> Sequence[CaughtMail]:
        """Return the kept messages, newest first."""
        return self._store.newest()

    def read(self, number: int) -> MailContent:
        """Return a kept message. Raises ServiceError: "document-unknown" when there is none with this number."""
        found = self._store.find(number)
        if found is None:
            raise ServiceError("document-unknown", "El correo ya no existe.")
        mail, source = found
        message = message_from_bytes(source, policy=default)
        body = message.get_body(("plain",))
        return MailContent(
            mail=mail,
            headers=[(name, str(value)) for name, value in message.items()],
            text="" if body is None else str(body.get_content()),
            attachments=[_attachment(part, place) for place, part in enumerate(message.iter_attachments(), 1)],
            source=source,
        )

    def clear(self) -> None:
        """Delete the kept messages."""
        self._store.clear()


def _attachment(part: EmailMessage, place: int) -> MailAttachment:
    name = _UNSAFE.sub("_", part.get_filename() or "").strip("._") or f"archivo-{place}"
    content = part.get_payload(decode=True)
    return MailAttachment(name, part.get_content_type(), content if isinstance(content, bytes) else b"")
