"""What requests in a taxpayer's name bring: a CSD, a PFX, or a document that is signed already."""

from __future__ import annotations

from timbra.api.content import xml_bytes
from timbra.api.exchange import Exchange
from timbra.api.members import Members
from timbra.api.multipart import xml_part
from timbra.service.signed_requests import CsdFiles, PfxFile

MAX_BODY_BYTES = 1024 * 1024


async def signing_members(exchange: Exchange) -> Members:
    """The members of a JSON body; a value of a wrong type is told as a problem of the fields."""
    return Members.read(await exchange.body(MAX_BODY_BYTES), "cancel-fields")


def csd_files(members: Members) -> CsdFiles:
    return CsdFiles(members.text("b64Cer"), members.text("b64Key"), members.text("password"))


def pfx_file(members: Members) -> PfxFile:
    return PfxFile(members.text("b64Pfx"), members.text("password"))


async def signed_document(exchange: Exchange) -> bytes:
    """The `xml` part of a multipart body. ServiceError("xml-missing", "TB4003")."""
    return xml_bytes(xml_part(await exchange.body(MAX_BODY_BYTES), exchange.content_type), base64=False)
