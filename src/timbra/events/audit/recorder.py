"""Appends single events to the audit log, each in a transaction of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.database.database import Database
    from timbra.events.audit.audit import Audit


@dataclass(frozen=True, slots=True)
class AuditRecorder:
    """Writes events without a change, such as `document.read`."""

    database: Database
    audit: Audit

    def record(self, kind: str, account_id: int | None, subject: str, body: Mapping[str, object] | None = None) -> None:
        with self.database.write() as transaction:
            self.audit.record(transaction, kind, account_id, subject, body)
