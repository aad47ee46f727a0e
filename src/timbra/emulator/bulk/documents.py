"""The documents of the ledger that a request asks for, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, select

from timbra.cfdi.document import DocumentParser
from timbra.cfdi.third_parties import MARKERS, third_parties
from timbra.core.clock import CENTRAL_MEXICO, WHOLE_SECONDS, to_central_mexico
from timbra.database.damaged_values import FOUND
from timbra.database.database import Database
from timbra.database.engines import without_statement_timeout
from timbra.database.tables.accounts import ACCOUNT
from timbra.database.tables.stamps import EVENT, IS_CANCELLATION, STAMP
from timbra.emulator.bulk.complements import has_complement
from timbra.emulator.bulk.contract import DocumentRegister, PackageType
from timbra.emulator.bulk.criteria import IN_FORCE, DownloadCriteria
from timbra.events.exclusive import read_one_instant
from timbra.sandbox.authority.cancellation.state_machine import Transition
from timbra.sandbox.authority.cancellation.workflow import KIND
from timbra.sandbox.authority.ledger.ledger import SandboxLedger
from timbra.sandbox.store.models import RETENCION, DocumentRow
from timbra.sandbox.store.tables import SANDBOX_DOCUMENT

ROWS_READ = 500
IMPORTED = "imported"
BEFORE, AFTER = timedelta(days=2), timedelta(days=5)
"""Between Fecha and FechaTimbrado are at most 72 hours; zones and corrected clocks are added."""
S, D = STAMP.c, SANDBOX_DOCUMENT.c
_ENDS = [f"{KIND}{step}" for step in (Transition.CANCELLED, Transition.ACCEPTED, Transition.EXPIRED)]


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document of a request.

    Attributes:
        uuid: The folio, in lower case.
        kind: TipoDeComprobante; `R` of a retención.
        fecha: Fecha or FechaExp, local time, without zone.
        stamped_at: FechaTimbrado.
        is_cancelled: Whether it is cancelled; a pending cancellation does not count.
        cancelled_at: The fiscal instant of the cancellation.
        xml: The whole document; empty when the simulated SAT does not have it.
    """

    uuid: str
    kind: str
    issuer_rfc: str
    receiver_rfc: str
    fecha: str
    total: str
    stamped_at: datetime
    is_cancelled: bool
    cancelled_at: datetime | None
    xml: bytes = field(repr=False)


class DownloadDocuments:
    """Reads the documents that were stamped in the sandbox, and those that other providers delivered to it."""

    def __init__(
        self, database: Database, ledger: SandboxLedger, received_xml: Callable[[str], bytes | None] = lambda _: None
    ) -> None:
        """Read documents.

        Args:
            database: The database of the ledger.
            ledger: The ledger.
            received_xml: Returns the XML of a document that another provider delivered, by its folio in lower case.
        """
        self._database = database
        self._ledger = ledger
        self._received_xml = received_xml
        self._parser = DocumentParser()

    def count(self, criteria: DownloadCriteria, register: DocumentRegister) -> int:
        """Return how many documents there are at most: conditions that need the XML are not counted."""
        with self._database.read() as connection, without_statement_timeout(connection):
            queries = (_documents(criteria, register), _received(criteria, register))
            return sum(int(connection.execute(query.with_only_columns(func.count())).scalar_one()) for query in queries)

    def folio(self, uuid: str, register: DocumentRegister) -> DocumentRow | None:
        """Return a document of the register by its folio, in lower case."""
        self._ledger.synchronize()
        row = self._ledger.indexer.find_or_index(uuid)
        is_retencion = register is DocumentRegister.RETENCIONES
        return row if row is not None and (row.kind == RETENCION) is is_retencion else None

    def find(self, criteria: DownloadCriteria, register: DocumentRegister) -> Generator[FoundDocument]:
        """Yield the documents, as they are at one instant; few are in memory at once.

        Those of other providers follow. When their XML was not delivered to the emulator, their Fecha is FechaTimbrado,
        and only metadata has them.

        A damaged document is in metadata only.

        Raises:
            ServiceError: "CO1000" when the database is out of reach.
        """
        self._ledger.synchronize()
        with self._database.read() as connection, without_statement_timeout(connection):
            read_one_instant(connection)
            # Without an order: SQLite would sort in memory, with the documents.
            query = _documents(criteria, register)
            rows = connection.execute(query.execution_options(yield_per=ROWS_READ))
            for part in rows.partitions(ROWS_READ):
                yield from self._found(connection, part, criteria)
            received = connection.execute(_received(criteria, register).order_by(D.issued_at, D.uuid)).all()
            instants = _cancellation_instants(connection, [row.uuid for row in received if row.state != IN_FORCE])
            for row in received:
                yield from self._of_other_provider(row, instants.get(row.uuid), criteria)

    def _of_other_provider(
        self, row: Row[Any], cancelled_at: datetime | None, criteria: DownloadCriteria
    ) -> Iterator[FoundDocument]:
        xml = self._received_xml(row.uuid) or b""
        if not xml and not _needs_no_xml(criteria):
            return
        root = self._parser.parse(xml).root if xml else None
        written = None if root is None else root.get("Fecha") or root.get("FechaExp") or root.get("fecha")
        fecha = (written or to_central_mexico(row.issued_at))[:WHOLE_SECONDS]
        is_inside = bool(criteria.uuid) or criteria.since <= fecha <= criteria.until
        if is_inside and (not xml or self._has_content(xml, criteria)):
            yield FoundDocument(
                row.uuid,
                row.kind,
                row.issuer_rfc,
                row.receiver_rfc,
                fecha,
                row.total,
                row.issued_at,
                row.state != IN_FORCE,
                cancelled_at,
                xml,
            )

    def _found(
        self, connection: Connection, rows: Sequence[Row[Any]], criteria: DownloadCriteria
    ) -> Iterator[FoundDocument]:
        cancelled = [row.uuid for row in rows if row.state != IN_FORCE]
        instants = _cancellation_instants(connection, cancelled)
        for row in rows:
            try:
                xml = self._database.document(row.cfdi)
            except ValueError:
                FOUND.tell("document")
                xml = b""
            if self._has_content(xml, criteria) if xml else _needs_no_xml(criteria):
                yield FoundDocument(
                    row.uuid,
                    row.kind,
                    row.issuer_rfc,
                    row.receiver_rfc,
                    row.fecha[:19],
                    row.total,
                    row.stamped_at,
                    row.state != IN_FORCE,
                    instants.get(row.uuid),
                    xml,
                )

    def _has_content(self, xml: bytes, criteria: DownloadCriteria) -> bool:
        """Whether a document meets the conditions that need its XML."""
        if criteria.third_party and not any(marker in xml for marker in MARKERS):
            return False
        if not (criteria.third_party or criteria.complement):
            return True
        root = self._parser.parse(xml).root
        return (not criteria.third_party or criteria.third_party in dict(third_parties(root))) and (
            not criteria.complement or has_complement(root, criteria.complement)
        )


def _needs_no_xml(criteria: DownloadCriteria) -> bool:
    is_metadata = criteria.package_type is not PackageType.CFDI
    return is_metadata and not criteria.third_party and not criteria.complement


def _documents(criteria: DownloadCriteria, register: DocumentRegister) -> Any:
    columns = (S.uuid, S.kind, S.issuer_rfc, S.receiver_rfc, S.fecha, S.total, S.stamped_at, S.cfdi, D.state)
    query = select(*columns).join(SANDBOX_DOCUMENT, D.uuid == S.uuid)
    return query.where(*_conditions(criteria, register))


def _conditions(criteria: DownloadCriteria, register: DocumentRegister) -> Iterator[ColumnElement[bool]]:
    is_retencion = register is DocumentRegister.RETENCIONES
    yield S.kind == RETENCION if is_retencion else S.kind != RETENCION
    if criteria.uuid:
        yield S.uuid == criteria.uuid
        return
    # The indexes of stamps begin with the account.
    yield S.account_id.in_(select(ACCOUNT.c.id))
    yield S.stamped_at >= _instant(criteria.since) - BEFORE
    if not is_retencion:
        yield S.stamped_at <= _instant(criteria.until) + AFTER
    yield func.substr(S.fecha, 1, 19).between(criteria.since, criteria.until)
    if criteria.issuer_rfc:
        yield S.issuer_rfc == criteria.issuer_rfc
    if criteria.receiver_rfcs:
        yield S.receiver_rfc.in_(criteria.receiver_rfcs)
    if criteria.kind:
        yield S.kind == criteria.kind
    if criteria.state:
        yield D.state == criteria.state


def _received(criteria: DownloadCriteria, register: DocumentRegister) -> Any:
    """Return the query of documents of other providers; Fecha is in their XML only."""
    is_retencion = register is DocumentRegister.RETENCIONES
    query = select(D.uuid, D.kind, D.issuer_rfc, D.receiver_rfc, D.total, D.issued_at, D.state)
    query = query.where(D.origin == IMPORTED, D.kind == RETENCION if is_retencion else D.kind != RETENCION)
    if criteria.uuid:
        return query.where(D.uuid == criteria.uuid)
    query = query.where(D.issued_at.between(_instant(criteria.since) - BEFORE, _instant(criteria.until) + AFTER))
    if criteria.issuer_rfc:
        query = query.where(D.issuer_rfc == criteria.issuer_rfc)
    if criteria.receiver_rfcs:
        query = query.where(D.receiver_rfc.in_(criteria.receiver_rfcs))
    if criteria.kind:
        query = query.where(D.kind == criteria.kind)
    return query.where(D.state == criteria.state) if criteria.state else query


def _instant(local: str) -> datetime:
    return datetime.fromisoformat(local).replace(tzinfo=CENTRAL_MEXICO)


def _cancellation_instants(connection: Connection, uuids: Sequence[str]) -> dict[str, datetime]:
    """Return the fiscal instant of the cancellation of each document."""
    if not uuids:
        return {}
    query = select(EVENT.c.subject, EVENT.c.fiscal_at).where(
        IS_CANCELLATION, EVENT.c.subject.in_(uuids), EVENT.c.kind.in_(_ENDS)
    )
    return {row.subject: row.fiscal_at for row in connection.execute(query)}
