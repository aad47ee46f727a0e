"""The services of the audit log, which pages and commands receive by type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.audit.audit_log import AuditLog


@dataclass(frozen=True, slots=True)
class AuditServices:
    """The audit log: `log` lists, verifies and exports it."""

    log: AuditLog
