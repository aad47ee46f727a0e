"""Acceptance: the cancellations that wait for a receiver's answer, and the answers."""

from __future__ import annotations

from starlette.responses import Response

from timbra.cancellation.acceptance import NOTHING, AcceptanceRequest, AcceptanceResult
from timbra.cancellation.serializers import acceptance_answer, coded_rejection, pendings_answer
from timbra.cancellation.services import CancellationServices
from timbra.cancellation.signed_requests import CsdFiles, PfxFile
from timbra.cancellation.signed_requests_api import TAG, SignedEndpoints
from timbra.cfdi.cancelacion.answer import NAME, ReceiverAnswer
from timbra.web.framework.error_responses import DEFAULT_STATUS
from timbra.web.framework.operation import Operation
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.json_fields import JsonFields

AUTHORITY_DOWN_CODE = "CA2300"


async def pendings(request: RequestContext, services: CancellationServices) -> Response:
    """Answer with the cancellations that wait for a receiver; without any, clients expect status 400."""
    work = services.accepting.pendings
    found = await request.pools.run_authority(work, request.caller, request.parameters["rfc"])
    if found.code == NOTHING:
        return json_response(coded_rejection(found.code, found.message), DEFAULT_STATUS)
    return json_response(pendings_answer(found))


async def by_files(
    request: RequestContext, services: CancellationServices, members: JsonFields, files: CsdFiles | PfxFile
) -> Response:
    """Answer cancellations with a CSD or PFX of the request."""
    answers = [(answer.text("uuid"), answer.text("action")) for answer in members.objects("uuids")]
    order = AcceptanceRequest(members.text("rfc"), answers)
    work = services.accepting.by_files
    return _response(await request.pools.run_keys(work, request.caller, order, files, request.request_id))


async def by_xml(request: RequestContext, services: CancellationServices, xml: bytes) -> Response:
    """Forward the answers of a document that the receiver has signed; up to 500 CFDI."""
    work = services.accepting.by_xml
    return _response(await request.pools.run_authority(work, request.caller, xml, request.request_id))


async def by_uuid(request: RequestContext, services: CancellationServices) -> Response:
    """Answer one cancellation with the CSD that the account stores; a body is ignored."""
    rfc, uuid, action = (request.parameters[name] for name in ("rfc", "uuid", "action"))
    work = services.accepting.by_uuid
    return _response(await request.pools.run_authority(work, request.caller, rfc, uuid, action, request.request_id))


def _response(answered: AcceptanceResult) -> Response:
    return json_response(acceptance_answer(answered))


SERVICE = SignedEndpoints(
    "acceptreject",
    "/acceptreject",
    "Accept or reject cancellations",
    "Answer",
    NAME,
    "the receiver; it names up to 500 CFDI",
    "Acceptance",
    AUTHORITY_DOWN_CODE,
)
OPERATIONS = (
    Operation(
        name="pendings",
        method="GET",
        paths=("/pendings/{rfc}",),
        endpoint=pendings,
        summary="List the cancellations that wait for a receiver's answer",
        description="The account stores a CSD of the receiver, or the caller is an administrator. "
        "Without pending ones the answer is 400 with `codStatus` 1101.",
        tag=TAG,
        answer="Pendings",
        error_answers={"400": ("Rejection", "CodedRejection")},
        authority_down_code=AUTHORITY_DOWN_CODE,
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
        answer="Acceptance",
        authority_down_code=AUTHORITY_DOWN_CODE,
    ),
)
