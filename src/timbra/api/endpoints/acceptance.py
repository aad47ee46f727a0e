"""The receiver's side: what waits for its answer, and the answers."""

from __future__ import annotations

from starlette.responses import Response

from timbra.api.endpoints.signed_requests import TAG, SignedEndpoints
from timbra.api.framework.error_responses import DEFAULT_STATUS
from timbra.api.framework.operation import Operation
from timbra.api.framework.request_context import RequestContext, json_response
from timbra.api.parsing.json_fields import JsonFields
from timbra.api.serializers.stamps import coded, coded_rejection
from timbra.cfdi.cancelacion.answer import NAME, ReceiverAnswer
from timbra.service.cancellation.acceptance import NOTHING, AcceptanceRequest, AcceptanceResult
from timbra.service.cancellation.signed_requests import CsdFiles, PfxFile
from timbra.service.services import CancellationServices


async def pendings(request: RequestContext, services: CancellationServices) -> Response:
    """What waits for a receiver's answer; when nothing does, that is an error to clients."""
    work = services.accepting.pendings
    found = await request.pools.run_authority(work, request.caller, request.parameters["rfc"])
    if found.code == NOTHING:
        return json_response(coded_rejection(found.code, found.message), DEFAULT_STATUS)
    return json_response(coded({"uuid": list(found.uuids)}, found.code, found.message))


async def by_files(
    request: RequestContext, services: CancellationServices, members: JsonFields, files: CsdFiles | PfxFile
) -> Response:
    """With a CSD or PFX that the request carries."""
    answers = [(answer.text("uuid"), answer.text("action")) for answer in members.objects("uuids")]
    order = AcceptanceRequest(members.text("rfc"), answers)
    work = services.accepting.by_files
    return _response(await request.pools.run_keys(work, request.caller, order, files, request.request_id))


async def by_xml(request: RequestContext, services: CancellationServices, xml: bytes) -> Response:
    """With a document that the receiver has signed, up to 500 CFDI."""
    work = services.accepting.by_xml
    return _response(await request.pools.run_authority(work, request.caller, xml, request.request_id))


async def by_uuid(request: RequestContext, services: CancellationServices) -> Response:
    """With the CSD that the account has stored; a body is ignored."""
    rfc, uuid, action = (request.parameters[name] for name in ("rfc", "uuid", "action"))
    work = services.accepting.by_uuid
    return _response(await request.pools.run_authority(work, request.caller, rfc, uuid, action, request.request_id))


def _response(answered: AcceptanceResult) -> Response:
    folios = [{"uuid": folio.uuid, "estatusUUID": folio.code, "respuesta": folio.answer} for folio in answered.folios]
    return json_response(coded({"acuse": answered.acuse, "folios": folios}, answered.code))


SERVICE = SignedEndpoints(
    "acceptreject",
    "/acceptreject",
    "Accept or reject cancellations",
    "Answer",
    NAME,
    "the receiver; it names up to 500 CFDI",
    "Answered",
)
OPERATIONS = (
    Operation(
        name="pendings",
        method="GET",
        paths=("/pendings/{rfc}",),
        endpoint=pendings,
        summary="Which cancellations wait for a receiver's answer",
        description="The account has stored a CSD of the receiver; an administrator may ask for that of any account. "
        "None at all is answered with 400 and `codStatus` 1101.",
        tag=TAG,
        answer="Pendings",
    ),
    *SERVICE.operations(by_files, by_xml),
    Operation(
        name="acceptreject-uuid",
        method="POST",
        paths=("/acceptreject/{rfc}/{uuid}/{action}",),
        endpoint=by_uuid,
        summary="Accept or reject one cancellation, with the account's stored CSD of the receiver",
        description=f"`action`: {' or '.join(ReceiverAnswer)}.",
        tag=TAG,
        answer="Answered",
    ),
)
