"""Repository of the CFDI that the simulated authority has indexed, and of the relations between them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, fields
from operator import attrgetter
from typing import Any, TypeAlias

from sqlalchemy import Column, Connection, Exists, select, text, update

from timbra.database.batches import parts_of
from timbra.database.database import Database
from timbra.database.membership import pairs_in, rows_in
from timbra.database.tables.column_types import to_microseconds
from timbra.database.tables.stamps import EVENT, OUTBOX, STAMP
from timbra.delivery.consumer import unread_stamps_behind
from timbra.sandbox.store.models import RETENCION, DependentRow, DocumentRow, RelatedDocumentRow, RelationRow
from timbra.sandbox.store.tables import SANDBOX_DOCUMENT, SANDBOX_RELATION

StoredValues: TypeAlias = tuple[object, ...]
ROWS_PER_INSERT = 64
DOCUMENT, RELATION = SANDBOX_DOCUMENT.c, SANDBOX_RELATION.c
_FIELDS = tuple(field.name for field in fields(DocumentRow))
_fields_of = attrgetter(*_FIELDS)
_ISSUED_AT = _FIELDS.index("issued_at")
_INSERT_ABSENT = {
    dialect: f"INSERT INTO sandbox_document ({', '.join(_FIELDS)}) VALUES ({', '.join([place] * len(_FIELDS))}) "  # noqa: S608
    "ON CONFLICT DO NOTHING"
    for dialect, place in (("sqlite", "?"), ("postgresql", "%s"))
}


class DocumentRepository:
    """Rows of `sandbox_document` and `sandbox_relation`, in the transaction of `connection`."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection

    def get(self, uuid: str) -> DocumentRow | None:
        """Return the CFDI. The folio is in lower case."""
        row = self._connection.execute(select(SANDBOX_DOCUMENT).where(DOCUMENT.uuid == uuid)).first()
        return None if row is None else _document(row)

    def lock(self, uuids: Collection[str]) -> dict[str, DocumentRow]:
        """Lock the CFDI until the transaction ends and return them by folio.

        Rows are locked in the order of their folios, so that two transactions cannot deadlock.
        """
        query = select(SANDBOX_DOCUMENT).where(DOCUMENT.uuid.in_(sorted(uuids))).order_by(DOCUMENT.uuid)
        return {row.uuid: _document(row) for row in self._connection.execute(query.with_for_update())}

    def types(self, uuids: Collection[str]) -> dict[str, str]:
        """Return TipoDeComprobante of those that are indexed, by folio."""
        return dict(pairs_in(self._connection, DOCUMENT.uuid, DOCUMENT.kind, uuids))

    def lock_stamped(self, uuids: Collection[str]) -> set[str]:
        """Return those of the folios that are stamps of this server, and let no reset remove them meanwhile.

        See `exclude_reset`.
        """
        self.exclude_reset()
        return {row[0] for row in rows_in(self._connection, select(STAMP.c.uuid), STAMP.c.uuid, uuids)}

    def exclude_reset(self) -> None:
        """Let no reset begin until this transaction ends, and wait for one that runs.

        On SQLite the write transaction has that effect; on PostgreSQL it is the lock that an INSERT takes.
        """
        if self._connection.dialect.name == "postgresql":
            self._connection.execute(text(f"LOCK TABLE {SANDBOX_DOCUMENT.name} IN ROW EXCLUSIVE MODE"))

    def insert_absent(self, rows: Sequence[StoredValues]) -> None:
        """Insert the CFDI whose folio is not indexed; cheaper than `insert`, which returns them.

        Args:
            rows: What `stored_values` returned.
        """
        if rows:
            self._connection.exec_driver_sql(_INSERT_ABSENT[self._connection.dialect.name], [*rows])

    def insert(self, rows: Sequence[DocumentRow]) -> set[str]:
        """Insert the CFDI whose folio is not indexed; return the folios that were inserted."""
        statement = self._database.insert(SANDBOX_DOCUMENT).on_conflict_do_nothing().returning(DOCUMENT.uuid)
        inserted: set[str] = set()
        for part in parts_of(rows, ROWS_PER_INSERT):
            inserted.update(self._connection.execute(statement, [_values(row) for row in part]).scalars())
        return inserted

    def insert_relations(self, rows: Sequence[RelationRow]) -> None:
        """Insert relations that do not exist."""
        if rows:
            statement = self._database.insert(SANDBOX_RELATION).on_conflict_do_nothing()
            self._connection.execute(statement, [asdict(row) for row in rows])

    def set_state(self, uuid: str, state: str, cancellation: str) -> None:
        """Set Estado and EstatusCancelacion."""
        statement = update(SANDBOX_DOCUMENT).where(DOCUMENT.uuid == uuid)
        self._connection.execute(statement.values(state=state, cancellation=cancellation))

    def list_unread(self, behind: int, limit: int) -> Sequence[tuple[int, str]]:
        """Return number and folio of stamps whose delivery is not in the outbox and that are not indexed, in order.

        Args:
            behind: The last number of the previous page; 0 for the first page.
            limit: Size of the page.
        """
        query = unread_stamps_behind(self._connection, behind, limit).where(~_is_filed(EVENT.c.subject))
        return [(row[0], row[1]) for row in self._connection.execute(query)]

    def list_waiting(self, after: str, limit: int) -> Sequence[str]:
        """Return folios of the outbox that are not indexed, in order, without dead letters.

        Args:
            after: The last folio of the previous page; empty for the first page.
            limit: Size of the page.
        """
        waiting = (OUTBOX.c.kind == "stamp", ~OUTBOX.c.dead, OUTBOX.c.subject > after, ~_is_filed(OUTBOX.c.subject))
        query = select(OUTBOX.c.subject).where(*waiting).order_by(OUTBOX.c.subject).limit(limit)
        return list(self._connection.execute(query).scalars())

    def dependents(self, uuid: str, state: str, *, retenciones: bool = False) -> tuple[DependentRow, ...]:
        """Return the CFDI with that Estado that name this document, once for each relation.

        Args:
            uuid: The folio, in lower case.
            state: Estado.
            retenciones: Return retenciones instead of CFDI.
        """
        same_register = DOCUMENT.kind == RETENCION if retenciones else DOCUMENT.kind != RETENCION
        naming = (
            select(DOCUMENT.uuid, RELATION.relation, DOCUMENT.issuer_rfc, DOCUMENT.issued_at)
            .join(SANDBOX_DOCUMENT, DOCUMENT.uuid == RELATION.uuid)
            .where(RELATION.related == uuid, RELATION.uuid != uuid, DOCUMENT.state == state, same_register)
        )
        return tuple(DependentRow(*row) for row in self._connection.execute(naming))

    def children(self, uuid: str) -> list[RelatedDocumentRow]:
        """Return the documents that name this one, oldest first."""
        naming = select(RELATION.uuid).where(RELATION.related == uuid, RELATION.uuid != uuid)
        columns = select(DOCUMENT.uuid, DOCUMENT.issuer_rfc, DOCUMENT.receiver_rfc, DOCUMENT.kind)
        ordered = columns.where(DOCUMENT.uuid.in_(naming)).order_by(DOCUMENT.issued_at, DOCUMENT.uuid)
        return [RelatedDocumentRow(*row) for row in self._connection.execute(ordered)]

    def parents(self, uuid: str) -> list[RelatedDocumentRow]:
        """Return the documents that this one names, by folio, including those that are not indexed."""
        columns = select(RELATION.related, DOCUMENT.issuer_rfc, DOCUMENT.receiver_rfc, DOCUMENT.kind).distinct()
        joined = columns.join(SANDBOX_DOCUMENT, DOCUMENT.uuid == RELATION.related, isouter=True)
        ordered = joined.where(RELATION.uuid == uuid, RELATION.related != uuid).order_by(RELATION.related)
        return [RelatedDocumentRow(*(value or "" for value in row)) for row in self._connection.execute(ordered)]


def _is_filed(folio: Column[str]) -> Exists:
    return select(DOCUMENT.uuid).where(DOCUMENT.uuid == folio).exists()


def _values(row: DocumentRow) -> dict[str, object]:
    return dict(zip(_FIELDS, _fields_of(row), strict=True))


def stored_values(row: DocumentRow) -> StoredValues:
    """Return the values of a row as the driver stores them."""
    values = [*_fields_of(row)]
    values[_ISSUED_AT] = to_microseconds(row.issued_at)
    return tuple(values)


def _document(row: Any) -> DocumentRow:
    return DocumentRow(**row._mapping)
