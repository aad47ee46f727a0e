"""Which CFDI are related to one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from starlette.responses import Response

from timbra.api.endpoints.cancellation import SIGNED_DOCUMENT
from timbra.api.errors import DEFAULT_STATUS
from timbra.api.exchange import Exchange, json_answer
from timbra.api.members import Members
from timbra.api.operations import Operation, Payload
from timbra.api.signed import csd_files, pfx_file, signed_document, signing_members
from timbra.api.wire import Json, coded, coded_refusal
from timbra.authority.port import CfdiParties
from timbra.service.relating import FOUND, NOT_A_PARTY, Related
from timbra.service.signed_requests import CsdFiles, PfxFile


async def by_csd(exchange: Exchange) -> Response:
    """With a certificate and its key."""
    members = await signing_members(exchange)
    return await _by_files(exchange, members, csd_files(members))


async def by_pfx(exchange: Exchange) -> Response:
    """With both in one file."""
    members = await signing_members(exchange)
    return await _by_files(exchange, members, pfx_file(members))


async def by_xml(exchange: Exchange) -> Response:
    """With a document that the issuer or receiver has signed."""
    return _shown(await asyncio.to_thread(exchange.house.relating.by_xml, await signed_document(exchange)))


async def by_uuid(exchange: Exchange) -> Response:
    """With the CSD that the account has stored; a body is ignored."""
    rfc, uuid = exchange.parameters["rfc"], exchange.parameters["uuid"]
    return _shown(await asyncio.to_thread(exchange.house.relating.by_uuid, exchange.caller, rfc, uuid))


async def _by_files(exchange: Exchange, members: Members, files: CsdFiles | PfxFile) -> Response:
    return _shown(
        await asyncio.to_thread(exchange.house.relating.by_files, members.text("rfc"), members.text("uuid"), files)
    )


def _shown(related: Related) -> Response:
    if related.code == NOT_A_PARTY:
        return json_answer(coded_refusal(related.code, related.message), DEFAULT_STATUS)
    return json_answer(coded(_data(related) if related.code == FOUND else None, related.code, related.message))


def _data(related: Related) -> Json:
    return {
        "uuidConsultado": related.uuid,
        "resultado": related.result,
        "uuidsRelacionadosPadres": _parties(related.parents),
        "uuidsRelacionadosHijos": _parties(related.children),
    }


def _parties(several: Sequence[CfdiParties]) -> list[Json]:
    return [{"uuid": one.uuid, "rfcEmisor": one.issuer_rfc, "rfcReceptor": one.receiver_rfc} for one in several]


OPERATIONS = (
    Operation(
        name="relations-csd",
        method="POST",
        paths=("/relations/csd",),
        endpoint=by_csd,
        summary="Which CFDI are related to one, with a CSD in the request",
        tag="cancellation",
        answer="Related",
        payloads=(Payload("application/json", "RelatedByCsd"),),
    ),
    Operation(
        name="relations-pfx",
        method="POST",
        paths=("/relations/pfx",),
        endpoint=by_pfx,
        summary="Which CFDI are related to one, with a PFX in the request",
        tag="cancellation",
        answer="Related",
        payloads=(Payload("application/json", "RelatedByPfx"),),
    ),
    Operation(
        name="relations-xml",
        method="POST",
        paths=("/relations/xml",),
        endpoint=by_xml,
        summary="Which CFDI are related to the one that a signed document names",
        description="The document is `PeticionConsultaRelacionados` of the SAT, signed with the CSD of who asks.",
        tag="cancellation",
        answer="Related",
        payloads=SIGNED_DOCUMENT,
    ),
    Operation(
        name="relations-uuid",
        method="POST",
        paths=("/relations/{rfc}/{uuid}",),
        endpoint=by_uuid,
        summary="Which CFDI are related to one, with the account's stored CSD of the RFC",
        description="The RFC must be issuer or receiver of the CFDI; otherwise 400 with `codStatus` 2002.",
        tag="cancellation",
        answer="Related",
    ),
)
