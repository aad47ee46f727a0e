"""The ledger of the simulated authority: import, inspection and history of CFDI, and their status over SOAP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from timbra.authority.port import FiscalStatus, StatusQuery
from timbra.authority.sandbox.cancellation.state_machine import cancelable
from timbra.authority.sandbox.cancellation.workflow import KIND
from timbra.authority.sandbox.ledger.ledger import SandboxLedger
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.errors import ServiceError
from timbra.store.events.event_log import Event
from timbra.store.sandbox.models import DocumentRow


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """One step of a cancellation.

    Attributes:
        step: `cancelled`, `requested`, `accepted`, `rejected`, `expired` or `ineffective`.
        details: `motivo`, `foliosustitucion`, `from`, `to` and `reason`, as far as they apply.
    """

    step: str
    fiscal_at: datetime
    request_id: str
    details: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A CFDI of the ledger at a fiscal instant.

    Attributes:
        cancelable: EsCancelable.
        parents: folios of the CFDI that it refers to.
        children: folios of the CFDI that refer to it.
    """

    document: DocumentRow
    cancelable: str
    parents: Sequence[str]
    children: Sequence[str]
    history: Sequence[Event]


class LedgerService:
    """Reads and extends the ledger."""

    def __init__(self, ledger: SandboxLedger) -> None:
        self._ledger = ledger

    def import_document(self, xml: bytes) -> tuple[str, bool]:
        """Import a CFDI that was stamped by another provider, as in force.

        Returns:
            Its folio, and whether it was new.

        Raises:
            ServiceError: `301` when it is not XML; `document-invalid` when it is not a CFDI with one stamp.
        """
        return self._ledger.import_document(xml)

    def history(self, folio: str) -> Sequence[HistoryStep]:
        """Return the steps of the cancellation of a CFDI, in the order of fiscal time.

        Raises:
            ServiceError: "document-unknown".
        """
        return [
            HistoryStep(event.kind.removeprefix(KIND), event.fiscal_at, event.request_id, event.body)
            for event in self._ledger.history(folio)
        ]

    def status(self, query: StatusQuery) -> FiscalStatus:
        """Return the answer of ConsultaCFDI.

        Raises:
            ServiceError: "authority-down" while that fault is active.
        """
        return self._ledger.status(query)

    def settle(self) -> int:
        """Apply the outcomes that are due and return how many cancellation requests ended."""
        return self._ledger.settle()

    def inspect(self, folio: str) -> LedgerEntry:
        """Return a CFDI of the ledger; active faults do not apply.

        Raises:
            ServiceError: "document-unknown".
        """
        ledger, uuid = self._ledger, canonical_uuid(folio)
        now = ledger.synchronize()
        document = None if uuid is None else ledger.indexer.find_or_index(uuid)
        if document is None:
            raise ServiceError("document-unknown", "La autoridad simulada no tiene ese CFDI.")
        with ledger.store.read() as transaction:
            return LedgerEntry(
                document=document,
                cancelable=cancelable(ledger.case(transaction, document, now)),
                parents=[other.uuid for other in transaction.documents.parents(document.uuid)],
                children=[other.uuid for other in transaction.documents.children(document.uuid)],
                history=ledger.workflow.history(document.uuid),
            )
