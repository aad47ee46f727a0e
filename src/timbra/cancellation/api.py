"""Cancellation of CFDI and retenciones: with a CSD or PFX, by a signed document, or with the stored CSD."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.responses import Response

from timbra.cancellation.cancelling import CancellationRequest, CancellationResult, CancellationService
from timbra.cancellation.serializers import cancelled_answer
from timbra.cancellation.services import CancellationServices
from timbra.cancellation.signed_requests import CsdFiles, PfxFile
from timbra.cancellation.signed_requests_api import TAG, SignedEndpoints
from timbra.cfdi.cancelacion.reading import RETENCIONES_NAMESPACES
from timbra.cfdi.cancelacion.request import NAME
from timbra.stamping.retenciones_api import ANALOGOUS
from timbra.web.framework.operation import Operation
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.json_fields import JsonFields

AUTHORITY_DOWN_CODE, RETENCIONES_DOWN_CODE = "CA2000", "CR1001"
MEMBERS = ("rfc", "uuid", "motivo", "foliosustitucion")


@dataclass(frozen=True, slots=True)
class CancelEndpoints:
    """The endpoints that cancel one kind of document.

    Attributes:
        service: Selects the use case of that kind.
    """

    service: Callable[[CancellationServices], CancellationService]

    async def by_files(
        self, request: RequestContext, services: CancellationServices, members: JsonFields, files: CsdFiles | PfxFile
    ) -> Response:
        """Cancel a document with a CSD or PFX of the request."""
        order = _order({name: members.text(name) for name in MEMBERS})
        work = self.service(services).by_files
        return _response(await request.pools.run_keys(work, request.caller, order, files, request.request_id))

    async def by_xml(self, request: RequestContext, services: CancellationServices, xml: bytes) -> Response:
        """Forward a document that the issuer has signed; up to 500 folios."""
        work = self.service(services).by_xml
        return _response(await request.pools.run_authority(work, request.caller, xml, request.request_id))

    async def by_uuid(self, request: RequestContext, services: CancellationServices) -> Response:
        """Cancel a document with the CSD that the account stores; a body is ignored."""
        if _has_empty_piece(request.scope["path"]):
            request.error_code = "TB4040"
            return Response(status_code=404)
        order = _order(request.parameters)
        work = self.service(services).by_uuid
        return _response(await request.pools.run_authority(work, request.caller, order, request.request_id))


CFDI = CancelEndpoints(lambda services: services.cancelling)
RETENCIONES = CancelEndpoints(lambda services: services.cancelling_retenciones)


async def by_uuid(request: RequestContext, services: CancellationServices) -> Response:
    """Cancel a CFDI with the CSD that the account stores."""
    return await CFDI.by_uuid(request, services)


async def retencion_by_uuid(request: RequestContext, services: CancellationServices) -> Response:
    """Cancel a retención with the CSD that the account stores."""
    return await RETENCIONES.by_uuid(request, services)


def _response(cancelled: CancellationResult) -> Response:
    return json_response(cancelled_answer(cancelled))


def _order(given: Mapping[str, str]) -> CancellationRequest:
    return CancellationRequest(given["rfc"], given["uuid"], given.get("motivo", ""), given.get("foliosustitucion", ""))


def _has_empty_piece(path: str) -> bool:
    """Whether RFC or UUID is empty. Runs of `/` count as one, so the next segment would be read in its place."""
    return "" in path.lower().partition("/cancel/")[2].split("/")[:2]


SERVICE = SignedEndpoints(
    "cancel",
    "/cfdi33/cancel",
    "Cancel a CFDI",
    "Cancel",
    NAME,
    "the issuer; it names up to 500 CFDI",
    "Cancelled",
    AUTHORITY_DOWN_CODE,
)
RETENCIONES_SERVICE = SignedEndpoints(
    "retencion-cancel",
    "/retencion/cancel",
    "Cancel a retención",
    "Cancel",
    f"{NAME}` of `{RETENCIONES_NAMESPACES[0]}",
    "the issuer; it names up to 500 retenciones",
    "Cancelled",
    RETENCIONES_DOWN_CODE,
)
OPERATIONS = (
    *SERVICE.operations(CFDI.by_files, CFDI.by_xml),
    Operation(
        name="cancel-uuid",
        method="POST",
        paths=(
            "/cfdi33/cancel/{rfc}/{uuid}/{motivo}",
            "/cfdi33/cancel/{rfc}/{uuid}/{motivo}/{foliosustitucion}",
            "/cfdi33/cancel/{rfc}/{uuid}",
        ),
        endpoint=by_uuid,
        summary="Cancel a CFDI, with the account's stored CSD",
        description="`foliosustitucion` is for `motivo` 01; `null` means none. A request without `motivo` is "
        "rejected, because the SAT has required one since 2022.",
        tag=TAG,
        answer="Cancelled",
        authority_down_code=AUTHORITY_DOWN_CODE,
    ),
    *RETENCIONES_SERVICE.operations(RETENCIONES.by_files, RETENCIONES.by_xml),
    Operation(
        name="retencion-cancel-uuid",
        method="POST",
        paths=(
            "/retencion/cancel/{rfc}/{uuid}/{motivo}",
            "/retencion/cancel/{rfc}/{uuid}/{motivo}/{foliosustitucion}",
            "/retencion/cancel/{rfc}/{uuid}",
        ),
        endpoint=retencion_by_uuid,
        summary="Cancel a retención, with the account's stored CSD",
        description=f"{ANALOGOUS} `foliosustitucion` is for `motivo` 01; `null` means none.",
        tag=TAG,
        answer="Cancelled",
        authority_down_code=RETENCIONES_DOWN_CODE,
    ),
)
