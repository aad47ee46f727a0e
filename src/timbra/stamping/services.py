"""The services of stamping, which endpoints, pages and commands receive by type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.cfdi.from_json import JsonDocuments
    from timbra.cfdi.qr import QrPainter
    from timbra.evaluation.confirmations import ConfirmationRegistry
    from timbra.evaluation.dependencies import Dependencies
    from timbra.evaluation.processes import DocumentProcesses
    from timbra.stamping.large_documents import LargeStampingService
    from timbra.stamping.stamping import StampingService
    from timbra.stamps.repository import DatabaseStamps


@dataclass(frozen=True, slots=True)
class StampingServices:
    """Issuing and stamping.

    Attributes:
        checks: dependencies of the checks of both.
        confirmations: issues keys of confirmation.
        processes: child processes for large documents; None in a process that serves no other requests meanwhile.
        mail_enabled: whether a mail server is configured for stamped documents.
    """

    stamping: StampingService
    large: LargeStampingService
    json_documents: JsonDocuments
    qr: QrPainter
    stamps: DatabaseStamps
    checks: Dependencies
    confirmations: ConfirmationRegistry
    mail_enabled: bool
    processes: DocumentProcesses | None = None
