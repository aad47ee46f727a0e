"""Which CFDI are related to one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from starlette.responses import Response

from timbra.api.errors import DEFAULT_STATUS
from timbra.api.exchange import Exchange, json_answer
from timbra.api.members import Members
from timbra.api.operations import Operation
from timbra.api.signed import TAG, SignedService
from timbra.api.wire import Json, coded, coded_refusal
from timbra.authority.port import CfdiParties
from timbra.cfdi.cancelacion.relations import NAME
from timbra.service.relating import FOUND, NOT_A_PARTY, Related
from timbra.service.signed_requests import CsdFiles, PfxFile


async def by_files(exchange: Exchange, members: Members, files: CsdFiles | PfxFile) -> Response:
    """With a CSD or PFX that the request carries."""
    work = exchange.house.relating.by_files
    return _shown(await asyncio.to_thread(work, members.text("rfc"), members.text("uuid"), files))


async def by_xml(exchange: Exchange, xml: bytes) -> Response:
    """With a document that the issuer or receiver has signed."""
    return _shown(await asyncio.to_thread(exchange.house.relating.by_xml, xml))


async def by_uuid(exchange: Exchange) -> Response:
    """With the CSD that the account has stored; a body is ignored."""
    rfc, uuid = exchange.parameters["rfc"], exchange.parameters["uuid"]
    return _shown(await asyncio.to_thread(exchange.house.relating.by_uuid, exchange.caller, rfc, uuid))


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


SERVICE = SignedService(
    "relations", "/relations", "Which CFDI are related to one", "Related", NAME, "who asks", "Related"
)
OPERATIONS = (
    *SERVICE.operations(by_files, by_xml),
    Operation(
        name="relations-uuid",
        method="POST",
        paths=("/relations/{rfc}/{uuid}",),
        endpoint=by_uuid,
        summary="Which CFDI are related to one, with the account's stored CSD of the RFC",
        description="The RFC must be issuer or receiver of the CFDI; otherwise 400 with `codStatus` 2002.",
        tag=TAG,
        answer="Related",
    ),
)
