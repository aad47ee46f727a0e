"""Stamping: the stamp and issue routes of all generations, with XML or JSON, answered in versions v1 to v4."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import structlog
from starlette.responses import Response

from timbra.cfdi.qr import VerificationQuery
from timbra.core.errors import ServiceError
from timbra.core.text import is_email_address
from timbra.messages import notices
from timbra.stamping.json_documents import JSON_CFDI, json_document
from timbra.stamping.models import CustomIdConflict, DocumentKind, StampingOperation, StampRequest, StampResult
from timbra.stamping.serializers import (
    ARTICLE_69B_HEADER,
    ConflictAnswer,
    StampAnswer,
    article_69b_header,
    conflict_answer,
    rejection_content,
    stamp_answer,
)
from timbra.stamping.services import StampingServices
from timbra.web.envelopes import success
from timbra.web.framework.base_url import verification_pages
from timbra.web.framework.fault_injection import drop_response
from timbra.web.framework.operation import Operation, Parameter, Payload
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.decoding import decode_text, xml_bytes
from timbra.web.parsing.multipart import xml_part

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.api")

MAX_CUSTOM_ID_LENGTH = 300
MAX_ADDRESSES = 10


def custom_id(headers: Mapping[str, str]) -> str | None:
    """Return the custom id, an opaque text; None when absent or blank.

    Args:
        headers: Values by lower-case name.

    Raises:
        ServiceError: "TB4005" when it is longer than `MAX_CUSTOM_ID_LENGTH` characters.
    """
    value = _text(headers.get("customid"))
    if len(value) > MAX_CUSTOM_ID_LENGTH:
        raise ServiceError("TB4005", f"El header customid tiene más de {MAX_CUSTOM_ID_LENGTH} caracteres.")
    return value or None


def emails(headers: Mapping[str, str]) -> tuple[str, ...]:
    """Return the e-mail addresses, which the header separates by commas.

    Args:
        headers: Values by lower-case name.

    Raises:
        ServiceError: "email-too-many" for more than `MAX_ADDRESSES`; "email-invalid" for a malformed address.
    """
    value = _text(headers.get("email"))
    addresses = tuple(address.strip() for address in value.split(",")) if value else ()
    if len(addresses) > MAX_ADDRESSES:
        raise ServiceError("email-too-many")
    if not all(map(is_email_address, addresses)):
        raise ServiceError("email-invalid")
    return addresses


def _text(value: str | None) -> str:
    """Decode a header value, which ASGI passes as Latin-1, as UTF-8 if it is valid."""
    return decode_text(value.encode("latin-1")).strip() if value else ""


async def stamp_document(request: RequestContext, services: StampingServices) -> Response:
    """Stamp or issue the CFDI in the `xml` part of a multipart body."""
    content = xml_part(await request.body(), request.content_type)
    return await _stamp(request, services, xml_bytes(content, base64=is_base64(request)))


async def stamp_json(request: RequestContext, services: StampingServices) -> Response:
    """Issue a CFDI as JSON, or as XML inside JSON."""
    xml = await json_document(request, services, DocumentKind.CFDI, base64=is_base64(request))
    return await _stamp(request, services, xml)


async def stamp_zip(request: RequestContext, services: StampingServices) -> Response:
    """Stamp or issue a CFDI of 10,000 to 120,000 conceptos inside a ZIP."""
    archive = xml_part(await request.body(), request.content_type)
    headers = request.headers
    addresses = emails(headers)
    work = services.large.stamp(
        request.caller,
        archive,
        request.request_id,
        custom_id(headers),
        operation=StampingOperation(request.parameters["operation"]),
        dry_run=read_dry_run(request),
    )
    return await _answer(request, services, work, notices.MAIL_TOO_LARGE if addresses else None)


async def _stamp(request: RequestContext, services: StampingServices, xml: bytes) -> Response:
    request.document = xml
    order, notice = stamp_order(request, services, xml, DocumentKind.CFDI)
    issuing = request.parameters.get("operation") != "stamp"
    stamp = services.stamping.issue if issuing else services.stamping.stamp
    return await _answer(request, services, stamp(order, request.pools.run_database), notice)


def stamp_order(
    request: RequestContext, services: StampingServices, xml: bytes, kind: DocumentKind
) -> tuple[StampRequest, str | None]:
    """Return the order of a request, and why the stamped document is not mailed to the addresses of the request.

    The `/v4` generation introduced customid and email; every route reads them.
    """
    addresses = tuple(dict.fromkeys(emails(request.headers)))
    mail_to = addresses if services.mail_enabled else ()
    notice = notices.MAIL_NOT_CONFIGURED if addresses and not services.mail_enabled else None
    order = StampRequest(
        request.caller,
        xml,
        request.request_id,
        custom_id(request.headers),
        mail_to,
        kind=kind,
        dry_run=read_dry_run(request),
    )
    return order, notice


def read_dry_run(request: RequestContext) -> bool:
    """Return whether the request asks for the answer alone, and state that in a header of the response.

    Raises:
        ServiceError: "TB4005" for a value that is neither true nor false: it must not be taken for a real stamp.
    """
    value = request.query("dry_run") if request.scope["query_string"] else None
    if value is not None and value.lower() not in ("true", "1", "false", "0"):
        raise ServiceError("TB4005", "El parámetro dry_run es true o false.")
    if request.is_dry_run:
        request.response_headers[DRY_RUN_HEADER] = "true"
        return True
    return False


async def _answer(
    request: RequestContext, services: StampingServices, work: Awaitable[StampResult], mail_notice: str | None
) -> Response:
    """The stamp, or the rejection, in the version that the path names.

    Args:
        work: Stamps the document.
        mail_notice: Why the stamped document is not mailed to the addresses of the request; None when it is, or when
            there are none.
    """
    try:
        stamped = await work
    except ServiceError as error:
        content = rejection_content(_answer_data(request, services, error.data), error.data)
        raise ServiceError(error.code, error.detail, data=content, retry_after=error.retry_after) from error
    if not request.is_dry_run:
        await drop_response(request)
    return stamped_response(request, _answer_data(request, services, stamped), stamped, mail_notice)


def stamped_response(request: RequestContext, data: object, stamped: StampResult, mail_notice: str | None) -> Response:
    """The answer of a stamped document; clients expect no `messageDetail` in it, so a header has the notice.

    Args:
        data: the stamp in the version that the path names.
        mail_notice: why the stamped document is not mailed; None when it is, or when there are no addresses.
    """
    if stamped.article_69b is not None:
        request.response_headers[ARTICLE_69B_HEADER] = article_69b_header(stamped.article_69b)
    if mail_notice is not None:
        log.warning("stamped document not mailed", uuid=stamped.uuid, reason=mail_notice)
        request.add_warning(mail_notice)
    return json_response(success(data))


def _answer_data(
    request: RequestContext, services: StampingServices, outcome: object
) -> StampAnswer | ConflictAnswer | None:
    """A stamp, or the stamp behind a conflict, in the version and encoding that the path names."""
    version, base64 = request.parameters.get("version", "v1"), is_base64(request)
    if isinstance(outcome, StampResult):
        return stamp_answer(outcome, version, base64=base64, qr=qr_code(request, services))
    if isinstance(outcome, CustomIdConflict):
        return conflict_answer(outcome, version, base64=base64)
    return None


def qr_code(request: RequestContext, services: StampingServices) -> Callable[[VerificationQuery], bytes]:
    """Return the function that draws the QR code of a verification query; a document without a stamp has none."""
    return lambda query: services.qr.png(verification_pages(request).url(query)) if query.text else b""


def is_base64(request: RequestContext) -> bool:
    return "format" in request.parameters


VERSIONS = ("v1", "v2", "v3", "v4")
CHOICES = {"operation": ("stamp", "issue"), "version": VERSIONS, "format": ("b64",), "generation": ("v4",)}
DRY_RUN_HEADER = "X-Timbra-Dry-Run"
DRY_RUN = Parameter(
    "dry_run",
    "query",
    "`true`: answer what would happen, without stamping: all checks run, nothing is stored and no balance is used. The "
    "answer has the header `X-Timbra-Dry-Run`, the sealed document without a stamp, and a UUID of zeros.",
    ("true", "false"),
)
HEADERS = (
    DRY_RUN,
    Parameter("customid", "header", "Opaque id of the commercial operation, at most 300 characters; guards 72 hours."),
    Parameter(
        "email",
        "header",
        "Up to ten addresses, comma separated, that get XML and PDF. Without a mail server "
        "the header `X-Timbra-Warning` states that nothing is sent.",
    ),
    Parameter("extra", "header", "`pdf`; accepted and without effect: the PDF of every stamp is made on request."),
    Parameter("pdf", "header", "`true` or empty; as `extra: pdf`."),
)
ZIP_HEADERS = (
    *HEADERS[:2],
    Parameter(
        "email",
        "header",
        "Up to ten addresses, comma separated; documents this large are not mailed, which the header "
        "`X-Timbra-Warning` states.",
    ),
)
DOCUMENT = (Payload("multipart/form-data", "XmlUpload"),)
JSON_DOCUMENT = (Payload("application/json", "JsonCfdi"), Payload(JSON_CFDI, "JsonCfdi"))


def with_format(*paths: str) -> tuple[str, ...]:
    return tuple(path + suffix for path in paths for suffix in ("", "/{format}"))


OPERATIONS = (
    Operation(
        name="stamp-document",
        method="POST",
        paths=with_format(
            "/cfdi33/{operation}/{version}",
            "/cfdi33/v2/{operation}/{version}",
            "/v3/cfdi33/{operation}/{version}",
        ),
        endpoint=stamp_document,
        logs_rejections=True,
        summary="Stamp a CFDI",
        description="`stamp`: the client has sealed it. `issue`: the server seals it with the account's CSD.",
        tag="stamping",
        answer="Stamp",
        choices=CHOICES,
        parameters=HEADERS,
        payloads=DOCUMENT,
    ),
    Operation(
        name="stamp-document-v4",
        method="POST",
        paths=(
            *with_format("/{generation}/cfdi33/{operation}/{version}"),
            "/{generation}/cfdi33/{operation}/{version}/analytics",
            "/{generation}/cfdi33/{operation}/{version}/{format}/analytics",
        ),
        endpoint=stamp_document,
        logs_rejections=True,
        summary="Stamp a CFDI, fourth generation",
        tag="stamping",
        answer="Stamp",
        choices=CHOICES,
        parameters=HEADERS,
        payloads=DOCUMENT,
    ),
    Operation(
        name="issue-json",
        method="POST",
        paths=with_format("/cfdi33/issue/json/{version}", "/v3/cfdi33/issue/json/{version}"),
        endpoint=stamp_json,
        logs_rejections=True,
        summary="Seal and stamp a CFDI as JSON, or as XML inside JSON",
        tag="stamping",
        answer="Stamp",
        choices=CHOICES,
        parameters=HEADERS,
        payloads=JSON_DOCUMENT,
    ),
    Operation(
        name="issue-json-v4",
        method="POST",
        paths=with_format("/{generation}/cfdi33/issue/json/{version}"),
        endpoint=stamp_json,
        logs_rejections=True,
        summary="Seal and stamp a CFDI as JSON, fourth generation",
        tag="stamping",
        answer="Stamp",
        choices=CHOICES,
        parameters=HEADERS,
        payloads=JSON_DOCUMENT,
    ),
    Operation(
        name="stamp-zip",
        method="POST",
        paths=("/cfdi/{operation}/v1/zip", "/cfdi/{operation}/v1/zip/{version}"),
        endpoint=stamp_zip,
        logs_rejections=True,
        summary="Stamp a CFDI of 10,000 to 120,000 conceptos, sent inside a ZIP",
        description="`stamp`: the client has sealed it. `issue`: the server seals it with the account's CSD.",
        tag="stamping",
        answer="Stamp",
        choices=CHOICES,
        parameters=ZIP_HEADERS,
        payloads=(Payload("multipart/form-data", "ZipUpload"),),
    ),
)
