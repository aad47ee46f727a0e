"""SW's batch service: SOAP 1.1, `ProcessBatchV2` and `ProcessBatchV3`, with the token in the body."""

from __future__ import annotations

from typing import IO
from xml.sax.saxutils import escape, quoteattr

from starlette.responses import Response

from timbra.batches.batches import BatchService
from timbra.batches.envelope import OPERATIONS as SOAP_OPERATIONS
from timbra.batches.envelope import TEMPURI, BatchEnvelope, BatchEnvelopeParser, unreadable
from timbra.batches.store.models import Batch
from timbra.core.errors import ServiceError
from timbra.core.scopes import STAMP
from timbra.core.soap import CONTENT_TYPE, FAULT_STATUS, envelope, fault
from timbra.stamping.models import StampingOperation
from timbra.web.framework.base_url import base_url
from timbra.web.framework.error_responses import to_public_error
from timbra.web.framework.request_context import RequestContext
from timbra.web.framework.soap_operations import soap_operations
from timbra.web.parsing.request_body import BodyRejectedError
from timbra.web.public_errors import texts_of

PATH = "/BatchService.svc"
ENVELOPE_BYTES = 64 * 1024
"""What an envelope may have besides the archive."""
UNAUTHENTICATED_BYTES = 256 * 1024
"""How much of an envelope is read before its token."""
DECLARATION = '<?xml version="1.0" encoding="utf-8"?>'


async def process_batch(request: RequestContext, service: BatchService) -> Response:
    """Receive a ZIP and queue it; answer with the identifier of the batch, or with a fault."""
    try:
        with service.open_spool() as spool:
            received = await _read(request, service, spool)
            batch = await request.pools.run_database(_submit, service, request, spool, received)
    except ServiceError as error:
        return _fault(request, error)
    name = received.operation
    result = f'<{name}Response xmlns="{TEMPURI}"><{name}Result>{batch.id}</{name}Result></{name}Response>'
    return Response(envelope(result), headers={"content-type": CONTENT_TYPE})


async def wsdl(request: RequestContext, _: BatchService) -> Response:
    """Answer with the WSDL, with or without `?wsdl`."""
    return Response(description(base_url(request) + PATH), headers={"content-type": CONTENT_TYPE})


async def _read(request: RequestContext, service: BatchService, spool: IO[bytes]) -> BatchEnvelope:
    """Parse the envelope while it arrives; the archive is read only after its token was verified."""
    limit = service.limits.archive_bytes
    parser = BatchEnvelopeParser(spool, limit)
    # Base64 has 4 characters for 3 bytes, and lines of 64 or 76 characters.
    size, most = 0, limit * 3 // 2 + ENVELOPE_BYTES
    async for piece in request.chunks(most):
        size += len(piece)
        for start in range(0, len(piece), ENVELOPE_BYTES):
            parser.feed(piece[start : start + ENVELOPE_BYTES])
        if request.caller_or_none is None:
            await _authenticate(request, parser.envelope)
        if request.caller_or_none is None and size > UNAUTHENTICATED_BYTES:
            raise unreadable("El token va antes que el contenido.")
    received = parser.close()
    if request.caller_or_none is None:
        # Without a token: the usual rejection.
        request.headers = {**request.headers, "authorization": ""}
        await request.authenticate_caller()
    return received


async def _authenticate(request: RequestContext, received: BatchEnvelope) -> None:
    token = received.fields.get("token")
    if token is None:
        return
    request.headers = {**request.headers, "authorization": f"Bearer {token}" if token else ""}
    caller = await request.authenticate_caller()
    if not caller.may(STAMP):
        raise ServiceError("TB4012", f"La operación pide el alcance {STAMP}.")


def _submit(service: BatchService, request: RequestContext, spool: IO[bytes], received: BatchEnvelope) -> Batch:
    spool.flush()
    name = received.fields.get("originalFileName", "")
    pdf = received.fields.get("generatePdf", "").lower() in ("true", "1")
    operation = StampingOperation.STAMP.value
    return service.submit(
        request.caller.account_id,
        spool,
        name,
        operation,
        base_url(request),
        pdf=pdf,
        pdf_template=received.fields.get("pdfTemplateId", ""),
    )


def _fault(request: RequestContext, error: ServiceError) -> Response:
    public = to_public_error(error)
    request.error_code = public.code
    message, detail = texts_of(public)
    code = "Server" if public.retry_after is not None else "Client"
    content = fault(code, message, detail=f"<messageDetail>{escape(detail)}</messageDetail>" if detail else "")
    response = Response(content, FAULT_STATUS, headers={"content-type": CONTENT_TYPE})
    if public.retry_after is not None:
        response.headers["Retry-After"] = str(public.retry_after)
    if isinstance(error, BodyRejectedError) or not request.body_read:
        response.headers["Connection"] = "close"
    return response


def description(address: str) -> str:
    """Return the WSDL of the service. `address`: URL of the service."""
    optional = {"ProcessBatchV2": (), "ProcessBatchV3": ("generatePdf", "pdfTemplateId")}
    types, messages, port, binding = "", "", "", ""
    for name in SOAP_OPERATIONS:
        children = "".join(
            f'<xs:element minOccurs="{0 if child in optional[name] else 1}" name="{child}" type="xs:{kind}"/>'
            for child, kind in _members(name)
        )
        types += (
            f'<xs:element name="{name}"><xs:complexType><xs:sequence>{children}</xs:sequence></xs:complexType>'
            f'</xs:element><xs:element name="{name}Response"><xs:complexType><xs:sequence><xs:element minOccurs="0" '
            f'name="{name}Result" nillable="true" type="xs:string"/></xs:sequence></xs:complexType></xs:element>'
        )
        messages += (
            f'<wsdl:message name="{name}In"><wsdl:part name="parameters" element="tns:{name}"/></wsdl:message>'
            f'<wsdl:message name="{name}Out"><wsdl:part name="parameters" element="tns:{name}Response"/>'
            "</wsdl:message>"
        )
        port += (
            f'<wsdl:operation name="{name}"><wsdl:input message="tns:{name}In"/>'
            f'<wsdl:output message="tns:{name}Out"/></wsdl:operation>'
        )
        binding += (
            f'<wsdl:operation name="{name}"><soap:operation soapAction="{TEMPURI}IBatchService/{name}" '
            'style="document"/><wsdl:input><soap:body use="literal"/></wsdl:input><wsdl:output>'
            '<soap:body use="literal"/></wsdl:output></wsdl:operation>'
        )
    return (
        f'{DECLARATION}<wsdl:definitions name="BatchService" targetNamespace="{TEMPURI}" xmlns:tns="{TEMPURI}" '
        'xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" '
        f'xmlns:xs="http://www.w3.org/2001/XMLSchema"><wsdl:types><xs:schema elementFormDefault="qualified" '
        f'targetNamespace="{TEMPURI}">{types}</xs:schema></wsdl:types>{messages}'
        f'<wsdl:portType name="IBatchService">{port}</wsdl:portType>'
        '<wsdl:binding name="BasicHttpBinding_IBatchService" type="tns:IBatchService">'
        f'<soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>{binding}</wsdl:binding>'
        '<wsdl:service name="BatchService"><wsdl:port name="BasicHttpBinding_IBatchService" '
        f'binding="tns:BasicHttpBinding_IBatchService"><soap:address location={quoteattr(address)}/></wsdl:port>'
        "</wsdl:service></wsdl:definitions>"
    )


def _members(operation: str) -> list[tuple[str, str]]:
    """Return the children of an operation with their types, in the order of the contract."""
    pdf = [("generatePdf", "boolean"), ("pdfTemplateId", "string")] if operation == "ProcessBatchV3" else []
    return [("token", "string"), ("originalFileName", "string"), *pdf, ("content", "base64Binary")]


OPERATIONS = soap_operations(
    "batch-soap",
    PATH,
    process_batch,
    wsdl,
    summary="Stamp the sealed documents of a ZIP: SW's batch service",
    description="SOAP 1.1, `ProcessBatchV2` and `ProcessBatchV3`, with the token in the body. The answer has the "
    "identifier of the batch; the end is told to the account's webhook of the format `sw-batch`.",
    tag="batches",
)
