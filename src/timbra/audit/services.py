"""The services of the audit log, which endpoints, pages and commands receive by type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.audit.audit_log import AuditLog
    from timbra.core.clock import Clock
    from timbra.database.database import Database
    from timbra.events.audit.audit import Audit


@dataclass(frozen=True, slots=True)
class AuditServices:
    """The audit log.

    Attributes:
        log: lists, verifies and exports it.
        audit: writes events.
        database: of the events.
    """

    log: AuditLog
    audit: Audit
    database: Database
    wall: Clock

    def record(self, kind: str, account_id: int | None, subject: str, body: Mapping[str, object] | None = None) -> None:
        """Write an event without a change, such as `document.read`, in a transaction of its own."""
        with self.database.write() as transaction:
            self.audit.record(transaction, kind, account_id, subject, body)
