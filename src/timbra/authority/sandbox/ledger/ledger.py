"""The simulated authority's files: which CFDI exist, and what ConsultaCFDI answers about them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from timbra import money
from timbra.authority.port import FiscalStatus, StatusQuery
from timbra.authority.sandbox.cancellation.policy import Policy
from timbra.authority.sandbox.cancellation.state_machine import (
    CancellationCase,
    CancellationState,
    Dependent,
    cancelable,
)
from timbra.authority.sandbox.cancellation.workflow import CancellationWorkflow, state_of
from timbra.authority.sandbox.controls.faults import Faults
from timbra.authority.sandbox.ledger.document_index import index_document
from timbra.authority.sandbox.ledger.indexer import DocumentIndexer, insert_entries
from timbra.cfdi.document import DocumentParser
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.clock import Clock, WallClock
from timbra.errors import ServiceError
from timbra.store.events.event_log import Event
from timbra.store.sandbox.models import DocumentRow
from timbra.store.sandbox.transactions import SandboxStore, SandboxTransaction
from timbra.store.stamps.port import StampStore

FOUND = "S - Comprobante obtenido satisfactoriamente."
MISMATCH = FiscalStatus("No Encontrado", "N - 601: La expresión impresa proporcionada no es válida.", None, "")
MISSING = FiscalStatus("No Encontrado", "N - 602: Comprobante no encontrado.", None, "")
NOT_LISTED = "200"
"""ValidacionEFOS: neither issuer nor receiver is in the list of article 69-B; third parties are not checked."""
DOWN_SECONDS = 5


class SandboxLedger:
    """An `Authority`. What this server stamped is known from the moment of its commit on.

    clock: fiscal time. parser: for documents from elsewhere, with the limits of the settings.
    """

    def __init__(
        self,
        store: SandboxStore,
        stamps: StampStore,
        clock: Clock,
        faults: Faults,
        parser: DocumentParser | None = None,
        policy: Policy | None = None,
        wall: Clock | None = None,
    ) -> None:
        self._parser = parser or DocumentParser()
        self._faults = faults
        self.store = store
        self.clock = clock
        self.policy = policy or Policy()
        self.indexer = DocumentIndexer(store, stamps, self._parser)
        self.workflow = CancellationWorkflow(store, wall or WallClock(), self.policy)

    def status(self, query: StatusQuery) -> FiscalStatus:
        """What ConsultaCFDI answers. ServiceError("authority-down") by the fault of that name."""
        self.require_answer()
        uuid = canonical_uuid(query.uuid)
        if uuid is None:
            return MISMATCH
        now = self.synchronize()
        row = self.indexer.find_or_index(uuid)
        if row is None:
            return MISSING
        if not _matches(query, row):
            return MISMATCH
        with self.store.read() as transaction:
            case = self.case(transaction, row, now)
        return FiscalStatus(row.state, FOUND, cancelable(case), row.cancellation, NOT_LISTED)

    def types_of(self, folios: Collection[str]) -> dict[str, str]:
        """TipoDeComprobante of the filed CFDI among these, by folio. folios: in lower case."""
        with self.store.read() as transaction:
            return transaction.documents.types(folios)

    def history(self, folio: str) -> Sequence[Event]:
        """What happened to a CFDI since it was filed. ServiceError("document-unknown")."""
        uuid = canonical_uuid(folio)
        self.synchronize()
        if uuid is None or self.indexer.find_or_index(uuid) is None:
            raise ServiceError("document-unknown", "La autoridad simulada no tiene ese CFDI.")
        return self.workflow.history(uuid)

    def deliver(self, uuid: str) -> None:
        """Files one stored stamp; repeating is harmless.

        ServiceError("authority-down") by the fault of that name, "document-unknown" when no such stamp is stored.
        """
        self.deliver_all([uuid])

    def deliver_all(self, uuids: Iterable[str]) -> None:
        """Files stored stamps in one transaction, as `deliver` does one."""
        self.require_answer()
        wanted = list(dict.fromkeys(uuid.lower() for uuid in uuids))
        if self.indexer.index_stamps(wanted) < len(wanted):
            raise ServiceError("document-unknown", "Uno de los timbres no está guardado.")

    def import_document(self, xml: bytes) -> tuple[str, bool]:
        """Files a CFDI stamped elsewhere, as in force; its folio, and whether it was new.

        ServiceError("301") when it is no XML, "document-invalid" when it is no CFDI with one stamp.
        """
        entry = index_document(self._parser.parse(xml))
        with self.store.write() as transaction:
            return entry.uuid, bool(insert_entries(transaction, [entry], "imported"))

    def settle(self) -> int:
        """For the periodic task: what fell due by now happens; how many requests that ended."""
        return self.workflow.settle(self.clock.now())

    def synchronize(self) -> datetime:
        """Lets happen what is due, files what waits; the fiscal instant that the files now stand at."""
        now = self.clock.now()
        self.indexer.index_pending()
        self.workflow.settle(now)
        return now

    def case(self, transaction: SandboxTransaction, row: DocumentRow, now: datetime) -> CancellationCase:
        """Return the state of a document that decides about its cancellation."""
        dependents = transaction.documents.dependents(row.uuid, CancellationState.IN_FORCE.status)
        return CancellationCase(
            state=state_of(row),
            issuer_rfc=row.issuer_rfc,
            freely=self.policy.needs_no_acceptance(row, now),
            closes_at=self.policy.closes_at(row.issuer_rfc, row.year),
            dependents=tuple(
                Dependent(other.uuid, other.relation, other.issuer_rfc, other.issued_at) for other in dependents
            ),
        )

    def require_answer(self) -> None:
        """ServiceError("authority-down") by the fault of that name."""
        if self._faults.take("authority-down") is not None:
            raise ServiceError("authority-down", retry_after=DOWN_SECONDS)


def _matches(query: StatusQuery, row: DocumentRow) -> bool:
    """RFCs as written, the total as a number, the end of the seal where the query carries one."""
    total = money.parse(query.total)
    if total is None or total != money.parse(row.total):
        return False
    same = (query.issuer_rfc, query.receiver_rfc) == (row.issuer_rfc, row.receiver_rfc)
    return same and query.seal_tail in ("", row.seal_tail)
