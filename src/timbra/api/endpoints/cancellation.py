"""Cancellation in the four ways: with a CSD or PFX in the request, signed already, or with the stored CSD."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from starlette.responses import Response

from timbra.api.exchange import Exchange, json_answer
from timbra.api.members import Members
from timbra.api.operations import Operation, Payload
from timbra.api.signed import csd_files, pfx_file, signed_document, signing_members
from timbra.api.wire import success
from timbra.errors import ServiceError
from timbra.service.cancelling import Cancelled, CancelOrder
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
    """With a document that the issuer has signed."""
    xml = await signed_document(exchange)
    return _shown(await asyncio.to_thread(exchange.house.cancelling.by_xml, exchange.caller, xml, exchange.request_id))


async def by_uuid(exchange: Exchange) -> Response:
    """With the CSD that the account has stored; a body is ignored."""
    if _has_empty_piece(exchange.scope["path"]):
        exchange.refused = "TB4040"
        return Response(status_code=404)
    order = _order(exchange.parameters)
    return _shown(
        await asyncio.to_thread(exchange.house.cancelling.by_uuid, exchange.caller, order, exchange.request_id)
    )


async def refuse_retenciones(_: Exchange) -> Response:
    """Retenciones are not stamped here, so there are none to cancel."""
    raise ServiceError("TB4006", "La cancelación de retenciones e información de pagos no está disponible.")


async def _by_files(exchange: Exchange, members: Members, files: CsdFiles | PfxFile) -> Response:
    names = ("rfc", "uuid", "motivo", "foliosustitucion")
    order = _order({name: members.text(name) for name in names})
    return _shown(
        await asyncio.to_thread(exchange.house.cancelling.by_files, exchange.caller, order, files, exchange.request_id)
    )


def _shown(cancelled: Cancelled) -> Response:
    return json_answer(success({"acuse": cancelled.acuse, "uuid": cancelled.codes}))


def _order(given: Mapping[str, str]) -> CancelOrder:
    return CancelOrder(given["rfc"], given["uuid"], given.get("motivo", ""), given.get("foliosustitucion", ""))


def _has_empty_piece(path: str) -> bool:
    """Whether RFC or UUID is empty; what follows would pass for it, because runs of `/` count as one."""
    return "" in path.lower().partition("/cancel/")[2].split("/")[:2]


SIGNED_DOCUMENT = (Payload("multipart/form-data", "XmlUpload"),)

OPERATIONS = (
    Operation(
        name="cancel-csd",
        method="POST",
        paths=("/cfdi33/cancel/csd",),
        endpoint=by_csd,
        summary="Cancel a CFDI with a CSD in the request",
        tag="cancellation",
        answer="Cancelled",
        payloads=(Payload("application/json", "CancelByCsd"),),
    ),
    Operation(
        name="cancel-pfx",
        method="POST",
        paths=("/cfdi33/cancel/pfx",),
        endpoint=by_pfx,
        summary="Cancel a CFDI with a PFX in the request",
        tag="cancellation",
        answer="Cancelled",
        payloads=(Payload("application/json", "CancelByPfx"),),
    ),
    Operation(
        name="cancel-xml",
        method="POST",
        paths=("/cfdi33/cancel/xml",),
        endpoint=by_xml,
        summary="Cancel what a signed document says, up to 500 CFDI",
        description="The document is `Cancelacion` of the SAT, signed with the CSD of its issuer.",
        tag="cancellation",
        answer="Cancelled",
        payloads=SIGNED_DOCUMENT,
    ),
    Operation(
        name="cancel-uuid",
        method="POST",
        paths=(
            "/cfdi33/cancel/{rfc}/{uuid}/{motivo}",
            "/cfdi33/cancel/{rfc}/{uuid}/{motivo}/{foliosustitucion}",
            "/cfdi33/cancel/{rfc}/{uuid}",
        ),
        endpoint=by_uuid,
        summary="Cancel a CFDI with the account's stored CSD",
        description="`foliosustitucion` goes with `motivo` 01; `null` stands for none. Without `motivo` the request is "
        "refused, as the SAT has demanded one since 2022.",
        tag="cancellation",
        answer="Cancelled",
    ),
    Operation(
        name="refuse-retencion-cancel",
        method="POST",
        paths=("/retencion/cancel/{way}",),
        endpoint=refuse_retenciones,
        summary="Cancellation of retenciones: always refused",
        tag="cancellation",
        answer="Error",
        choices={"way": ("csd", "pfx", "xml")},
    ),
)
