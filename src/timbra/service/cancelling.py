"""Cancelling a CFDI in the four ways that clients know; what is asked for goes to the authority signed."""

from __future__ import annotations

from dataclasses import dataclass

from timbra.accounts.caller import Caller
from timbra.accounts.signers import IssuerCredential
from timbra.authority.port import CancellationAuthority, Origin, Receipt
from timbra.cfdi.cancelacion.request import NAME, Cancelacion, Folio, read_cancelacion
from timbra.errors import ServiceError
from timbra.messages import cancelling as told
from timbra.service.signed_requests import (
    NO_FOLIO,
    CsdFiles,
    PfxFile,
    SignedRequests,
    checked_folio,
    checked_rfc,
    require_fields,
    unreadable_told,
)

MOTIVES = frozenset({"01", "02", "03", "04"})
WITH_SUBSTITUTE = "01"
BAD_MOTIVE = "207"


@dataclass(frozen=True, slots=True)
class CancelOrder:
    """One CFDI to cancel, as the client wrote it. substitute: FolioSustitucion; `""` and `null` stand for none."""

    rfc: str
    uuid: str
    motivo: str
    substitute: str = ""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The authority's answer. acuse: its XML. codes: EstatusUUID by UUID in upper case."""

    acuse: str
    codes: dict[str, str]


class Cancelling:
    """The use cases of an issuer. Each may take 30 ms and more, so not on the event loop.

    ServiceError: "cancel-fields", "cancel-xml", "cancel-failed", "CASD" with the cause as detail; "authority-down".
    What the authority decides about a CFDI (201 to 212) is no error.
    """

    def __init__(self, requests: SignedRequests, authority: CancellationAuthority) -> None:
        self._requests = requests
        self._authority = authority

    def by_files(self, caller: Caller, order: CancelOrder, files: CsdFiles | PfxFile, request_id: str) -> Cancelled:
        """With a certificate and key, or a PFX, that the request carries and nobody keeps."""
        require_fields(files, order.rfc, order.uuid)
        request = _request(order)
        credential = self._requests.from_files(files, request.rfc_emisor)
        return self._sign_and_send(request, credential, caller, request_id)

    def by_uuid(self, caller: Caller, order: CancelOrder, request_id: str) -> Cancelled:
        """With the account's stored CSD of the issuer."""
        request = _request(order, path=True)
        credential = self._requests.from_vault(caller.account_id, request.rfc_emisor)
        return self._sign_and_send(request, credential, caller, request_id)

    def by_xml(self, caller: Caller, xml: bytes, request_id: str) -> Cancelled:
        """A `Cancelacion` that its issuer has signed; up to 500 CFDI."""
        if not xml.strip():
            raise ServiceError("xml-missing")
        signed = self._requests.verified(xml, NAME)
        with unreadable_told():
            request = read_cancelacion(signed.content)
        self._requests.require_usable(signed.certificate, request.rfc_emisor)
        _require_substitutes(request)
        return self._send(request, xml, caller, request_id)

    def _sign_and_send(
        self, request: Cancelacion, credential: IssuerCredential, caller: Caller, request_id: str
    ) -> Cancelled:
        document = self._requests.signed(credential, request.to_root(self._requests.world().now))
        return self._send(request, document, caller, request_id)

    def _send(self, request: Cancelacion, document: bytes, caller: Caller, request_id: str) -> Cancelled:
        receipt = self._authority.cancel(request, document, Origin(caller.account_id, request_id))
        return _cancelled(receipt)


def _request(order: CancelOrder, *, path: bool = False) -> Cancelacion:
    rfc, uuid = checked_rfc(order.rfc), checked_folio(order.uuid, path=path)
    written = order.substitute.strip()
    substitute = None if written.lower() in NO_FOLIO else checked_folio(written, path=path)
    motivo = order.motivo.strip()
    if motivo not in MOTIVES:
        raise ServiceError("cancel-xml", told.MOTIVE)
    request = Cancelacion(rfc, (Folio(uuid, motivo, substitute),))
    _require_substitutes(request)
    return request


def _require_substitutes(request: Cancelacion) -> None:
    if any(folio.motivo == WITH_SUBSTITUTE and folio.substitute is None for folio in request.folios):
        raise ServiceError("cancel-fields", told.SUBSTITUTE_MISSING)


def _cancelled(receipt: Receipt) -> Cancelled:
    if set(receipt.codes.values()) == {BAD_MOTIVE}:
        raise ServiceError("cancel-xml", told.MOTIVE)
    return Cancelled(receipt.acuse.decode(), {uuid.upper(): code for uuid, code in receipt.codes.items()})
