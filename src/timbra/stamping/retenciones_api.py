"""Stamping of CFDI de retenciones e información de pagos, answered in versions v1 to v4."""

from __future__ import annotations

from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.stamping.api import HEADERS, VERSIONS, is_base64, qr_code, stamp_order, stamped_response, with_format
from timbra.stamping.json_documents import JSON_CFDI, json_document
from timbra.stamping.models import CustomIdConflict, DocumentKind, StampResult
from timbra.stamping.serializers import (
    ConflictAnswer,
    RetencionAnswer,
    conflict_answer,
    rejection_content,
    retencion_answer,
)
from timbra.stamping.services import StampingServices
from timbra.web.framework.fault_injection import drop_response
from timbra.web.framework.operation import Operation, Payload
from timbra.web.framework.request_context import RequestContext
from timbra.web.parsing.decoding import xml_bytes
from timbra.web.parsing.multipart import xml_part

ANALOGOUS = "No client of the vendor is known to call it: the route is by analogy with that of CFDI."


async def stamp_retencion(request: RequestContext, services: StampingServices) -> Response:
    """Stamp or issue the retención in the `xml` part of a multipart body."""
    issuing = request.parameters.get("operation") == "issue"
    body = await request.body()
    try:
        xml = xml_bytes(xml_part(body, request.content_type), base64=is_base64(request))
    except ServiceError as error:
        raise _reading_error(error) from error.__cause__
    return await _stamp(request, services, xml, issuing=issuing)


async def issue_retencion_json(request: RequestContext, services: StampingServices) -> Response:
    """Issue a retención as JSON, or as XML inside JSON."""
    try:
        xml = await json_document(request, services, DocumentKind.RETENCIONES, base64=is_base64(request))
    except ServiceError as error:
        raise _reading_error(error) from error.__cause__
    return await _stamp(request, services, xml, issuing=True)


def _reading_error(error: ServiceError) -> ServiceError:
    """Return the error of a body without a retención; clients compare 301 without a detail for an empty one."""
    return ServiceError("301") if error.code == "xml-missing" else DocumentKind.RETENCIONES.error(error)


async def _stamp(request: RequestContext, services: StampingServices, xml: bytes, *, issuing: bool) -> Response:
    request.document = xml
    order, mail_notice = stamp_order(request, services, xml, DocumentKind.RETENCIONES)
    stamp = services.stamping.issue if issuing else services.stamping.stamp
    try:
        stamped = await stamp(order, request.pools.run_database)
    except ServiceError as error:
        content = rejection_content(_answer_data(request, services, error.data), error.data)
        raise ServiceError(error.code, error.detail, data=content, retry_after=error.retry_after) from error
    if not request.is_dry_run:
        await drop_response(request)
    return stamped_response(request, _answer_data(request, services, stamped), stamped, mail_notice)


def _answer_data(
    request: RequestContext, services: StampingServices, outcome: object
) -> RetencionAnswer | ConflictAnswer | None:
    """Return a stamp, or the stamp behind a conflict, in the version and encoding that the path names."""
    version, base64 = request.parameters.get("version", "v1"), is_base64(request)
    if isinstance(outcome, StampResult):
        return retencion_answer(outcome, version, base64=base64, qr=qr_code(request, services))
    if isinstance(outcome, CustomIdConflict):
        return conflict_answer(outcome, version, base64=base64)
    return None


CHOICES = {"version": VERSIONS, "format": ("b64",), "generation": ("v4",), "operation": ("issue",)}
JSON_CHOICES = {"version": VERSIONS, "format": ("b64",), "generation": ("v4",)}
DOCUMENT = (Payload("multipart/form-data", "XmlUpload"),)
JSON_DOCUMENT = (Payload("application/json", "JsonRetencion"), Payload(JSON_CFDI, "JsonRetencion"))

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
    Operation(
        name="issue-retencion-json",
        method="POST",
        paths=with_format(
            "/retencion/issue/json/{version}",
            "/v3/retencion/issue/json/{version}",
            "/{generation}/retencion/issue/json/{version}",
        ),
        endpoint=issue_retencion_json,
        logs_rejections=True,
        summary="Seal and stamp a Retenciones 2.0 as JSON, or as XML inside JSON",
        description=ANALOGOUS,
        tag="stamping",
        answer="Retencion",
        choices=JSON_CHOICES,
        parameters=HEADERS,
        payloads=JSON_DOCUMENT,
    ),
)
