"""The ledger of the simulated authority: import, inspection and history of CFDI, and their status over SOAP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from lxml import etree

from timbra.cfdi.tfd import read_stamps
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.events.event_log import Event
from timbra.sandbox.authority.cancellation.state_machine import Transition, cancelable
from timbra.sandbox.authority.cancellation.workflow import KIND
from timbra.sandbox.authority.ledger.ledger import SandboxLedger
from timbra.sandbox.store.models import DocumentRow
from timbra.sat.port import FOUND, FiscalStatus, StatusQuery


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


@dataclass(frozen=True, slots=True)
class VerifiedDocument:
    """What the verification page shows of a CFDI or retención. Texts are empty for unknown values.

    Attributes:
        issued_at: Fecha or FechaExp, local time.
        stamped_at: FechaTimbrado, local time of central Mexico.
        provider_rfc: the provider (PAC) that stamped it.
        kind: TipoDeComprobante.
        status: Estado, EsCancelable and EstatusCancelacion.
        cancelled_at: instant of the cancellation of a retención, local time of central Mexico.
    """

    uuid: str
    issuer_rfc: str
    issuer_name: str
    receiver_rfc: str
    receiver_name: str
    issued_at: str
    stamped_at: str
    provider_rfc: str
    total: str
    kind: str
    status: FiscalStatus
    cancelled_at: str = ""


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
        """Return the answer of ConsultaCFDI, or of the page for retenciones.

        Raises:
            ServiceError: "authority-down" while that fault is active.
        """
        return self._ledger.status(query)

    def verify(self, query: StatusQuery) -> VerifiedDocument | None:
        """Return what the verification page shows; None unless every value of the query is that of a CFDI.

        Names, Fecha and provider of an imported CFDI are empty, because the authority keeps no imported document.

        Raises:
            ServiceError: "authority-down" while that fault is active.
        """
        status, uuid = self._ledger.status(query), canonical_uuid(query.uuid)
        row = self._ledger.indexer.find(uuid) if uuid is not None and status.code == FOUND else None
        if row is None:
            return None
        xml = self._ledger.stored_document(row.uuid)
        names, stamp, issued_at = ("", ""), None, ""
        if xml is not None:
            root = self._ledger.parse(xml).root
            names, stamp = party_names(root), next(iter(read_stamps(root)), None)
            issued_at = root.get("Fecha") or root.get("FechaExp") or ""
        return VerifiedDocument(
            uuid=row.uuid,
            issuer_rfc=row.issuer_rfc,
            issuer_name=names[0],
            receiver_rfc=row.receiver_rfc,
            receiver_name=names[1],
            issued_at=issued_at,
            stamped_at=to_central_mexico(row.issued_at),
            provider_rfc=stamp.rfc_prov_certif if stamp is not None else "",
            total=row.total,
            kind=row.kind,
            status=status,
            cancelled_at=self._cancelled_at(row.uuid) if query.is_retencion else "",
        )

    def _cancelled_at(self, uuid: str) -> str:
        steps = [
            event for event in self._ledger.workflow.history(uuid) if event.kind == f"{KIND}{Transition.CANCELLED}"
        ]
        return to_central_mexico(steps[-1].fiscal_at) if steps else ""

    def settle(self) -> int:
        """Apply the outcomes that are due and return how many cancellation requests ended."""
        return self._ledger.settle()

    def inspect(self, folio: str) -> LedgerEntry:
        """Return a CFDI of the ledger; active faults do not apply. Raises ServiceError: "document-unknown"."""
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


def party_names(root: etree._Element) -> tuple[str, str]:
    """Return the names of issuer and receiver."""
    issuer, receiver = root.find("{*}Emisor"), root.find("{*}Receptor")
    party = None if receiver is None else next(receiver.iterchildren("{*}Nacional", "{*}Extranjero"), receiver)
    return _first(issuer, "Nombre", "NomDenRazSocE"), _first(party, "Nombre", "NomDenRazSocR")


def _first(node: etree._Element | None, *names: str) -> str:
    return "" if node is None else next(filter(None, map(node.get, names)), "")
