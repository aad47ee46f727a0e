"""The simulated authority's files: which CFDI exist, and what ConsultaCFDI answers about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, select

from timbra import money
from timbra.authority.port import FiscalStatus, StatusQuery
from timbra.authority.sandbox.faults import Faults
from timbra.authority.sandbox.filed import Filed, canonical_uuid, filed, filed_stamp
from timbra.authority.sandbox.working_days import end_of_next_working_day
from timbra.cfdi.document import DocumentParser
from timbra.cfdi.rfc import GENERIC
from timbra.clock import Clock
from timbra.errors import ServiceError
from timbra.store.database import Database
from timbra.store.port import StampStore
from timbra.store.tables.sandbox import SANDBOX_DOCUMENT, SANDBOX_RELATION

FOUND = "S - Comprobante obtenido satisfactoriamente."
MISMATCH = FiscalStatus("No Encontrado", "N - 601: La expresión impresa proporcionada no es válida.", None, "")
MISSING = FiscalStatus("No Encontrado", "N - 602: Comprobante no encontrado.", None, "")
IN_FORCE = "Vigente"
NOT_CANCELABLE = "No cancelable"
WITHOUT_ACCEPTANCE = "Cancelable sin aceptación"
WITH_ACCEPTANCE = "Cancelable con aceptación"
# A document that replaces another does not keep it from being cancelled.
REPLACEMENT = "04"
SMALL_TOTAL = Decimal(1000)
FREE_KINDS = frozenset("NET")


class SandboxLedger:
    """An `Authority`. What this server stamped is known from the moment of its commit on.

    clock: fiscal time. parser: for documents from elsewhere, with the limits of the settings.
    """

    def __init__(
        self,
        database: Database,
        stamps: StampStore,
        clock: Clock,
        faults: Faults,
        parser: DocumentParser | None = None,
    ) -> None:
        self._database = database
        self._stamps = stamps
        self._clock = clock
        self._faults = faults
        self._parser = parser or DocumentParser()

    def status(self, query: StatusQuery) -> FiscalStatus:
        """What ConsultaCFDI answers. ServiceError("authority-down") by the fault of that name."""
        self._require_answer()
        uuid = canonical_uuid(query.uuid)
        if uuid is None:
            return MISMATCH
        row = self._find(uuid)
        if row is None and self._file_stamps([uuid]):
            row = self._find(uuid)
        if row is None:
            return MISSING
        return self._answer(row) if _matches(query, row) else MISMATCH

    def type_of(self, folio: str) -> str | None:
        """TipoDeComprobante of a filed CFDI by its UUID, None when there is none."""
        uuid = canonical_uuid(folio)
        row = self._find(uuid) if uuid is not None else None
        return None if row is None else str(row.kind)

    def deliver(self, uuid: str) -> None:
        """Files one stored stamp; repeating is harmless.

        ServiceError("authority-down") by the fault of that name, "document-unknown" when no such stamp is stored.
        """
        self.deliver_all([uuid])

    def deliver_all(self, uuids: Iterable[str]) -> None:
        """Files stored stamps in one transaction, as `deliver` does one."""
        self._require_answer()
        wanted = list(dict.fromkeys(uuid.lower() for uuid in uuids))
        if self._file_stamps(wanted) < len(wanted):
            raise ServiceError("document-unknown", "Uno de los timbres no está guardado.")

    def import_document(self, xml: bytes) -> tuple[str, bool]:
        """Files a CFDI stamped elsewhere, as in force; its folio, and whether it was new.

        ServiceError("301") when it is no XML, "document-invalid" when it is no CFDI with one stamp.
        """
        document = filed(self._parser.parse(xml))
        with self._database.write() as connection:
            return document.uuid, bool(self._insert(connection, [document], "imported"))

    def _require_answer(self) -> None:
        if self._faults.take("authority-down") is not None:
            raise ServiceError("authority-down", retry_after=5)

    def _file_stamps(self, uuids: list[str]) -> int:
        """How many of the folios are stamps of this server; they are filed now."""
        documents = [filed_stamp(record, self._parser) for record in self._stamps.by_uuids(uuids)]
        if documents:
            with self._database.write() as connection:
                self._insert(connection, documents, "delivered")
        return len(documents)

    def _insert(self, connection: Connection, documents: Sequence[Filed], origin: str) -> set[str]:
        """The folios that were new; what is on file already stays as it is, with its relations."""
        rows = [_row(document, origin) for document in documents]
        statement = self._database.insert(SANDBOX_DOCUMENT).on_conflict_do_nothing()
        new = set(connection.execute(statement.returning(SANDBOX_DOCUMENT.c.uuid), rows).scalars())
        relations = [
            {"uuid": document.uuid, "related": related, "relation": relation}
            for document in documents
            if document.uuid in new
            for related, relation in sorted(document.relations)
        ]
        if relations:
            connection.execute(self._database.insert(SANDBOX_RELATION).on_conflict_do_nothing(), relations)
        return new

    def _find(self, uuid: str) -> Any:
        with self._database.read() as connection:
            return connection.execute(select(SANDBOX_DOCUMENT).where(SANDBOX_DOCUMENT.c.uuid == uuid)).first()

    def _answer(self, row: Any) -> FiscalStatus:
        return FiscalStatus(row.state, FOUND, self._cancelable(row), row.cancellation)

    def _cancelable(self, row: Any) -> str:
        if self._is_needed(row.uuid):
            return NOT_CANCELABLE
        return WITHOUT_ACCEPTANCE if needs_no_acceptance(row, self._clock.now()) else WITH_ACCEPTANCE

    def _is_needed(self, uuid: str) -> bool:
        """Whether a document in force depends on this one."""
        relation, document = SANDBOX_RELATION.c, SANDBOX_DOCUMENT.c
        dependent = (
            select(relation.uuid)
            .join(SANDBOX_DOCUMENT, document.uuid == relation.uuid)
            .where(relation.related == uuid, relation.relation != REPLACEMENT, document.state == IN_FORCE)
            .limit(1)
        )
        with self._database.read() as connection:
            return connection.execute(dependent).first() is not None


def _row(document: Filed, origin: str) -> dict[str, Any]:
    return {
        "uuid": document.uuid,
        "version": document.version,
        "kind": document.kind,
        "issuer_rfc": document.issuer_rfc,
        "receiver_rfc": document.receiver_rfc,
        "total": document.total,
        "total_mxn": str(document.total_mxn),
        "seal_tail": document.seal_tail,
        "issued_at": document.issued_at,
        "state": IN_FORCE,
        "cancellation": "",
        "origin": origin,
    }


def needs_no_acceptance(row: Any, now: datetime) -> bool:
    """RMF 2.7.1.35, as far as the document tells: kind, receiver, total in pesos, age.

    Not told by it and so not judged: issuers of the financial system or the Federation.
    """
    if row.kind in FREE_KINDS or row.receiver_rfc in GENERIC:
        return True
    if row.kind != "P" and Decimal(row.total_mxn) <= SMALL_TOTAL:
        return True
    return now < end_of_next_working_day(row.issued_at)


def _matches(query: StatusQuery, row: Any) -> bool:
    """RFCs as written, the total as a number, the end of the seal where the query carries one."""
    asked = money.parse(query.total)
    if asked is None or asked != money.parse(row.total):
        return False
    same = (query.issuer_rfc, query.receiver_rfc) == (row.issuer_rfc, row.receiver_rfc)
    return same and query.seal_tail in ("", row.seal_tail)
