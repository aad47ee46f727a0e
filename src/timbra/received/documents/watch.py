"""The watch of received documents: pending cancellations, and issuers in the list of article 69-B of the CFF.

Metadata of past periods shows cancellations first. The status service is queried for recent documents, within a limit,
because only it has cancellations that wait for the answer of their receiver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import structlog

from timbra.core.clock import CENTRAL_MEXICO, Clock
from timbra.core.errors import ServiceError
from timbra.received.documents.models import ReceivedDocument, ReceivedStatus
from timbra.received.documents.store import DocumentStore
from timbra.sat.port import StatusQuery, StatusService
from timbra.validation.article_69b import CODES as LISTED
from timbra.validation.taxpayer_lookup import TaxpayerLookup

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.received")

WATCHED: Final = timedelta(days=90)
"""Age of the documents whose status is queried."""
STATUS_JOB_SECONDS: Final = 60
ISSUERS_JOB_SECONDS: Final = 6 * 3600


@dataclass(frozen=True, slots=True)
class DocumentWatch:
    """Watches the documents of the taxpayers that are synchronized.

    Attributes:
        synchronized: Returns accounts and the RFC of taxpayers whose received documents are downloaded.
        status_service: Makes one attempt for each query; None without a service.
        taxpayers: The list of article 69-B.
        per_hour: Queries of the status in an hour.
    """

    documents: DocumentStore
    synchronized: Callable[[], Sequence[tuple[int, str]]]
    status_service: Callable[[], StatusService | None]
    taxpayers: TaxpayerLookup
    fiscal: Clock
    per_hour: int

    def query_statuses(self) -> None:
        """Query the status of the documents that were queried longest ago; ends when the service does not answer."""
        service = self.status_service()
        left = self.per_hour * STATUS_JOB_SECONDS // 3600
        first = (self.fiscal.now() - WATCHED).astimezone(CENTRAL_MEXICO).strftime("%Y-%m-%dT%H:%M:%S")
        for account_id, rfc in self.synchronized():
            found = self.documents.watched(account_id, rfc, first, left) if service and left > 0 else []
            answers: list[ReceivedStatus] = []
            for document in found:
                try:
                    answers += _answers(service, document)
                except ServiceError as error:
                    log.warning("status not queried", rfc=rfc, detail=error.detail)
                    left = 0
                    break
            left -= len(found)
            self.documents.put_statuses(account_id, answers)

    def query_status(self, document: ReceivedDocument) -> None:
        """Query the status of one document now. ServiceError when the service does not answer."""
        self.documents.put_statuses(document.account_id, _answers(self.status_service(), document))

    def check_issuers(self) -> None:
        """Compare the issuers of received documents with the list of article 69-B in force."""
        for account_id in dict.fromkeys(account_id for account_id, _ in self.synchronized()):
            situations: dict[str, str | None] = {}
            for rfc in self.documents.issuers(account_id):
                try:
                    situation: str | None = self.taxpayers.article_69b(rfc).situation
                except ServiceError as error:
                    if error.code == "TB4006":
                        return  # no list
                    situation = None
                situations[rfc] = situation if situation in LISTED else None
            self.documents.put_situations(account_id, situations)


def _answers(service: StatusService | None, document: ReceivedDocument) -> list[ReceivedStatus]:
    """Return what the service answers about a document; nothing without a service or an answer."""
    query = StatusQuery(
        document.uuid,
        document.issuer_rfc,
        document.receiver_rfc,
        document.total or "",
        document.seal_tail or "",
        document.kind == "retenciones",
    )
    status = None if service is None else service.status(query)
    return [] if status is None else [ReceivedStatus(document.uuid, status.status, status.cancellation)]
