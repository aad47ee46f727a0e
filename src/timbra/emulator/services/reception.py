"""RecibeCFDIService: the announcement of an uploaded document, answered with an acuse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import unquote, urlsplit

from lxml import etree

from timbra.core.soap import envelope
from timbra.emulator.acuses import RECEPTION, Reception
from timbra.emulator.faults import ScriptedFaults
from timbra.emulator.providers import EmulatedProvider
from timbra.emulator.received_documents import (
    METADATA,
    NOT_AUTHENTICATED,
    NOT_FOUND,
    OTHER_UUID,
    Announcement,
    DeliveryError,
    ReceivedDocuments,
)
from timbra.emulator.services.blobs import VERSION_METADATA, BlobStorage
from timbra.emulator.soap import SoapEndpoint, SoapFault, SoapOperation, SoapRequest
from timbra.emulator.tokens import AccessTokenError

ACTION = "http://recibecfdi.sat.gob.mx/IRecibeCFDIService/Recibe"
HEADER_TAG = f"{{{RECEPTION}}}EncabezadoCFDI"
_FIELDS = ("RfcEmisor", "Hash", "UUID", "Fecha", "NumeroCertificado", "VersionComprobante")
_OPTIONAL = "Hash"
Authorize = Callable[[str, ScriptedFaults], EmulatedProvider]
"""Returns the provider of a header Authorization, or raises AccessTokenError."""


@dataclass(frozen=True, slots=True)
class ReceptionEndpoint:
    """The service `Recibe`.

    Attributes:
        documents: Receives documents.
        storage: Has the uploaded documents.
        authorize: Verifies tokens of the reception.
    """

    documents: ReceivedDocuments
    storage: BlobStorage
    authorize: Authorize

    def endpoint(self) -> SoapEndpoint:
        return SoapEndpoint(SoapOperation(ACTION, f"{{{RECEPTION}}}CFDI", self._receive, (HEADER_TAG,)))

    def _receive(self, request: SoapRequest) -> bytes:
        announced = _announcement(request)
        path = request.body.findtext(f"{{{RECEPTION}}}RutaCFDI") or ""
        return envelope(self._result(request, announced, path.strip()).acuse)

    def _result(self, request: SoapRequest, announced: Announcement, path: str) -> Reception:
        rfc = ""
        try:
            provider = self._provider(request)
            rfc = provider.rfc
            reception = self.documents.receive(
                provider, announced, self._document(provider, announced, path), request.faults
            )
        except DeliveryError as error:
            found = error.incidencia
            return self.documents.result(rfc, announced, found.code, [found])
        if request.faults.get("other-uuid") is None:
            return reception
        other = replace(announced, uuid=OTHER_UUID)
        return self.documents.result(rfc, other, reception.status, [*reception.incidencias])

    def _provider(self, request: SoapRequest) -> EmulatedProvider:
        try:
            return self.authorize(request.authorization, request.faults)
        except AccessTokenError as error:
            raise DeliveryError(NOT_AUTHENTICATED, f"Autenticación no válida. {error.reason}") from error

    def _document(self, provider: EmulatedProvider, announced: Announcement, path: str) -> bytes:
        """Return the uploaded document of a path, which must be in the container of the provider."""
        folders = unquote(urlsplit(path).path).rpartition("/")
        container, name = folders[0].rpartition("/")[2], folders[2]
        blob = self.storage.read(container, name) if container == provider.container else None
        if blob is None:
            raise DeliveryError(NOT_FOUND, f"No hay un comprobante en {path[:200]!r}.")
        version = blob.metadata.get(VERSION_METADATA, announced.version)
        if version != announced.version:
            raise DeliveryError(METADATA, f"versionCFDI {version!r} no es VersionComprobante.")
        return blob.content


def _announcement(request: SoapRequest) -> Announcement:
    headers = request.headers(HEADER_TAG)
    children = list(headers[0].iterchildren("*")) if len(headers) == 1 else []
    names = [etree.QName(child).localname for child in children if child.tag.startswith(f"{{{RECEPTION}}}")]
    if names not in ([name for name in _FIELDS if name != _OPTIONAL], list(_FIELDS)) or len(names) < len(children):
        raise SoapFault("Client", "EncabezadoCFDI debe llevar RfcEmisor, UUID, Fecha, NumeroCertificado y versión.")
    texts = {name: (child.text or "").strip() for name, child in zip(names, children, strict=True)}
    return Announcement(
        texts["UUID"], texts["RfcEmisor"], texts["Fecha"], texts["NumeroCertificado"], texts["VersionComprobante"]
    )
