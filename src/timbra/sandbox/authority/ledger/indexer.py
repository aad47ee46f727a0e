"""Index of the CFDI of the simulated authority; stamps of this server are added without a request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import structlog

from timbra.cfdi.document import DocumentParser
from timbra.core.errors import ServiceError
from timbra.database.batches import run_isolated
from timbra.delivery.deliveries import AuthorityOutbox
from timbra.sandbox.authority.cancellation.state_machine import CancellationState
from timbra.sandbox.authority.ledger.document_index import DocumentIndexEntry, index_stamp
from timbra.sandbox.store.documents import stored_values
from timbra.sandbox.store.models import DocumentRow, RelationRow
from timbra.sandbox.store.transactions import SandboxStore, SandboxTransaction
from timbra.stamps.port import DamagedStamp, StampRecord, StampStore

LOG = structlog.get_logger(__name__)
BATCH_SIZE = 64


class DocumentIndexer:
    """Adds CFDI to the index. `CancellationWorkflow` alone changes the state of an indexed CFDI."""

    def __init__(self, store: SandboxStore, stamps: StampStore, parser: DocumentParser) -> None:
        self._store = store
        self._stamps = stamps
        self._parser = parser

    def find(self, uuid: str) -> DocumentRow | None:
        """Return an indexed CFDI. The folio is in lower case."""
        with self._store.read() as transaction:
            return transaction.documents.get(uuid)

    def find_or_index(self, uuid: str) -> DocumentRow | None:
        """Return an indexed CFDI; index it first when it is a stamp of this server that waits for delivery."""
        return self.find(uuid) or (self.find(uuid) if self.index_stamps([uuid]) else None)

    def index_stamps(self, uuids: Sequence[str]) -> int:
        """Index the stamps of this server among these folios.

        Returns:
            How many of the folios are stamps of this server.

        Raises:
            ServiceError: "CO1000" when a stored document cannot be read.
        """
        entries = self._entries(uuids)
        if entries:
            with self._store.write() as transaction:
                # A reset or restore after the stamps were read may have removed them.
                present = transaction.documents.lock_stamped([entry.uuid for entry in entries])
                insert_entries(transaction, [entry for entry in entries if entry.uuid in present], "delivered")
        return len(entries)

    def deliver_due(self, outbox: AuthorityOutbox, folios: Sequence[str]) -> int:
        """Index stamps of this server and end their deliveries, in one transaction.

        The documents are read, and the rows prepared, before it, so that it has SQLite's write lock for three
        statements only: meanwhile no stamp is committed.

        Args:
            folios: Folios of deliveries that are due.

        Returns:
            How many deliveries this call ended; others do those that are left out.

        Raises:
            ServiceError: "document-unknown" when one of the stamps is not stored; "CO1000" when a stored document
                cannot be read.
        """
        entries = self._entries(folios)
        if len(entries) < len(folios):
            raise ServiceError("document-unknown", "Uno de los timbres no está guardado.")
        documents = {entry.uuid: stored_values(_document_row(entry, "delivered")) for entry in entries}
        relations = {entry.uuid: _relation_rows(entry) for entry in entries if entry.relations}
        with self._store.write(durable=outbox.tells_end) as transaction:
            # A reset or restore after the stamps were read may have removed them, with their deliveries.
            transaction.documents.exclude_reset()
            # In the order of the key, in which neighbours share pages.
            ended = sorted(transaction.end_due_deliveries(outbox, folios))
            transaction.documents.insert_absent([documents[folio] for folio in ended])
            transaction.documents.insert_relations([row for folio in ended for row in relations.get(folio, ())])
        return len(ended)

    def _entries(self, uuids: Sequence[str]) -> list[DocumentIndexEntry]:
        return [self._read(record) for record in self._stamps.by_uuids(uuids)]

    def index_pending(self) -> None:
        """Index every stamp that waits for delivery, so that relations between CFDI are complete.

        Two queries when nothing waits. A stamp that cannot be indexed is logged and skipped; its delivery becomes a
        dead letter.
        """
        for uuids in self._undelivered():
            result = run_isolated(uuids, self.index_stamps)
            if result.interruption is not None:
                raise result.interruption
            for uuid, error in result.failed:
                LOG.error("stored stamp cannot be indexed", uuid=uuid, error=repr(error))

    def _undelivered(self) -> Iterator[Sequence[str]]:
        """Yield pages of folios: of events without a delivery in the order of the log, then of the outbox."""
        rows: Sequence[tuple[int, str]] = ((0, ""),)
        while rows:
            with self._store.read() as transaction:
                rows = transaction.documents.list_unread(rows[-1][0], BATCH_SIZE)
            if rows:
                yield [folio for _, folio in rows]
        folios: Sequence[str] = ("",)
        while folios:
            with self._store.read() as transaction:
                folios = transaction.documents.list_waiting(folios[-1], BATCH_SIZE)
            if folios:
                yield folios

    def _read(self, record: StampRecord | DamagedStamp) -> DocumentIndexEntry:
        try:
            if isinstance(record, DamagedStamp):
                raise record.error
            return index_stamp(record, self._parser)
        except ServiceError as error:
            # A defect of a stored document is a fault of the server, not of the caller.
            raise ServiceError("CO1000", f"El CFDI guardado no se puede leer: {error.detail or error.code}") from error


def insert_entries(transaction: SandboxTransaction, entries: Sequence[DocumentIndexEntry], origin: str) -> set[str]:
    """Insert CFDI as in force, with their relations; existing ones do not change.

    Args:
        transaction: A write transaction.
        entries: The CFDI.
        origin: `delivered` or `imported`.

    Returns:
        The folios that were inserted.
    """
    inserted = transaction.documents.insert([_document_row(entry, origin) for entry in entries])
    transaction.documents.insert_relations(
        [row for entry in entries if entry.uuid in inserted for row in _relation_rows(entry)]
    )
    return inserted


def _relation_rows(entry: DocumentIndexEntry) -> list[RelationRow]:
    return [RelationRow(entry.uuid, related, relation) for related, relation in sorted(entry.relations)]


def _document_row(entry: DocumentIndexEntry, origin: str) -> DocumentRow:
    return DocumentRow(
        uuid=entry.uuid,
        version=entry.version,
        kind=entry.kind,
        issuer_rfc=entry.issuer_rfc,
        receiver_rfc=entry.receiver_rfc,
        total=entry.total,
        total_mxn=str(entry.total_mxn),
        seal_tail=entry.seal_tail,
        issued_at=entry.issued_at,
        state=CancellationState.IN_FORCE.status,
        cancellation=CancellationState.IN_FORCE.cancellation,
        origin=origin,
        year=entry.year,
        fuel=entry.fuel,
    )
