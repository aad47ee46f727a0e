"""The printed representation over HTTP: of a CFDI that comes along, or of a stored one."""

from __future__ import annotations

import asyncio
import binascii
from base64 import b64decode, b64encode

from starlette.responses import Response

from timbra.api.content import xml_bytes
from timbra.api.exchange import Exchange, json_answer
from timbra.api.members import Members
from timbra.api.operations import Operation, Payload
from timbra.api.wire import Json, success
from timbra.errors import ServiceError
from timbra.rendering.logo import MOST_BYTES, Logo, read_logo
from timbra.service.printing import Printed

MOST_BASE64 = MOST_BYTES * 4 // 3 + 4
REGENERATED = "Solicitud se proceso correctamente."


async def generate(exchange: Exchange) -> Response:
    """A PDF of the CFDI in `xmlContent`. templateId and extras are for templates of which there is one."""
    members = Members.read(await exchange.body())
    xml = xml_bytes(members.text("xmlContent").encode("utf-8", "surrogatepass"), base64=False)
    printed = await exchange.house.printing.printed(xml, _logo(members.text("logo")))
    return json_answer(success(_shaped(printed)))


async def regenerate(exchange: Exchange) -> Response:
    """Prints a stored CFDI again, to say whether that is possible; the PDF itself is behind the link of the storage."""
    house = exchange.house
    try:
        record = await asyncio.to_thread(house.storage.own, exchange.caller, exchange.parameters["uuid"])
    except ServiceError as error:
        raise ServiceError("pdf-unknown") if error.code == "storage-unknown" else error from error
    printed = await house.printing.printed(record.cfdi)
    return json_answer({"message": REGENERATED, "messageDetail": None} | success(_shaped(printed)))


def _logo(written: str) -> Logo | None:
    """A picture in base64, also as a data URL; None for an empty text."""
    text = "".join(written.split())
    if text.startswith("data:"):
        text = text.partition(",")[2]
    if not text:
        return None
    if len(text) > MOST_BASE64:
        raise ServiceError("TB4005", f"El logo pasa de {MOST_BYTES // 1024} KiB.")
    try:
        return read_logo(b64decode(text, validate=True))
    except (binascii.Error, ValueError) as error:
        raise ServiceError("TB4005", "El logo no es base64.") from error


def _shaped(printed: Printed) -> Json:
    view = printed.view
    return {
        "contentB64": b64encode(printed.pdf).decode("ascii"),
        "contentSizeBytes": len(printed.pdf),
        "uuid": printed.uuid,
        "serie": view.serie,
        "folio": view.folio,
        "stampDate": printed.stamp_date,
        "issuedDate": view.fecha,
        "rfcIssuer": view.emisor.rfc,
        "rfcReceptor": view.receptor.rfc,
        "total": view.total.replace(",", ""),
    }


OPERATIONS = (
    Operation(
        name="pdf-generate",
        method="POST",
        paths=("/pdf/v1/api/GeneratePdf",),
        endpoint=generate,
        summary="Print a stamped CFDI",
        description="`xmlContent`: XML or base64. `logo`: PNG or JPEG in base64, at most 512 KiB and 4 million pixels.",
        tag="pdf",
        answer="Pdf",
        payloads=(Payload("application/json", "PdfOrder"),),
    ),
    Operation(
        name="pdf-regenerate",
        method="POST",
        paths=("/pdf/v1/api/RegeneratePdf/{uuid}",),
        endpoint=regenerate,
        summary="Print a stored CFDI again",
        tag="pdf",
        answer="PdfAgain",
    ),
)
