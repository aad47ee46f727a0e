"""Which CFDI are related to one: those that it names, and those that name it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from timbra.accounts.caller import Caller
from timbra.accounts.signers import IssuerCredential
from timbra.authority.port import CancellationAuthority, CfdiParties, Relations
from timbra.cfdi.cancelacion.relations import NAME, RelationsRequest, read_relations_request
from timbra.errors import ServiceError
from timbra.messages import cancelling as told
from timbra.service.signed_requests import (
    CsdFiles,
    PfxFile,
    SignedRequests,
    checked_folio,
    checked_rfc,
    require_fields,
    unreadable_told,
)

FOUND, NOTHING, NOT_A_PARTY = "2000", "2001", "2002"


@dataclass(frozen=True, slots=True)
class Related:
    """code: codStatus: 2000 found, 2001 none, 2002 not the asking RFC's. UUIDs in upper case; empty but for 2000.

    parents: the CFDI that it names. children: those that name it. result: the authority's sentence.
    """

    uuid: str
    code: str
    message: str
    result: str
    parents: tuple[CfdiParties, ...] = ()
    children: tuple[CfdiParties, ...] = ()


class Relating:
    """The use cases of an issuer or receiver; errors as those of `Cancelling`. provider_rfc: who sends the question."""

    def __init__(self, requests: SignedRequests, authority: CancellationAuthority, provider_rfc: str) -> None:
        self._requests = requests
        self._authority = authority
        self._provider_rfc = provider_rfc

    def by_files(self, rfc: str, uuid: str, files: CsdFiles | PfxFile) -> Related:
        """With a certificate and key, or a PFX, that the request carries and nobody keeps."""
        require_fields(files, rfc, uuid)
        request = self._request(rfc, uuid)
        return self._sign_and_ask(request, self._requests.from_files(files, request.rfc))

    def by_uuid(self, caller: Caller, rfc: str, uuid: str) -> Related:
        """With the account's stored CSD of the RFC."""
        request = self._request(rfc, uuid, path=True)
        return self._sign_and_ask(request, self._requests.from_vault(caller.account_id, request.rfc))

    def by_xml(self, xml: bytes) -> Related:
        """A `PeticionConsultaRelacionados` that its issuer or receiver has signed."""
        if not xml.strip():
            raise ServiceError("xml-missing")
        signed = self._requests.verified(xml, NAME)
        with unreadable_told():
            request = read_relations_request(signed.content)
        self._requests.require_usable(signed.certificate, request.rfc)
        return self._ask(request, xml)

    def _request(self, rfc: str, uuid: str, *, path: bool = False) -> RelationsRequest:
        return RelationsRequest(checked_folio(uuid, path=path), checked_rfc(rfc), self._provider_rfc)

    def _sign_and_ask(self, request: RelationsRequest, credential: IssuerCredential) -> Related:
        return self._ask(request, self._requests.signed(credential, request.to_root()))

    def _ask(self, request: RelationsRequest, document: bytes) -> Related:
        found = self._authority.relations(request, document)
        if found is None:
            return _related(request, NOT_A_PARTY, told.NOT_A_PARTY, Relations((), ()))
        if found.parents or found.children:
            return _related(request, FOUND, told.RELATIONS_FOUND, found)
        return _related(request, NOTHING, told.NO_RELATIONS, found)


def _related(request: RelationsRequest, code: str, message: str, found: Relations) -> Related:
    uuid = request.uuid.upper()
    result = f"Consulta de CFDI relacionados, RFC {request.rfc}, UUID {uuid}, clave {code}: {message.strip()}"
    return Related(uuid, code, message, result, _upper(found.parents), _upper(found.children))


def _upper(parties: Sequence[CfdiParties]) -> tuple[CfdiParties, ...]:
    return tuple(CfdiParties(one.uuid.upper(), one.issuer_rfc, one.receiver_rfc) for one in parties)
