"""Relations: the CFDI that are related to one."""

from __future__ import annotations

from starlette.responses import Response

from timbra.cancellation.relations import NOT_A_PARTY, RelationsResult
from timbra.cancellation.serializers import coded_rejection, relations_answer
from timbra.cancellation.services import CancellationServices
from timbra.cancellation.signed_requests import CsdFiles, PfxFile
from timbra.cancellation.signed_requests_api import TAG, SignedEndpoints
from timbra.cfdi.cancelacion.relations import NAME
from timbra.web.framework.error_responses import DEFAULT_STATUS
from timbra.web.framework.operation import Operation
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.json_fields import JsonFields

AUTHORITY_DOWN_CODE = "CA2100"
ERROR_ANSWERS = {"400": ("Rejection", "CodedRejection")}


async def by_files(
    request: RequestContext, services: CancellationServices, members: JsonFields, files: CsdFiles | PfxFile
) -> Response:
    """Query relations with a CSD or PFX of the request."""
    work = services.relating.by_files
    return _response(await request.pools.run_keys(work, members.text("rfc"), members.text("uuid"), files))


async def by_xml(request: RequestContext, services: CancellationServices, xml: bytes) -> Response:
    """Forward a query that the issuer or receiver has signed."""
    return _response(await request.pools.run_authority(services.relating.by_xml, xml))


async def by_uuid(request: RequestContext, services: CancellationServices) -> Response:
    """Query relations with the CSD that the account stores; a body is ignored."""
    rfc, uuid = request.parameters["rfc"], request.parameters["uuid"]
    return _response(await request.pools.run_authority(services.relating.by_uuid, request.caller, rfc, uuid))


def _response(related: RelationsResult) -> Response:
    if related.code == NOT_A_PARTY:
        return json_response(coded_rejection(related.code, related.message), DEFAULT_STATUS)
    return json_response(relations_answer(related))


SERVICE = SignedEndpoints(
    "relations",
    "/relations",
    "List the CFDI that are related to one",
    "Related",
    NAME,
    "the requester",
    "Related",
    AUTHORITY_DOWN_CODE,
    ERROR_ANSWERS,
)
OPERATIONS = (
    *SERVICE.operations(by_files, by_xml),
    Operation(
        name="relations-uuid",
        method="POST",
        paths=("/relations/{rfc}/{uuid}",),
        endpoint=by_uuid,
        summary="List the CFDI that are related to one, with the account's stored CSD of the RFC",
        description="The RFC must be issuer or receiver of the CFDI; otherwise 400 with `codStatus` 2002.",
        tag=TAG,
        answer="Related",
        error_answers=ERROR_ANSWERS,
        authority_down_code=AUTHORITY_DOWN_CODE,
    ),
)
