"""The simulated authority's shelves: which CFDI exist and which name which; stamps of this server come unasked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from timbra.authority.sandbox.cancellation import Dependent, State
from timbra.authority.sandbox.filed import Filed, filed_stamp
from timbra.cfdi.document import DocumentParser
from timbra.store.database import Database
from timbra.store.port import StampStore
from timbra.store.tables.sandbox import SANDBOX_DOCUMENT, SANDBOX_RELATION
from timbra.store.tables.stamps import OUTBOX

FILED_AT_ONCE = 64
DOCUMENT, RELATION = SANDBOX_DOCUMENT.c, SANDBOX_RELATION.c


class Filing:
    """Rows of `sandbox_document` and `sandbox_relation`; whoever moves a state does it with `Proceedings`."""

    def __init__(self, database: Database, stamps: StampStore, parser: DocumentParser) -> None:
        self._database = database
        self._stamps = stamps
        self._parser = parser

    def find(self, uuid: str) -> Row[Any] | None:
        with self._database.read() as connection:
            return connection.execute(select(SANDBOX_DOCUMENT).where(DOCUMENT.uuid == uuid)).first()

    def known(self, uuid: str) -> Row[Any] | None:
        """As `find`; a stamp that has not been delivered yet is filed first."""
        return self.find(uuid) or (self.find(uuid) if self.file_stamps([uuid]) else None)

    def file_stamps(self, uuids: Sequence[str]) -> int:
        """How many of the folios are stamps of this server; they are filed now."""
        documents = [filed_stamp(record, self._parser) for record in self._stamps.by_uuids(uuids)]
        if documents:
            with self._database.write() as connection:
                self.insert(connection, documents, "delivered")
        return len(documents)

    def catch_up(self) -> None:
        """Files what was stamped and waits for delivery: who names whom must be known before it is judged.

        One look at the outbox when nothing waits.
        """
        filed = select(DOCUMENT.uuid).where(DOCUMENT.uuid == OUTBOX.c.subject).exists()
        waiting = select(OUTBOX.c.subject).where(OUTBOX.c.kind == "stamp", ~filed).limit(FILED_AT_ONCE)
        while True:
            with self._database.read() as connection:
                uuids = list(connection.execute(waiting).scalars())
            if not uuids or self.file_stamps(uuids) < len(uuids):
                return

    def insert(self, connection: Connection, documents: Sequence[Filed], origin: str) -> set[str]:
        """The folios that were new; what is on file already stays as it is, with its relations."""
        rows = [_row(document, origin) for document in documents]
        statement = self._database.insert(SANDBOX_DOCUMENT).on_conflict_do_nothing()
        new = set(connection.execute(statement.returning(DOCUMENT.uuid), rows).scalars())
        relations = [
            {"uuid": document.uuid, "related": related, "relation": relation}
            for document in documents
            if document.uuid in new
            for related, relation in sorted(document.relations)
        ]
        if relations:
            connection.execute(self._database.insert(SANDBOX_RELATION).on_conflict_do_nothing(), relations)
        return new


def locked(connection: Connection, uuids: Collection[str]) -> dict[str, Row[Any]]:
    """The documents by folio, held until the transaction ends; always taken in one order, so that nobody deadlocks."""
    rows = select(SANDBOX_DOCUMENT).where(DOCUMENT.uuid.in_(sorted(uuids))).order_by(DOCUMENT.uuid)
    return {row.uuid: row for row in connection.execute(rows.with_for_update())}


def dependents(connection: Connection, uuid: str) -> tuple[Dependent, ...]:
    """The documents in force that name this one, once for each relation."""
    naming = (
        select(DOCUMENT.uuid, RELATION.relation, DOCUMENT.issuer_rfc, DOCUMENT.issued_at)
        .join(SANDBOX_DOCUMENT, DOCUMENT.uuid == RELATION.uuid)
        .where(RELATION.related == uuid, RELATION.uuid != uuid, DOCUMENT.state == State.IN_FORCE.status)
    )
    return tuple(Dependent(*row) for row in connection.execute(naming))


def children(connection: Connection, uuid: str) -> Iterable[Row[Any]]:
    """The documents that name this one, oldest first; `uuid`, `issuer_rfc`, `receiver_rfc`."""
    named = select(RELATION.uuid).where(RELATION.related == uuid, RELATION.uuid != uuid)
    columns = select(DOCUMENT.uuid, DOCUMENT.issuer_rfc, DOCUMENT.receiver_rfc)
    return connection.execute(columns.where(DOCUMENT.uuid.in_(named)).order_by(DOCUMENT.issued_at, DOCUMENT.uuid))


def parents(connection: Connection, uuid: str) -> Iterable[Row[Any]]:
    """The documents that this one names, by folio; as `children`, with RFCs that are None where nothing is on file."""
    columns = select(RELATION.related.label("uuid"), DOCUMENT.issuer_rfc, DOCUMENT.receiver_rfc).distinct()
    joined = columns.join(SANDBOX_DOCUMENT, DOCUMENT.uuid == RELATION.related, isouter=True)
    return connection.execute(joined.where(RELATION.uuid == uuid, RELATION.related != uuid).order_by(RELATION.related))


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
        "state": State.IN_FORCE.status,
        "cancellation": State.IN_FORCE.cancellation,
        "origin": origin,
        "year": document.year,
        "fuel": document.fuel,
    }
