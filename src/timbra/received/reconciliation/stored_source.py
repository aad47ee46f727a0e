"""The stored documents of an account as what the SAT has: all metadata, and the XML of those that matter."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import chain, islice
from typing import Any

from timbra.core.errors import ServiceError
from timbra.received.documents.models import CANCELLED, DocumentFilter, ReceivedDocument
from timbra.received.documents.store import DocumentStore
from timbra.received.reconciliation.options import Side
from timbra.received.reconciliation.run_models import SourceCount
from timbra.received.reconciliation.sat_source import SatDocumentReader
from timbra.received.reconciliation.workspace import Workspace

BATCH_ROWS = 10_000
BATCH_XML = 500
_TYPES = {
    "uuid": "UUID",
    "issuer_rfc": "VARCHAR",
    "receiver_rfc": "VARCHAR",
    "fecha": "TIMESTAMP",
    "total": "DECIMAL(24, 6)",
    "tipo": "VARCHAR",
    "is_cancelled": "BOOLEAN",
    "cancelled_at": "TIMESTAMP",
}
_LARGEST = Decimal(10) ** 18
_WANTED = """
SELECT CAST(uuid AS VARCHAR) FROM metadata
WHERE CAST(fecha AS DATE) BETWEEN getvariable('since') AND getvariable('until') OR tipo IN ('E', 'P')
   OR uuid IN (SELECT uuid FROM paid) OR uuid IN (SELECT uuid FROM books)
"""
_PAID_BY_COMPLEMENTS = """
SELECT DISTINCT m.uuid::VARCHAR FROM payments p JOIN metadata m ON m.uuid = TRY_CAST(p.id_documento AS UUID)
ANTI JOIN documents d ON d.uuid = CAST(m.uuid AS VARCHAR)
"""


@dataclass(frozen=True, slots=True)
class StoredDocuments:
    """The stored documents of an account."""

    store: DocumentStore
    account_id: int

    def read(self, workspace: Workspace) -> None:
        """Read the documents of the side; call it after the books and the payments were read.

        The XML is read of the documents of the period, of credit notes and payment complements, and of those that a
        row of the books, a payment or a complement names.
        """
        options, source = workspace.options, SourceCount("documentos guardados", "stored")
        filters = DocumentFilter(rfc=options.rfc, is_issued=options.side is Side.ISSUED)
        documents = chain.from_iterable(self.store.lists.pages(self.account_id, filters))
        while rows := [_row(document) for document in islice(documents, BATCH_ROWS)]:
            with workspace.rows_file(_TYPES, rows) as file:
                workspace.run(f"INSERT INTO metadata BY NAME SELECT * FROM {file}")
            source.rows += len(rows)
        reader = SatDocumentReader(workspace, source)
        for query in (_WANTED, _PAID_BY_COMPLEMENTS):
            self._read_xml(workspace, query, reader)
        reader.flush()
        workspace.sources.append(source)
        workspace.has_sat = True

    def _read_xml(self, workspace: Workspace, query: str, reader: SatDocumentReader) -> None:
        reader.flush()
        uuids = [uuid for (uuid,) in workspace.run(query).fetchall()]
        for start in range(0, len(uuids), BATCH_XML):
            for uuid, xml in self.store.xml_of(self.account_id, uuids[start : start + BATCH_XML]):
                try:
                    reader.add_content(uuid, xml)
                except ServiceError as error:
                    workspace.report_unreadable(reader.source, None, f"{uuid}: {error}")


def _row(document: ReceivedDocument) -> dict[str, Any]:
    is_retencion = document.kind == "retenciones"
    return {
        "uuid": document.uuid,
        "issuer_rfc": document.issuer_rfc,
        "receiver_rfc": document.receiver_rfc,
        "fecha": document.fecha,
        "total": _amount(document.total),
        "tipo": "R" if is_retencion else document.tipo_de_comprobante,
        "is_cancelled": document.status == CANCELLED,
        "cancelled_at": document.cancelled_at,
    }


def _amount(text: str | None) -> str | None:
    try:
        amount = Decimal(text or "0")
    except InvalidOperation:
        return None
    return text if amount.is_finite() and abs(amount) < _LARGEST else None
