"""Stamping of CFDI de retenciones e información de pagos, answered in versions v1 to v4."""

from __future__ import annotations

from collections.abc import Callable

from starlette.responses import Response

from timbra.api.endpoints.stamping import VERSIONS, with_format
from timbra.api.framework.base_url import retenciones_verification_address
from timbra.api.framework.fault_injection import drop_response
from timbra.api.framework.operation import Operation, Parameter, Payload
from timbra.api.framework.request_context import RequestContext, json_response
from timbra.api.parsing.decoding import xml_bytes
from timbra.api.parsing.multipart import xml_part
from timbra.api.parsing.stamp_headers import custom_id
from timbra.api.serializers.envelopes import success
from timbra.api.serializers.stamps import ConflictAnswer, RetencionAnswer, conflict_answer, retencion_answer
from timbra.cfdi.qr import RETENCIONES_ADDRESS, verification_url
from timbra.errors import ServiceError
from timbra.service.services import StampingServices
from timbra.service.stamping.models import CustomIdConflict, DocumentKind, StampRequest, StampResult

ANALOGOUS = "No client of the vendor is known to call it: the route is by analogy with that of CFDI."


async def stamp_retencion(request: RequestContext, services: StampingServices) -> Response:
    """Stamp or issue the retención in the `xml` part of a multipart body."""
    content = xml_part(await request.body(), request.content_type)
    xml = request.document = xml_bytes(content, base64=_is_base64(request))
    order = StampRequest(
        request.caller, xml, request.request_id, custom_id(request.headers), kind=DocumentKind.RETENCIONES
    )
    issuing = request.parameters.get("operation") == "issue"
    stamp = services.stamping.issue if issuing else services.stamping.stamp
    try:
        stamped = await stamp(order, request.pools.run_database)
    except ServiceError as error:
        data = _answer_data(request, services, error.data)
        raise ServiceError(error.code, error.detail, data=data, retry_after=error.retry_after) from error
    await drop_response(request.environment.faults)
    return json_response(success(_answer_data(request, services, stamped)))


def _answer_data(
    request: RequestContext, services: StampingServices, outcome: object
) -> RetencionAnswer | ConflictAnswer | None:
    """Return a stamp, or the stamp behind a conflict, in the version and encoding that the path names."""
    version, base64 = request.parameters.get("version", "v1"), _is_base64(request)
    if isinstance(outcome, StampResult):
        return retencion_answer(outcome, version, base64=base64, qr=_qr_code(request, services))
    if isinstance(outcome, CustomIdConflict):
        return conflict_answer(outcome, version, base64=base64)
    return None


def _qr_code(request: RequestContext, services: StampingServices) -> Callable[[str], bytes]:
    """Return the function that draws the QR code of a verification query."""
    address = retenciones_verification_address(request)
    return lambda query: services.qr.png(verification_url(query, address, RETENCIONES_ADDRESS))


def _is_base64(request: RequestContext) -> bool:
    return "format" in request.parameters


CHOICES = {"version": VERSIONS, "format": ("b64",), "generation": ("v4",), "operation": ("issue",)}
HEADERS = (
    Parameter("customid", "header", "Opaque id of the commercial operation, at most 300 characters; guards 72 hours."),
)
DOCUMENT = (Payload("multipart/form-data", "XmlUpload"),)

OPERATIONS = (
    Operation(
        name="stamp-retencion",
        method="POST",
        paths=with_format(
            "/retencion/stamp/{version}", "/v3/retencion/stamp/{version}", "/{generation}/retencion/stamp/{version}"
        ),
        endpoint=stamp_retencion,
        logs_rejections=True,
        summary="Stamp a sealed Retenciones 2.0",
        description="Clients of the vendor call version v3; v1, v2 and v4 are by analogy with CFDI.",
        tag="stamping",
        answer="Retencion",
        choices=CHOICES,
        parameters=HEADERS,
        payloads=DOCUMENT,
    ),
    Operation(
        name="issue-retencion",
        method="POST",
        paths=with_format(
            "/retencion/{operation}/{version}",
            "/v3/retencion/{operation}/{version}",
            "/{generation}/retencion/{operation}/{version}",
        ),
        endpoint=stamp_retencion,
        logs_rejections=True,
        summary="Seal a Retenciones 2.0 with the account's CSD and stamp it",
        description=ANALOGOUS,
        tag="stamping",
        answer="Retencion",
        choices=CHOICES,
        parameters=HEADERS,
        payloads=DOCUMENT,
    ),
)
