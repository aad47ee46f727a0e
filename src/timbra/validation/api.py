"""Validation of a CFDI, with or without its status at the authority, and look-ups of an RFC in the published lists."""

from __future__ import annotations

from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.stamping.models import DocumentKind
from timbra.validation.serializers import article_69b_answer, lrfc_answer, report_answer
from timbra.validation.services import ValidationServices
from timbra.web.envelopes import success
from timbra.web.framework.operation import Operation, Parameter, Payload
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.decoding import xml_bytes
from timbra.web.parsing.multipart import xml_part


async def validate(request: RequestContext, services: ValidationServices) -> Response:
    """Answer with the report. The errors of an invoice are entries of a successful answer."""
    with_status = _flag(request, "validatestatus", default=True)
    require_stamp = _flag(request, "requirestamp", default=False)
    content = xml_part(await request.body(), request.content_type)
    xml = xml_bytes(content, base64=False)
    report = await services.validation.validate(
        xml,
        with_status,
        request.pools.account,
        request.pools.run_database,
        require_stamp=require_stamp,
        kind=DocumentKind.CFDI,
        leniency=request.caller.vendor_leniency,
    )
    return json_response(report_answer(report))


async def validate_retencion(request: RequestContext, services: ValidationServices) -> Response:
    """Answer with the report of a retención."""
    with_status = _flag(request, "validatestatus", default=True)
    content = xml_part(await request.body(), request.content_type)
    try:
        xml = xml_bytes(content, base64=False)
    except ServiceError as error:
        raise DocumentKind.RETENCIONES.error(error) from error.__cause__
    report = await services.validation.validate(
        xml,
        with_status,
        request.pools.account,
        request.pools.run_database,
        require_stamp=_flag(request, "requirestamp", default=False),
        kind=DocumentKind.RETENCIONES,
        leniency=request.caller.vendor_leniency,
    )
    return json_response(report_answer(report))


async def lrfc(request: RequestContext, services: ValidationServices) -> Response:
    """Answer with the row of l_RFC."""
    row = await request.pools.run_database(services.taxpayer_lookup.lrfc, request.parameters["rfc"])
    return json_response(success(lrfc_answer(row)))


async def article_69b(request: RequestContext, services: ValidationServices) -> Response:
    """Answer with the row of the list of article 69-B."""
    row = await request.pools.run_database(services.taxpayer_lookup.article_69b, request.parameters["rfc"])
    return json_response(success(article_69b_answer(row)))


def _flag(request: RequestContext, name: str, *, default: bool) -> bool:
    """Read a parameter that is `true` or `false`; the default when it is absent or empty."""
    word = (request.query(name) or "").strip().lower()
    if word in ("true", "false"):
        return word == "true"
    if word:
        raise ServiceError("TB4005", f"El parámetro {name} solo admite los valores true y false.")
    return default


VALIDATE_STATUS = Parameter(
    "validatestatus", "query", "`false` omits the status of the SAT.", choices=("false", "true")
)
REQUIRE_STAMP = Parameter(
    "requirestamp",
    "query",
    "`true` reports a document without a stamp as an error instead of a warning, as checks of received invoices need.",
    choices=("false", "true"),
)
OPERATIONS = (
    Operation(
        name="validate",
        method="POST",
        paths=("/validate/cfdi", "/validate/cfdi33"),
        endpoint=validate,
        summary="Validate a CFDI 3.3 or 4.0",
        tag="validation",
        answer="Report",
        parameters=(VALIDATE_STATUS, REQUIRE_STAMP),
        payloads=(Payload("multipart/form-data", "XmlUpload"),),
    ),
    Operation(
        name="validate-retencion",
        method="POST",
        paths=("/validate/retenciones",),
        endpoint=validate_retencion,
        summary="Validate a Retenciones 2.0 or 1.0",
        description="The status is that of the SAT's page for retenciones: `statusSat` alone; the page says nothing "
        "about `isCancelable` and `statusCancelation`.",
        tag="validation",
        answer="Report",
        parameters=(VALIDATE_STATUS, REQUIRE_STAMP),
        payloads=(Payload("multipart/form-data", "XmlUpload"),),
    ),
    Operation(
        name="lrfc",
        method="GET",
        paths=("/lrfc/{rfc}",),
        endpoint=lrfc,
        summary="Look up an RFC in l_RFC",
        tag="lists",
        answer="Lrfc",
    ),
    Operation(
        name="article-69b",
        method="GET",
        paths=("/taxpayers/{rfc}",),
        endpoint=article_69b,
        summary="Look up an RFC in the list of article 69-B",
        tag="lists",
        answer="Article69B",
    ),
)
