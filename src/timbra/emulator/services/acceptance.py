"""AceptacionRechazoService: pending requests of a receiver, and its signed answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from lxml import etree

from timbra.cfdi.cancelacion.acuse import answer_acuse
from timbra.cfdi.cancelacion.answer import NAME, AcceptReject, ReceiverAnswer, read_answer
from timbra.cfdi.cancelacion.reading import CANCELACFD, MAX_FOLIOS, read_root, tag
from timbra.cfdi.rfc import is_rfc
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.core.soap import envelope
from timbra.emulator.services.cancellation import NO_ORIGIN, RejectedRequestError, result_xml
from timbra.emulator.services.reception import Authorize
from timbra.emulator.signed_requests import certificate_code, verify_embedded
from timbra.emulator.simulated_sat import SimulatedSat
from timbra.emulator.soap import SoapEndpoint, SoapFault, SoapOperation, SoapRequest
from timbra.emulator.tokens import AccessTokenError
from timbra.seals.xml_signatures.ws_security import SECURITY

_SERVICE = f"{CANCELACFD}/IAceptacionRechazoService"
ANSWER_ACTION = f"{_SERVICE}/ProcesarRespuesta"
PENDINGS_ACTION = f"{_SERVICE}/ObtenerPeticionesPendientes"
BAD_SIGNATURE, MALFORMED, UNREADABLE = "300", "301", "305"
PENDINGS_FOUND, NO_PENDINGS, BAD_FOLIO = "1100", "1101", "1005"


@dataclass(frozen=True, slots=True)
class AcceptanceEndpoint:
    """The service over the cancellation service of the sandbox.

    Attributes:
        authorize: Verifies tokens of the cancellation.
    """

    sat: SimulatedSat
    authorize: Authorize

    def endpoint(self) -> SoapEndpoint:
        return SoapEndpoint(
            SoapOperation(ANSWER_ACTION, tag("ProcesarRespuesta"), self._answer),
            SoapOperation(PENDINGS_ACTION, tag("ObtenerPeticionesPendientes"), self._pendings),
        )

    def _pendings(self, request: SoapRequest) -> bytes:
        require_token(self.authorize, request)
        rfc = (request.body.findtext(tag("rfcReceptor")) or "").strip().upper()
        code, folios = self._pending_folios(rfc)
        content = "".join(f"<UUID>{uuid.upper()}</UUID>" for uuid in folios)
        return envelope(
            f'<ObtenerPeticionesPendientesResponse xmlns="{CANCELACFD}">'
            f'<ObtenerPeticionesPendientesResult CodEstatus="{code}">{content}</ObtenerPeticionesPendientesResult>'
            "</ObtenerPeticionesPendientesResponse>"
        )

    def _pending_folios(self, rfc: str) -> tuple[str, list[str]]:
        if not is_rfc(rfc):
            return UNREADABLE, []
        try:
            folios = list(self.sat.cancellations.pendings(rfc))
        except ServiceError as error:
            raise SoapFault("InternalServiceFault", error.detail or error.code) from error
        return PENDINGS_FOUND if folios else NO_PENDINGS, folios

    def _answer(self, request: SoapRequest) -> bytes:
        require_token(self.authorize, request)
        document = request.body.find(tag(NAME))
        rfc = "" if document is None else document.get("RfcReceptor", "")
        try:
            result = self._result(document)
        except RejectedRequestError as error:
            fecha = to_central_mexico(self.sat.ledger.clock.now())
            result = (
                f'<ProcesarRespuestaResult RfcReceptor={quoteattr(rfc)} RfcPac="" CodEstatus="{error.code}" '
                f'Fecha="{fecha}"/>'
            )
        except ServiceError as error:
            raise SoapFault("InternalServiceFault", error.detail or error.code) from error
        return envelope(f'<ProcesarRespuestaResponse xmlns="{CANCELACFD}">{result}</ProcesarRespuestaResponse>')

    def _result(self, document: etree._Element | None) -> str:
        if document is None or not is_rfc(document.get("RfcReceptor", "")):
            raise RejectedRequestError(MALFORMED)
        signed = verify_embedded(document)
        if signed is None:
            raise RejectedRequestError(BAD_SIGNATURE)
        rfc, provider, answers, malformed = _read_answers(signed.content)
        code = certificate_code(self.sat, signed.certificate, rfc)
        if code is not None:
            raise RejectedRequestError(BAD_SIGNATURE if code == "303" else UNREADABLE)
        request = AcceptReject(rfc, answers, provider)
        receipt = self.sat.cancellations.accept_reject(request, signed.content, NO_ORIGIN)
        if not malformed:
            return result_xml("ProcesarRespuesta", receipt.acuse)
        everything = AcceptReject(rfc, {**answers, **malformed}, provider)
        codes = {**receipt.codes, **dict.fromkeys(malformed, BAD_FOLIO)}
        acuse = answer_acuse(self.sat.ledger.clock.now(), everything, codes)
        return result_xml("ProcesarRespuesta", self.sat.authority.seal_acuse(acuse))


def require_token(authorize: Authorize, request: SoapRequest) -> None:
    """Raise SoapFault unless a message has a token of the cancellation."""
    try:
        authorize(request.authorization, request.faults)
    except AccessTokenError as error:
        raise SoapFault("FailedAuthentication", f"Autenticación no válida. {error.reason}", SECURITY) from error


def _read_answers(content: bytes) -> tuple[str, str, dict[str, ReceiverAnswer], Mapping[str, ReceiverAnswer]]:
    """Return the receiver, the provider that sends the document, the answers by folio, those whose folio is no UUID.

    Raises:
        RejectedRequestError: The document has no folios, too many, or another answer.
    """
    try:
        root = read_root(content, NAME)
        groups = list(root.iterchildren(tag("Folios")))
        if not 1 <= len(groups) <= MAX_FOLIOS:
            raise RejectedRequestError(MALFORMED)
        answers: dict[str, ReceiverAnswer] = {}
        malformed: dict[str, ReceiverAnswer] = {}
        for group in groups:
            text = (group.findtext(tag("UUID")) or "").strip()
            uuid = canonical_uuid(text)
            target = malformed if uuid is None else answers
            target.setdefault(uuid or text[:60], read_answer(group.findtext(tag("Respuesta")) or ""))
    except ServiceError as error:
        raise RejectedRequestError(MALFORMED) from error
    return root.get("RfcReceptor") or "", root.get("RfcPacEnviaSolicitud") or "", answers, malformed
