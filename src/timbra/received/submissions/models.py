"""Links of suppliers, mail accounts and submissions."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class SupplierLink:
    """A link by which a supplier delivers documents; the columns of `received_link` describe the attributes."""

    id: int
    account_id: int
    name: str
    issuer_rfc: str | None
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    used_at: datetime | None

    def is_open(self, now: datetime) -> bool:
        return self.revoked_at is None and now < self.expires_at


@dataclass(frozen=True, slots=True)
class MailAccount:
    """A folder of a mail account; the columns of `received_mail_account` describe the attributes."""

    id: int
    account_id: int
    host: str
    port: int
    user: str
    folder: str
    sealed_password: bytes = field(repr=False)
    uid_validity: int | None
    last_uid: int
    read_at: datetime | None
    problem: str

    @property
    def name(self) -> str:
        return f"{self.user} en {self.host}, carpeta {self.folder}"


@dataclass(frozen=True, slots=True)
class ReceivedSubmission:
    """What was sent at once; the columns of `received_submission` describe the attributes."""

    id: int
    account_id: int
    at: datetime
    source: str
    origin: str
    subject: str
    stored: int
    known: int
    rejected: int
    files: list[dict[str, Any]]
