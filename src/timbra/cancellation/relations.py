"""Relations of a CFDI: the CFDI that it refers to, and those that refer to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from timbra.cancellation.signed_cancelling import SignedMessage, SignedMessageUseCase
from timbra.cancellation.signed_requests import (
    CsdFiles,
    PfxFile,
    SignedRequests,
    checked_folio,
    checked_rfc,
    require_fields,
)
from timbra.cfdi.cancelacion.relations import NAME, RelationsRequest, read_relations_request
from timbra.core.caller import Caller
from timbra.messages import cancelling as details
from timbra.sat.port import CancellationAuthority, CfdiParties, Relations, RequestOrigin

FOUND, NOTHING, NOT_A_PARTY = "2000", "2001", "2002"
NO_ORIGIN = RequestOrigin(None, "")
"""Queries of relations are not recorded in the event log."""


@dataclass(frozen=True, slots=True)
class RelationsResult:
    """The relations of one CFDI. UUIDs are in upper case; `parents` and `children` are empty except for 2000.

    Attributes:
        code: codStatus: 2000 found, 2001 none, 2002 the RFC is not a party of the CFDI.
        result: The sentence of the response.
        parents: The CFDI that it refers to.
        children: The CFDI that refer to it.
    """

    uuid: str
    code: str
    message: str
    result: str
    parents: tuple[CfdiParties, ...] = ()
    children: tuple[CfdiParties, ...] = ()


class RelationsService:
    """Queries relations for an issuer or a receiver.

    The ServiceErrors are those of `CancellationService`.

    Args:
        requests: signs and verifies the documents.
        authority: answers the queries.
        provider_rfc: RFC of the provider that forwards the query.
    """

    def __init__(self, requests: SignedRequests, authority: CancellationAuthority, provider_rfc: str) -> None:
        self._authority = authority
        self._provider_rfc = provider_rfc
        self._use_case = SignedMessageUseCase(
            requests,
            SignedMessage(
                root_name=NAME,
                read=read_relations_request,
                signer_rfc=lambda message: message.rfc,
                to_root=lambda message, _now: message.to_root(),
                send=self._send,
            ),
        )

    def by_files(self, rfc: str, uuid: str, files: CsdFiles | PfxFile) -> RelationsResult:
        """Query with a certificate and key, or a PFX, of the request, which the server does not store."""
        require_fields(files, rfc, uuid)
        return self._use_case.by_files(self._message(rfc, uuid), files, NO_ORIGIN)

    def by_uuid(self, caller: Caller, rfc: str, uuid: str) -> RelationsResult:
        """Query with the CSD of the RFC that the account stores."""
        return self._use_case.by_stored_csd(self._message(rfc, uuid, path=True), caller.account_id, NO_ORIGIN)

    def by_xml(self, xml: bytes) -> RelationsResult:
        """Forward a `PeticionConsultaRelacionados` that its issuer or receiver has signed."""
        return self._use_case.by_signed_xml(xml, NO_ORIGIN)

    def _message(self, rfc: str, uuid: str, *, path: bool = False) -> RelationsRequest:
        """Check the client's values; `path` is True when the UUID is part of the request's path."""
        return RelationsRequest(checked_folio(uuid, path=path), checked_rfc(rfc), self._provider_rfc)

    def _send(self, message: RelationsRequest, document: bytes, _origin: RequestOrigin) -> RelationsResult:
        relations = self._authority.relations(message, document)
        if relations is None:
            return _result(message, NOT_A_PARTY, details.NOT_A_PARTY, Relations((), ()))
        if relations.parents or relations.children:
            return _result(message, FOUND, details.RELATIONS_FOUND, relations)
        return _result(message, NOTHING, details.NO_RELATIONS, relations)


def _result(request: RelationsRequest, code: str, text: str, relations: Relations) -> RelationsResult:
    uuid = request.uuid.upper()
    result = f"Consulta de CFDI relacionados, RFC {request.rfc}, UUID {uuid}, clave {code}: {text.strip()}"
    return RelationsResult(uuid, code, text, result, _upper(relations.parents), _upper(relations.children))


def _upper(parties: Sequence[CfdiParties]) -> tuple[CfdiParties, ...]:
    return tuple(CfdiParties(cfdi.uuid.upper(), cfdi.issuer_rfc, cfdi.receiver_rfc) for cfdi in parties)
