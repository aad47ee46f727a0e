"""Cancellation in the four ways: with a CSD or PFX in the request, signed already, or with the stored CSD."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from timbra.api.endpoints.signed_requests import TAG, SignedEndpoints
from timbra.api.framework.operation import Operation
from timbra.api.framework.request_context import RequestContext, json_response
from timbra.api.parsing.json_fields import JsonFields
from timbra.api.serializers.stamps import success
from timbra.cfdi.cancelacion.request import NAME
from timbra.errors import ServiceError
from timbra.service.cancellation.signed_requests import CsdFiles, PfxFile
from timbra.service.cancellation.use_case import CancellationRequest, CancellationResult
from timbra.service.services import CancellationServices

MEMBERS = ("rfc", "uuid", "motivo", "foliosustitucion")


async def by_files(
    request: RequestContext, services: CancellationServices, members: JsonFields, files: CsdFiles | PfxFile
) -> Response:
    """With a CSD or PFX that the request carries."""
    order = _order({name: members.text(name) for name in MEMBERS})
    work = services.cancelling.by_files
    return _response(await request.pools.run_keys(work, request.caller, order, files, request.request_id))


async def by_xml(request: RequestContext, services: CancellationServices, xml: bytes) -> Response:
    """With a document that the issuer has signed, up to 500 CFDI."""
    work = services.cancelling.by_xml
    return _response(await request.pools.run_authority(work, request.caller, xml, request.request_id))


async def by_uuid(request: RequestContext, services: CancellationServices) -> Response:
    """With the CSD that the account has stored; a body is ignored."""
    if _has_empty_piece(request.scope["path"]):
        request.error_code = "TB4040"
        return Response(status_code=404)
    order = _order(request.parameters)
    work = services.cancelling.by_uuid
    return _response(await request.pools.run_authority(work, request.caller, order, request.request_id))


async def reject_retenciones(_: RequestContext) -> Response:
    """Retenciones are not stamped here, so there are none to cancel."""
    raise ServiceError("TB4006", "La cancelación de retenciones e información de pagos no está disponible.")


def _response(cancelled: CancellationResult) -> Response:
    return json_response(success({"acuse": cancelled.acuse, "uuid": cancelled.codes}))


def _order(given: Mapping[str, str]) -> CancellationRequest:
    return CancellationRequest(given["rfc"], given["uuid"], given.get("motivo", ""), given.get("foliosustitucion", ""))


def _has_empty_piece(path: str) -> bool:
    """Whether RFC or UUID is empty; what follows would pass for it, because runs of `/` count as one."""
    return "" in path.lower().partition("/cancel/")[2].split("/")[:2]


SERVICE = SignedEndpoints(
    "cancel", "/cfdi33/cancel", "Cancel a CFDI", "Cancel", NAME, "the issuer; it names up to 500 CFDI", "Cancelled"
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
        description="`foliosustitucion` goes with `motivo` 01; `null` stands for none. Without `motivo` the request is "
        "refused, as the SAT has demanded one since 2022.",
        tag=TAG,
        answer="Cancelled",
    ),
    Operation(
        name="refuse-retencion-cancel",
        method="POST",
        paths=("/retencion/cancel/{way}",),
        endpoint=reject_retenciones,
        summary="Cancellation of retenciones: always refused",
        tag=TAG,
        answer="Error",
        choices={"way": ("csd", "pfx", "xml")},
    ),
)
