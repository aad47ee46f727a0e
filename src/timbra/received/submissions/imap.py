"""Messages of a mail account (IMAP over TLS), which are read in their order and neither changed nor deleted."""

from __future__ import annotations

import re
import ssl
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parseaddr
from imaplib import IMAP4, IMAP4_SSL
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, Final

from timbra.core.errors import ServiceError
from timbra.core.text import storable

MEBIBYTE: Final = 1024 * 1024
MAX_MESSAGE_BYTES: Final = 40 * MEBIBYTE
MAX_ANSWER_BYTES: Final = MAX_MESSAGE_BYTES + MEBIBYTE
MAX_PARTS: Final = 200
MAX_TEXT: Final = 200
TIMEOUT_SECONDS: Final = 60.0
SUFFIXES: Final = (".xml", ".zip", ".pdf")
TYPES: Final = {
    "text/xml": ".xml",
    "application/xml": ".xml",
    "application/zip": ".zip",
    "application/x-zip-compressed": ".zip",
    "application/pdf": ".pdf",
}
_SIZE = re.compile(rb"RFC822\.SIZE (\d+)")


@dataclass(frozen=True, slots=True)
class MailMessage:
    """A message with its attached documents.

    Attributes:
        sender: The address of From, in lower case.
        problem: Why the message could not be read, in Spanish; empty otherwise.
        attachments: Names and contents.
    """

    uid: int
    sender: str = ""
    subject: str = ""
    problem: str = ""
    attachments: tuple[tuple[str, bytes], ...] = field(default=(), repr=False)


class _BoundedConnection(IMAP4_SSL):
    """A connection whose answers have at most `MAX_ANSWER_BYTES`."""

    def read(self, size: int) -> bytes:
        if size > MAX_ANSWER_BYTES:
            raise self.abort(f"an answer of {size} bytes")
        return super().read(size)


class MailFolder:
    """An open folder, without the right to change it. Every method raises ServiceError: "mail-down".

    Attributes:
        uid_validity: While it is the same, a UID is that of the same message.
    """

    def __init__(self, connection: IMAP4, folder: str, label: str) -> None:
        self._connection = connection
        self._label = label
        with _as_mail_down(label):
            _checked(connection.select(f'"{encoded_folder(folder)}"', readonly=True), f"la carpeta {folder}")
            found: Any = connection.response("UIDVALIDITY")[1][0]
            self.uid_validity = int(found)

    def uids(self, after: int, limit: int) -> list[int]:
        """Return the UID of the messages after one, in their order, at most `limit`."""
        with _as_mail_down(self._label):
            [answer] = _checked(self._connection.uid("SEARCH", f"UID {after + 1}:*"), "la búsqueda")
            # `n:*` has the last message, too, when it is before n.
            return sorted(uid for uid in map(int, (answer or b"").split()) if uid > after)[:limit]

    def read(self, uid: int) -> MailMessage:
        """Read a message; a too large one is not fetched."""
        with _as_mail_down(self._label):
            sizes = _checked(self._connection.uid("FETCH", str(uid), "(RFC822.SIZE)"), "un mensaje")
            size = next((int(found[1]) for each in sizes if (found := _SIZE.search(_head(each)))), 0)
            if size > MAX_MESSAGE_BYTES:
                mebibytes, limit = size // MEBIBYTE, MAX_MESSAGE_BYTES // MEBIBYTE
                return MailMessage(uid, problem=f"El mensaje mide {mebibytes} MiB y el límite es de {limit} MiB.")
            fetched = _checked(self._connection.uid("FETCH", str(uid), "(BODY.PEEK[])"), "un mensaje")
            content = next((each[1] for each in fetched if isinstance(each, tuple)), None)
        # Another client may delete a message after the search.
        return MailMessage(uid) if content is None else message_of(uid, content)


@contextmanager
def open_folder(
    host: str, port: int, user: str, password: str, folder: str, authority: Path | None
) -> Iterator[MailFolder]:
    """Open a folder of a mail account over TLS.

    Args:
        authority: PEM file of a further authority for the certificate of the server.

    Raises:
        ServiceError: "mail-down" when the server does not answer as expected, rejects the password, or has no such
            folder.
    """
    label = f"El buzón de {user} en {host}"
    with ExitStack() as stack:
        with _as_mail_down(label):
            context = ssl.create_default_context()
            if authority is not None:
                context.load_verify_locations(authority)
            connection = _BoundedConnection(host, port, ssl_context=context, timeout=TIMEOUT_SECONDS)
            stack.callback(connection.shutdown)
            if "AUTH=PLAIN" in connection.capabilities:
                connection.authenticate("PLAIN", lambda _: f"\0{user}\0{password}".encode())
            else:
                connection.login(user, password)
        yield MailFolder(connection, folder, label)


@contextmanager
def _as_mail_down(label: str) -> Iterator[None]:
    try:
        yield
    except (OSError, IMAP4.error, ValueError, TypeError) as error:
        raise ServiceError("mail-down", f"{label}: {_reason(error)}") from error


def encoded_folder(folder: str) -> str:
    """Return the name of a folder in modified UTF-7 (RFC 3501, 5.1.3)."""

    def encoded(found: re.Match[str]) -> str:
        base64 = b64encode(found[0].encode("utf-16-be")).rstrip(b"=").replace(b"/", b",").decode()
        return "&-" if found[0] == "&" else f"&{base64}-"

    return re.sub(r"&|[^\x20-\x7e]+", encoded, folder)


def message_of(uid: int, content: bytes) -> MailMessage:
    """Return a message of its bytes."""
    try:
        message = message_from_bytes(content)
        sender = storable(parseaddr(_text(message["From"]))[1].lower(), MAX_TEXT)
        subject = storable(_text(message["Subject"]), MAX_TEXT)
        parts = list(islice(message.walk(), MAX_PARTS + 1))
        if len(parts) > MAX_PARTS:
            return MailMessage(uid, sender, subject, f"El mensaje tiene más de {MAX_PARTS} partes.")
        attachments = [found for part in parts if (found := _attachment(part)) is not None]
    except (MessageError, RecursionError, ValueError, LookupError, TypeError):
        return MailMessage(uid, problem="El mensaje no se puede leer: sus partes no siguen el formato del correo.")
    return MailMessage(uid, sender, subject, "", tuple(attachments))


def _attachment(part: Message) -> tuple[str, bytes] | None:
    """Return name and content of a part that may have documents; None for another one."""
    if part.is_multipart():
        return None
    name = storable(_text(part.get_filename()), MAX_TEXT)
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in SUFFIXES:
        of_type = TYPES.get(part.get_content_type())
        if of_type is None:
            return None
        name = f"{name or 'adjunto'}{of_type}"
    content: Any = part.get_payload(decode=True)
    return (name, content) if isinstance(content, bytes) and content else None


def _text(value: object) -> str:
    """Return a header as text, also one whose encoding is wrong."""
    if value is None:
        return ""
    try:
        return str(make_header(decode_header(str(value))))
    except (MessageError, LookupError, ValueError):
        return str(value)


def _checked(answer: tuple[str, list[Any]], what: str) -> list[Any]:
    status, data = answer
    if status != "OK":
        raise IMAP4.error(f"{what}: {_reason(data[0] if data else status)}")
    return data


def _head(answer: object) -> bytes:
    return answer if isinstance(answer, bytes) else answer[0] if isinstance(answer, tuple) else b""


def _reason(found: object) -> str:
    text = found.decode("utf-8", "replace") if isinstance(found, bytes) else str(found)
    return storable(" ".join(text.split()), MAX_TEXT)
