"""Client of the SAT's reception: upload of a document, and `Recibe`, which answers with an acuse.

A delivery may be repeated: the SAT may have received a document although its answer is lost.
"""

from __future__ import annotations

from dataclasses import replace
from xml.sax.saxutils import escape

from lxml import etree

from timbra.cfdi.byte_splice import DECLARATION
from timbra.core.errors import ServiceError
from timbra.core.retry import RetryPolicy
from timbra.sat.access_token import Access, call_with_token
from timbra.sat.blob_upload import BlobUpload
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.reception_client import NOT_ADMITTED, ReceptionClient
from timbra.sat.reception_port import AcuseIncidencia, ReceptionAcuse, ReceptionState, StampedDocument
from timbra.sat.soap import SoapService
from timbra.sat.transport import down

NAMESPACE = "http://recibecfdi.sat.gob.mx"
ACTION = f"{NAMESPACE}/IRecibeCFDIService/Recibe"
NOT_AUTHENTICATED = "501"
_GOOD = ("comprobante recibido", "s ", "s-", "200")
"""Beginnings of CodEstatus of a received document, in lower case."""


class SatReception(ReceptionClient):
    """The reception of CFDI: upload, then announcement."""

    def __init__(
        self,
        upload: BlobUpload,
        service: SoapService,
        access: Access,
        breaker: CircuitBreaker,
        retry: RetryPolicy,
    ) -> None:
        """Deliver to a container.

        Args:
            upload: The container of the provider.
            service: The service `Recibe`.
            access: See `ReceptionClient`.
            breaker: See `ReceptionClient`.
            retry: See `ReceptionClient`.
        """
        super().__init__(access, breaker, retry)
        self._upload = upload
        self._service = service

    def _deliver(self, document: StampedDocument) -> ReceptionAcuse:
        """Upload until it succeeds once, then announce; an error of the configuration is not repeated."""
        path = self._repeated(lambda seconds: self._upload.put(document, seconds))
        uploaded = self._retry.now()
        acuse = self._repeated(lambda seconds: self._announce(document, path, seconds))
        if is_unauthenticated(acuse):
            # The service ended the life of a token that was good by its date, and the second token too.
            raise ServiceError(NOT_ADMITTED, "El SAT no acepta el token del proveedor (501).")
        return replace(acuse, announce_seconds=self._retry.now() - uploaded)

    def _announce(self, document: StampedDocument, path: str, seconds: float) -> ReceptionAcuse:
        """Announce a document; with another token, when the service does not accept the one that is cached."""

        def call(authorization: str, rest: float) -> ReceptionAcuse:
            return self._call(document, path, authorization, rest)

        return call_with_token(self._access, seconds, call, is_unauthenticated, self._retry.now)

    def _call(self, document: StampedDocument, path: str, authorization: str, seconds: float) -> ReceptionAcuse:
        body = f'<CFDI xmlns="{NAMESPACE}"><RutaCFDI>{escape(path)}</RutaCFDI></CFDI>'
        response = self._service.call(ACTION, body, seconds, authorization, _header(document))
        return read_acuse(response, document.uuid)


def read_acuse(response: etree._Element, uuid: str) -> ReceptionAcuse:
    """Read an acuse of a document.

    Args:
        response: The element AcuseRecepcion.
        uuid: The folio of the document that was announced.

    Raises:
        ServiceError: "authority-down" for another element, or the acuse of another folio.
    """
    acuses = list(response.iterchildren(_tag("AcuseRecepcionCFDI")))
    if response.tag != _tag("AcuseRecepcion") or len(acuses) != 1:
        raise down("La respuesta no es un acuse de recepción.")
    (acuse,) = acuses
    status = (acuse.get("CodEstatus") or "").strip()
    if (acuse.get("UUID") or "").strip().lower() != uuid.lower():
        raise down("El acuse es de otro folio.")
    if not status:
        raise down("El acuse no trae CodEstatus.")
    incidencias = tuple(
        AcuseIncidencia(_text(found, "CodigoError"), _text(found, "MensajeIncidencia"))
        for found in acuse.iterchildren(_tag("Incidencia"))
    )
    xml = DECLARATION + etree.tostring(response, encoding="utf-8", with_tail=False)
    return ReceptionAcuse(_state(status, incidencias), status, incidencias, xml)


def _state(status: str, incidencias: tuple[AcuseIncidencia, ...]) -> ReceptionState:
    if not status.lower().startswith(_GOOD):
        return ReceptionState.REJECTED
    return ReceptionState.WITH_INCIDENCIA if incidencias else ReceptionState.RECEIVED


def is_unauthenticated(acuse: ReceptionAcuse) -> bool:
    """Whether the SAT did not accept the token of an announcement."""
    codes = {acuse.status, *(found.code for found in acuse.incidencias)}
    return acuse.state is ReceptionState.REJECTED and NOT_AUTHENTICATED in codes


def _header(document: StampedDocument) -> str:
    fields = (
        ("RfcEmisor", document.issuer_rfc),
        ("UUID", document.uuid),
        ("Fecha", document.stamped_at),
        ("NumeroCertificado", document.certificate_number),
        ("VersionComprobante", document.version),
    )
    content = "".join(f"<{name}>{escape(text)}</{name}>" for name, text in fields)
    return f'<EncabezadoCFDI xmlns="{NAMESPACE}">{content}</EncabezadoCFDI>'


def _text(incidencia: etree._Element, name: str) -> str:
    return (incidencia.findtext(_tag(name)) or "").strip()


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"
