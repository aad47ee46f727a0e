"""CfdiConsultaRelacionadosService: the related CFDI of one CFDI, for its issuer or receiver."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from xml.sax.saxutils import escape

from lxml import etree

from timbra.cfdi.cancelacion.reading import CANCELACFD, tag
from timbra.cfdi.cancelacion.relations import NAME, read_relations_request
from timbra.cfdi.rfc import is_rfc
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.errors import ServiceError
from timbra.core.soap import envelope
from timbra.emulator.services.acceptance import require_token
from timbra.emulator.services.reception import Authorize
from timbra.emulator.signed_requests import is_signed, verify_embedded
from timbra.emulator.simulated_sat import SimulatedSat
from timbra.emulator.soap import SoapEndpoint, SoapFault, SoapOperation, SoapRequest
from timbra.sat.port import CfdiParties, Relations

ACTION = f"{CANCELACFD}/ICfdiConsultaRelacionadosService/ProcesarRespuesta"
FOUND, NONE, NOT_A_PARTY, OTHER_CERTIFICATE, BAD_REQUEST, UNSIGNED = "2000", "2001", "2002", "1003", "301", "302"
TEXTS = {
    FOUND: "Se encontraron CFDI relacionados",
    NONE: "No Existen cfdi relacionados al folio fiscal",
    NOT_A_PARTY: "Error: El RFC no corresponde al UUID consultado.",
    UNSIGNED: "Error: No se cuenta con al menos una firma en el documento.",
}


@dataclass(frozen=True, slots=True)
class RelationsEndpoint:
    """The service over the relations of the ledger.

    Attributes:
        authorize: Verifies tokens of the cancellation.
    """

    sat: SimulatedSat
    authorize: Authorize

    def endpoint(self) -> SoapEndpoint:
        return SoapEndpoint(SoapOperation(ACTION, tag("ProcesarRespuesta"), self._query))

    def _query(self, request: SoapRequest) -> bytes:
        require_token(self.authorize, request)
        document = request.body.find(tag(NAME))
        if document is None:
            raise SoapFault("Client", f"Falta {NAME}.")
        rfc = document.get("RfcReceptor") or document.get("RfcEmisor") or ""
        uuid = document.get("Uuid") or document.get("UUID") or ""
        try:
            code, text, relations = self._result(document, rfc, uuid)
        except ServiceError as error:
            raise SoapFault("InternalServiceFault", error.detail or error.code) from error
        result = f"WS Consulta CFDI relacionados RfcReceptor: {rfc} - UUID: {uuid} - Clave: {code} - {text}"
        return envelope(
            f'<ProcesarRespuestaResponse xmlns="{CANCELACFD}"><ProcesarRespuestaResult>'
            f"<Resultado>{escape(result)}</Resultado><UuidConsultado>{escape(uuid)}</UuidConsultado>"
            f"<UuidsRelacionadosHijos>{_parties('UuidRelacionado', relations.children)}</UuidsRelacionadosHijos>"
            f"<UuidsRelacionadosPadres>{_parties('UuidPadre', relations.parents)}</UuidsRelacionadosPadres>"
            "</ProcesarRespuestaResult></ProcesarRespuestaResponse>"
        )

    def _result(self, document: etree._Element, rfc: str, uuid: str) -> tuple[str, str, Relations]:
        nothing = Relations((), ())
        for is_wrong, text in (
            (not rfc, "Error: Falta el RFC del receptor."),
            (not is_rfc(rfc), "Error: El RFC está mal formado."),
            (canonical_uuid(uuid) is None, "Error: El UUID está mal formado."),
        ):
            if is_wrong:
                return BAD_REQUEST, text, nothing
        signed = verify_embedded(document) if is_signed(document) else None
        if signed is None:
            return UNSIGNED, TEXTS[UNSIGNED], nothing
        certificate = signed.certificate
        if certificate.rfc != rfc or self.sat.trust.issuer_of(certificate) is None:
            text = (
                f"Error: Los datos del certificado no son correctos [Rfc: {rfc} <=> Certificado.Rfc: "
                f"{certificate.rfc} <=> Certificado.RfcRepresentanteLegal: {certificate.representative_rfc}]"
            )
            return OTHER_CERTIFICATE, text, nothing
        found = self.sat.cancellations.relations(read_relations_request(signed.content), signed.content)
        if found is None:
            return NOT_A_PARTY, TEXTS[NOT_A_PARTY], nothing
        code = FOUND if found.parents or found.children else NONE
        return code, TEXTS[code], found


def _parties(name: str, related: Iterable[CfdiParties]) -> str:
    return "".join(
        f"<{name}><Uuid>{cfdi.uuid.upper()}</Uuid><RfcEmisor>{escape(cfdi.issuer_rfc)}</RfcEmisor>"
        f"<RfcReceptor>{escape(cfdi.receiver_rfc)}</RfcReceptor></{name}>"
        for cfdi in related
    )
