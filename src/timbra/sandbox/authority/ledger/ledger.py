"""The ledger of the simulated authority: the CFDI that exist, and the response of ConsultaCFDI about them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from timbra.cfdi.document import Document, DocumentParser
from timbra.cfdi.rfc import FOREIGN
from timbra.cfdi.third_parties import MARKERS, third_parties
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core import money
from timbra.core.clock import Clock, WallClock
from timbra.core.errors import ServiceError
from timbra.delivery.deliveries import AuthorityOutbox
from timbra.events.event_log import Event
from timbra.sandbox.authority.cancellation.policy import Policy
from timbra.sandbox.authority.cancellation.state_machine import (
    CancellationCase,
    CancellationState,
    Dependent,
    cancelable,
)
from timbra.sandbox.authority.cancellation.workflow import CancellationWorkflow, state_of
from timbra.sandbox.authority.ledger.document_index import index_document
from timbra.sandbox.authority.ledger.efos import validacion_efos
from timbra.sandbox.authority.ledger.indexer import DocumentIndexer, insert_entries
from timbra.sandbox.faults import Faults
from timbra.sandbox.store.models import RETENCION, DocumentRow
from timbra.sandbox.store.transactions import SandboxStore, SandboxTransaction
from timbra.sat.port import FOUND, MISSING, FiscalStatus, StatusQuery
from timbra.stamps.port import DamagedStamp, StampStore

INVALID_EXPRESSION = FiscalStatus(
    "No Encontrado", "N - 601: La expresión impresa proporcionada no es válida.", None, ""
)
DOWN_SECONDS = 5


class SandboxLedger:
    """An `Authority` that has every stamp of this server from its commit on."""

    def __init__(
        self,
        store: SandboxStore,
        stamps: StampStore,
        clock: Clock,
        faults: Faults,
        parser: DocumentParser | None = None,
        policy: Policy | None = None,
        wall: Clock | None = None,
        is_definitive: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """Open the ledger of a store.

        Args:
            store: The tables of the simulated authority.
            stamps: The stamps of this server.
            clock: Fiscal time.
            parser: Parses imported documents, with the limits of the settings.
            wall: The clock that dates events.
            is_definitive: Whether an RFC is in the definitive list of article 69-B.
        """
        self._is_definitive = is_definitive
        self._stamps = stamps
        self._parser = parser or DocumentParser()
        self._faults = faults
        self.store = store
        self.clock = clock
        self.policy = policy or Policy()
        self.indexer = DocumentIndexer(store, stamps, self._parser)
        self.workflow = CancellationWorkflow(store, wall or WallClock(), self.policy)

    def status(self, query: StatusQuery) -> FiscalStatus:
        """Return the response of ConsultaCFDI, or what the SAT's page says about a retención.

        A query without total or folio is 601. Values that match no document are 602, also a malformed folio and a
        wrong total: the service does not tell them apart. A query for a retención needs no total.

        A CFDI is not found by a query for a retención, nor the other way round. A retención has no EsCancelable and no
        EstatusCancelacion.

        Raises:
            ServiceError: "authority-down" while the fault of that name is active.
        """
        self.require_answer()
        if not query.uuid or not (query.total or query.is_retencion):
            return INVALID_EXPRESSION
        uuid = canonical_uuid(query.uuid)
        if uuid is None:
            return MISSING
        now = self.synchronize()
        row = self.indexer.find_or_index(uuid)
        if row is None or (row.kind == RETENCION) is not query.is_retencion:
            return MISSING
        if not (self._matches_retencion if query.is_retencion else _matches)(query, row):
            return MISSING
        if query.is_retencion:
            efos = validacion_efos(row.issuer_rfc, (), self._is_definitive)
            return FiscalStatus(row.state, FOUND, None, "", efos)
        with self.store.read() as transaction:
            case = self.case(transaction, row, now)
        efos = validacion_efos(row.issuer_rfc, self._third_parties(uuid), self._is_definitive)
        return FiscalStatus(row.state, FOUND, cancelable(case), row.cancellation, efos)

    def _matches_retencion(self, query: StatusQuery, row: DocumentRow) -> bool:
        """Compare as `_matches`; a query without total is compared by the parties."""
        receiver = query.receiver_rfc
        if row.receiver_rfc == FOREIGN and receiver == self._receiver_tax_id(row.uuid):
            receiver = FOREIGN
        return _matches(replace(query, receiver_rfc=receiver, total=query.total or row.total), row)

    def _receiver_tax_id(self, uuid: str) -> str | None:
        """Return NumRegIdTribR of a retención that this server stamped; None for an imported one."""
        xml = self.stored_document(uuid)
        node = None if xml is None else self._parser.parse(xml).root.find("{*}Receptor/{*}Extranjero")
        return None if node is None else node.get("NumRegIdTribR") or ""

    def stored_document(self, uuid: str) -> bytes | None:
        """Return the XML of a CFDI that this server stamped; None for an imported CFDI. The folio is in lower case."""
        for found in self._stamps.by_uuids([uuid]):
            if isinstance(found, DamagedStamp):
                raise found.error
            return found.cfdi
        return None

    def parse(self, xml: bytes) -> Document:
        return self._parser.parse(xml)

    def _third_parties(self, uuid: str) -> set[str]:
        """Return the third parties of a CFDI that this server stamped; none for an imported CFDI."""
        xml = self.stored_document(uuid)
        if xml is None or not any(marker in xml for marker in MARKERS):
            return set()
        return {rfc for rfc, _ in third_parties(self._parser.parse(xml).root)}

    def types_of(self, folios: Collection[str]) -> dict[str, str]:
        """Return TipoDeComprobante of the indexed CFDI among these, by folio. The folios are in lower case."""
        with self.store.read() as transaction:
            return transaction.documents.types(folios)

    def history(self, folio: str) -> Sequence[Event]:
        """Return the cancellation events of a CFDI.

        Args:
            folio: Its UUID, in any letter case.

        Raises:
            ServiceError: "document-unknown" when the authority does not have the CFDI.
        """
        uuid = canonical_uuid(folio)
        self.synchronize()
        if uuid is None or self.indexer.find_or_index(uuid) is None:
            raise ServiceError("document-unknown", "La autoridad simulada no tiene ese CFDI.")
        return self.workflow.history(uuid)

    def deliver(self, uuid: str) -> None:
        """Index one stored stamp; the call is idempotent.

        Raises:
            ServiceError: "authority-down" while the fault of that name is active; "document-unknown" when no such
                stamp is stored.
        """
        self.deliver_all([uuid])

    def deliver_all(self, uuids: Iterable[str]) -> None:
        """Index stored stamps in one transaction; raises what `deliver` raises."""
        self.require_answer()
        folios = list(dict.fromkeys(uuid.lower() for uuid in uuids))
        if self.indexer.index_stamps(folios) < len(folios):
            raise ServiceError("document-unknown", "Uno de los timbres no está guardado.")

    def deliver_due(self, outbox: AuthorityOutbox, limit: int) -> int:
        """Index stamps that are due for delivery, and end their deliveries, in one transaction: all or none.

        Args:
            outbox: The deliveries, in the same database.
            limit: Maximum number of stamps.

        Returns:
            The number of stamps that were due.

        Raises:
            ServiceError: what `deliver` raises; no delivery has changed then.
        """
        folios = outbox.due_stamps(limit)
        if folios:
            self.require_answer()
            self.indexer.deliver_due(outbox, folios)
        return len(folios)

    def import_document(self, xml: bytes) -> tuple[str, bool]:
        """Index a CFDI that another provider stamped, as in force.

        Returns:
            Its folio, and whether it was new.

        Raises:
            ServiceError: "301" when `xml` is not XML; "document-invalid" when it is not a CFDI with one stamp.
        """
        entry = index_document(self._parser.parse(xml))
        with self.store.write() as transaction:
            return entry.uuid, bool(insert_entries(transaction, [entry], "imported"))

    def settle(self) -> int:
        """Apply the due outcomes of cancellation requests, for a periodic job; return the number of completed ones."""
        return self.workflow.settle(self.clock.now())

    def synchronize(self) -> datetime:
        """Index undelivered stamps and apply due outcomes; return the fiscal instant of the resulting state."""
        now = self.clock.now()
        self.indexer.index_pending()
        self.workflow.settle(now)
        return now

    def case(self, transaction: SandboxTransaction, row: DocumentRow, now: datetime) -> CancellationCase:
        """Return the facts about a CFDI that decide about its cancellation.

        Args:
            transaction: The transaction in which dependent CFDI are read.
            now: The fiscal instant of the decision.
        """
        dependents = transaction.documents.dependents(
            row.uuid, CancellationState.IN_FORCE.status, retenciones=row.kind == RETENCION
        )
        return CancellationCase(
            state=state_of(row),
            issuer_rfc=row.issuer_rfc,
            freely=self.policy.needs_no_acceptance(row, now),
            closes_at=self.policy.closes_at(row),
            dependents=tuple(
                Dependent(other.uuid, other.relation, other.issuer_rfc, other.issued_at) for other in dependents
            ),
        )

    def is_late(self, transaction: SandboxTransaction, row: DocumentRow, now: datetime) -> bool:
        """Whether the fault `delivery-late` hides a CFDI from a cancellation: it was stamped only seconds before."""
        fault = self._faults.choose(self._faults.current(), "delivery-late")
        if fault is None or now - row.issued_at >= timedelta(seconds=fault.seconds):
            return False
        return self._faults.count(fault, transaction) is not None

    def require_answer(self) -> None:
        """Check the fault `authority-down` and count it down.

        Raises:
            ServiceError: "authority-down" while the fault is active.
        """
        if self._faults.take("authority-down") is not None:
            raise ServiceError("authority-down", retry_after=DOWN_SECONDS)


def _matches(query: StatusQuery, row: DocumentRow) -> bool:
    """Compare the RFCs as written, the total as a number, and the end of the seal if the query has one."""
    total = money.parse(query.total)
    if total is None or total != money.parse(row.total):
        return False
    same = (query.issuer_rfc, query.receiver_rfc) == (row.issuer_rfc, row.receiver_rfc)
    return same and query.seal_tail in ("", row.seal_tail)
