"""The services of retenciones: reception by REST, and the public page of verification.

The content of the SAT's acuse of reception is not public; it is answered as that of a CFDI.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from timbra.authority.emulator.acuses import Reception
from timbra.authority.emulator.faults import ScriptedFaults
from timbra.authority.emulator.received_documents import Announcement, DeliveryError, ReceivedDocuments
from timbra.authority.emulator.services.reception import Authorize
from timbra.authority.emulator.simulated_sat import SimulatedSat
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.store.sandbox.models import DocumentRow

SCHEMA_VERSIONS = ("2.0", "1.0")
NOT_FOUND = "No se encontró el comprobante"


@dataclass(frozen=True, slots=True)
class RetencionesReception:
    """Reception of one document in a form.

    Attributes:
        documents: Receives documents.
        authorize: Verifies tokens of the reception of retenciones.
    """

    documents: ReceivedDocuments
    authorize: Authorize

    def receive(
        self, authorization: str, schema_version: str, name: str, xml: bytes, faults: ScriptedFaults
    ) -> Reception:
        """Receive a document.

        Args:
            authorization: The HTTP header Authorization.
            schema_version: The parameter `versionEsquema`.
            name: The file name of the part: the UUID with `.xml`.
            xml: The content of the part.
            faults: The scripted faults of the request.

        Raises:
            AccessTokenError: The token is not valid.
        """
        provider = self.authorize(authorization, faults)
        announced = Announcement(name.removesuffix(".xml"), version=schema_version, retenciones=True)
        try:
            return self.documents.receive(provider, announced, xml, faults)
        except DeliveryError as error:
            return self.documents.result(provider.rfc, announced, error.incidencia.code, [error.incidencia])


def verification_page(sat: SimulatedSat, folio: str, issuer_rfc: str, receiver_rfc: str) -> str:
    """Return the page about a retención; only matching RFCs show its state.

    Args:
        sat: The simulated SAT.
        folio: The UUID, in any letter case.
        issuer_rfc: RFC of the issuer.
        receiver_rfc: RFC of the receiver.
    """
    row = _find(sat, folio, issuer_rfc, receiver_rfc)
    if row is None:
        return _page(f"<p>{NOT_FOUND}.</p>")
    fields = (
        ("Folio fiscal", "tdFolio", row.uuid.upper()),
        ("RFC emisor", "tdRfcEmisor", row.issuer_rfc),
        ("RFC receptor", "tdRfcReceptor", row.receiver_rfc),
        ("Total", "tdTotal", row.total),
        ("Estado", "tdEstado", row.state),
    )
    rows = "".join(f'<tr><th>{label}</th><td id="{name}">{escape(text)}</td></tr>' for label, name, text in fields)
    return _page(f"<table>{rows}</table>")


def _find(sat: SimulatedSat, folio: str, issuer_rfc: str, receiver_rfc: str) -> DocumentRow | None:
    uuid = canonical_uuid(folio.strip())
    sat.ledger.synchronize()
    row = None if uuid is None else sat.ledger.indexer.find_or_index(uuid)
    parties = (issuer_rfc.strip().upper(), receiver_rfc.strip().upper())
    return row if row is not None and row.kind == "R" and (row.issuer_rfc, row.receiver_rfc) == parties else None


def _page(content: str) -> str:
    return (
        '<!DOCTYPE html><html lang="es"><head><meta charset="utf-8"><title>Verificación de retenciones (emulador)'
        f"</title></head><body><h1>Verificación de retenciones</h1>{content}</body></html>"
    )
