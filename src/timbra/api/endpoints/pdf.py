"""The printed representation: of a CFDI in the request, or of a stored one."""

from __future__ import annotations

import binascii
from base64 import b64decode

from starlette.responses import Response

from timbra.api.framework.base_url import verification_pages
from timbra.api.framework.operation import Operation, Payload
from timbra.api.framework.request_context import RequestContext, json_response
from timbra.api.parsing.decoding import xml_bytes
from timbra.api.parsing.json_fields import JsonFields
from timbra.api.serializers.documents import pdf_answer
from timbra.api.serializers.envelopes import MessageAnswer, noticed_success
from timbra.errors import ServiceError
from timbra.messages import notices
from timbra.rendering.logo import MAX_BYTES, Logo, read_logo
from timbra.service.services import DocumentServices

MOST_BASE64 = MAX_BYTES * 4 // 3 + 4
REGENERATED = "Solicitud se proceso correctamente."


async def generate(request: RequestContext, services: DocumentServices) -> Response:
    """Answer with a PDF of the CFDI in `xmlContent`.

    `templateId` and `extras` have no effect, which `messageDetail` states. They are not errors, because published
    clients send them always.
    """
    members = JsonFields.read(await request.body())
    xml = xml_bytes(members.text("xmlContent").encode("utf-8", "surrogatepass"), base64=False)
    printed = await services.printing.print_in_pool(
        request.pools.account, xml, _logo(members.text("logo")), verification_pages(request)
    )
    return json_response(noticed_success(pdf_answer(printed), *_notices(members)))


async def regenerate(request: RequestContext, services: DocumentServices) -> Response:
    """Answer with a PDF of a stored CFDI.

    Raises:
        ServiceError: "pdf-unknown" when the account has no stamp with this UUID, and those of the printing service.
    """
    try:
        record = await request.pools.run_database(services.storage.own, request.caller, request.parameters["uuid"])
    except ServiceError as error:
        raise ServiceError("pdf-unknown") if error.code == "storage-unknown" else error from error
    printed = await services.printing.print_stored(request.pools.account, record, verification_pages(request))
    return json_response(MessageAnswer(REGENERATED, None, pdf_answer(printed)))


def _notices(members: JsonFields) -> list[str]:
    """The sentences about the members that have no effect."""
    unsupported = (("extras", notices.PDF_EXTRAS), ("templateId", notices.PDF_TEMPLATE))
    return [notice for name, notice in unsupported if members.has_value(name)]


def _logo(written: str) -> Logo | None:
    """Read an image in base64, or as a data URL; None for an empty text."""
    text = "".join(written.split())
    if text.startswith("data:"):
        text = text.partition(",")[2]
    if not text:
        return None
    if len(text) > MOST_BASE64:
        raise ServiceError("TB4005", f"El logo pasa de {MAX_BYTES // 1024} KiB.")
    try:
        return read_logo(b64decode(text, validate=True))
    except (binascii.Error, ValueError) as error:
        raise ServiceError("TB4005", "El logo no es base64.") from error


OPERATIONS = (
    Operation(
        name="pdf-generate",
        method="POST",
        paths=("/pdf/v1/api/GeneratePdf",),
        endpoint=generate,
        summary="Print a stamped CFDI or retención",
        description="`xmlContent`: XML or base64. `logo`: PNG or JPEG in base64, at most 512 KiB and 4 million pixels. "
        "`extras` and `templateId` are not supported yet: they have no effect, which `messageDetail` then states.",
        tag="pdf",
        answer="Pdf",
        payloads=(Payload("application/json", "PdfOrder"),),
    ),
    Operation(
        name="pdf-regenerate",
        method="POST",
        paths=("/pdf/v1/api/RegeneratePdf/{uuid}",),
        endpoint=regenerate,
        summary="Print a stored CFDI or retención again",
        tag="pdf",
        answer="RegeneratedPdf",
    ),
)
