"""E-mails that a sandbox keeps instead of sending them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import delete, func, select

from timbra.database.codec import decode, encode
from timbra.database.database import Database
from timbra.sandbox.store.tables import SANDBOX_MAIL

MAX_MAILS: Final = 200
MAIL = SANDBOX_MAIL.c


@dataclass(frozen=True, slots=True)
class CaughtMail:
    """An e-mail without its content.

    Attributes:
        number: Grows with each e-mail.
        at: Wall instant.
        size: Bytes of the message.
    """

    number: int
    at: datetime
    recipient: str
    subject: str
    size: int


class CaughtMailStore:
    """Rows of `sandbox_mail`; the newest `MAX_MAILS` are kept."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, at: datetime, recipient: str, subject: str, content: bytes) -> None:
        """Store a message and delete the oldest ones beyond the limit."""
        values = {"at": at, "recipient": recipient, "subject": subject, "size": len(content)}
        with self._database.write() as connection:
            connection.execute(SANDBOX_MAIL.insert().values(**values, content=encode(content)))
            kept = select(MAIL.id).order_by(MAIL.id.desc()).offset(MAX_MAILS - 1).limit(1).scalar_subquery()
            connection.execute(delete(SANDBOX_MAIL).where(MAIL.id < kept))

    def newest(self, limit: int = MAX_MAILS) -> Sequence[CaughtMail]:
        """Return e-mails, newest first."""
        query = select(MAIL.id, MAIL.at, MAIL.recipient, MAIL.subject, MAIL.size).order_by(MAIL.id.desc()).limit(limit)
        with self._database.read() as connection:
            return [CaughtMail(*row) for row in connection.execute(query)]

    def count(self) -> int:
        """Return the number of e-mails."""
        with self._database.read() as connection:
            return int(connection.execute(select(func.count()).select_from(SANDBOX_MAIL)).scalar_one())

    def find(self, number: int) -> tuple[CaughtMail, bytes] | None:
        """Return an e-mail and its content; None when there is none."""
        query = select(MAIL.id, MAIL.at, MAIL.recipient, MAIL.subject, MAIL.size, MAIL.content)
        with self._database.read() as connection:
            row = connection.execute(query.where(MAIL.id == number)).one_or_none()
        return None if row is None else (CaughtMail(*tuple(row)[:5]), decode(row.content))

    def clear(self) -> None:
        """Delete all e-mails."""
        with self._database.write() as connection:
            connection.execute(delete(SANDBOX_MAIL))
