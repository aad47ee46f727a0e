"""Whether a stored document is cancelled, for its print."""

from __future__ import annotations

import structlog

from timbra.core.errors import ServiceError
from timbra.documents.ports import CancellationAcuses
from timbra.documents.storage import StampReader
from timbra.sat.port import StatusQuery, StatusService
from timbra.stamps.port import StampRecord

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.printing")

CANCELLED = "Cancelado"
"""Estado of a cancelled document."""


class CancellationMarks:
    """Finds cancelled documents; blocks while the authority answers, so do not call it on the event loop.

    The authority is asked about documents only whose cancellation it accepted: the acceptance of a request does not
    say that the receiver agreed.

    Args:
        stamps: the stored stamps.
        acuses: acuses of accepted requests.
        status: the status service; None where none is configured, and then no document is marked.
    """

    def __init__(self, stamps: StampReader, acuses: CancellationAcuses, status: StatusService | None) -> None:
        self._stamps = stamps
        self._acuses = acuses
        self._status = status

    def is_cancelled(self, record: StampRecord, seal_tail: str) -> bool:
        """Whether the authority answers that a stored document is cancelled; False while it does not answer.

        Args:
            seal_tail: the last 8 characters of the issuer's seal.
        """
        if self._status is None or self._acuses.of_cancellation(record.uuid, record.issuer_rfc) is None:
            return False
        query = StatusQuery(
            record.uuid, record.issuer_rfc, record.receiver_rfc, record.total, seal_tail, record.is_retencion
        )
        try:
            return self._status.status(query).status == CANCELLED
        except ServiceError as error:
            log.warning("the status of a printed document is unknown", uuid=record.uuid, code=error.code)
            return False

    def is_cancelled_stamp(self, uuid: str, seal: str) -> bool:
        """Whether a document that a client sends is stored here and cancelled. `seal`: its Sello."""
        record = self._stamps.by_uuid(uuid.lower())
        return record is not None and self.is_cancelled(record, seal[-8:])
