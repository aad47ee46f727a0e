"""Cancellation: with a CSD or PFX of the request, by a signed document, or with the stored CSD."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from timbra.api.endpoints.signed_requests import TAG, SignedEndpoints
from timbra.api.framework.operation import Operation
from timbra.api.framework.request_context import RequestContext, json_response
from timbra.api.parsing.json_fields import JsonFields
from timbra.api.serializers.cancellation import cancelled_answer
from timbra.cfdi.cancelacion.request import NAME
from timbra.errors import ServiceError
from timbra.service.cancellation.signed_requests import CsdFiles, PfxFile
from timbra.service.cancellation.use_case import CancellationRequest, CancellationResult
from timbra.service.services import CancellationServices

AUTHORITY_DOWN_CODE = "CA2000"
MEMBERS = ("rfc", "uuid", "motivo", "foliosustitucion")


async def by_files(
    request: RequestContext, services: CancellationServices, members: JsonFields, files: CsdFiles | PfxFile
) -> Response:
    """Cancel a CFDI with a CSD or PFX of the request."""
    order = _order({name: members.text(name) for name in MEMBERS})
    work = services.cancelling.by_files
    return _response(await request.pools.run_keys(work, request.caller, order, files, request.request_id))


async def by_xml(request: RequestContext, services: CancellationServices, xml: bytes) -> Response:
    """Forward a document that the issuer has signed; up to 500 CFDI."""
    work = services.cancelling.by_xml
    return _response(await request.pools.run_authority(work, request.caller, xml, request.request_id))


async def by_uuid(request: RequestContext, services: CancellationServices) -> Response:
    """Cancel a CFDI with the CSD that the account stores; a body is ignored."""
    if _has_empty_piece(request.scope["path"]):
        request.error_code = "TB4040"
        return Response(status_code=404)
    order = _order(request.parameters)
    work = services.cancelling.by_uuid
    return _response(await request.pools.run_authority(work, request.caller, order, request.request_id))


async def reject_retenciones(_: RequestContext) -> Response:
    """Reject the cancellation of retenciones, which the server does not stamp.

    Raises:
        ServiceError: "TB4006" always.
    """
    raise ServiceError("TB4006", "La cancelación de retenciones e información de pagos no está disponible.")


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
OPERATIONS = (
    *SERVICE.operations(by_files, by_xml),
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
    Operation(
        name="reject-retencion-cancel",
        method="POST",
        paths=("/retencion/cancel/{way}",),
        endpoint=reject_retenciones,
        summary="Cancellation of retenciones: always rejected",
        tag=TAG,
        answer="Error",
        choices={"way": ("csd", "pfx", "xml")},
    ),
)
