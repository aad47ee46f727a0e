"""Validation of a CFDI, with or without its status at the authority."""

from __future__ import annotations

from starlette.responses import Response

from timbra.api.framework.operation import Operation, Parameter, Payload
from timbra.api.framework.request_context import RequestContext, json_response
from timbra.api.parsing.decoding import xml_bytes
from timbra.api.parsing.multipart import xml_part
from timbra.api.serializers.validation import report_answer
from timbra.errors import ServiceError
from timbra.service.services import ValidationServices


async def validate(request: RequestContext, services: ValidationServices) -> Response:
    """Answer with the report. The errors of an invoice are entries of a successful answer."""
    with_status = _with_status(request.query("validatestatus"))
    content = xml_part(await request.body(), request.content_type)
    xml = xml_bytes(content, base64=False)
    report = await services.validation.validate(xml, with_status, request.pools.account, request.pools.run_database)
    return json_response(report_answer(report))


def _with_status(value: str | None) -> bool:
    """Whether the fiscal status is queried: unless the value is `false`."""
    word = (value or "").strip().lower()
    if word in ("", "true"):
        return True
    if word == "false":
        return False
    raise ServiceError("TB4005", "El parámetro validatestatus solo admite el valor false.")


OPERATIONS = (
    Operation(
        name="validate",
        method="POST",
        paths=("/validate/cfdi", "/validate/cfdi33"),
        endpoint=validate,
        summary="Validate a CFDI 3.3 or 4.0",
        tag="validation",
        answer="Report",
        parameters=(
            Parameter("validatestatus", "query", "`false` omits the status of the SAT.", choices=("false", "true")),
        ),
        payloads=(Payload("multipart/form-data", "XmlUpload"),),
    ),
)
