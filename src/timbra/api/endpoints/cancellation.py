"""Cancellation in the four ways: with a CSD or PFX in the request, signed already, or with the stored CSD."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from starlette.responses import Response

from timbra.api.exchange import Exchange, json_answer
from timbra.api.members import Members
from timbra.api.operations import Operation
from timbra.api.signed import TAG, SignedService
from timbra.api.wire import success
from timbra.cfdi.cancelacion.request import NAME
from timbra.errors import ServiceError
from timbra.service.cancelling import Cancelled, CancelOrder
from timbra.service.signed_requests import CsdFiles, PfxFile

MEMBERS = ("rfc", "uuid", "motivo", "foliosustitucion")


async def by_files(exchange: Exchange, members: Members, files: CsdFiles | PfxFile) -> Response:
    """With a CSD or PFX that the request carries."""
    order = _order({name: members.text(name) for name in MEMBERS})
    work = exchange.house.cancelling.by_files
    return _shown(await asyncio.to_thread(work, exchange.caller, order, files, exchange.request_id))


async def by_xml(exchange: Exchange, xml: bytes) -> Response:
    """With a document that the issuer has signed, up to 500 CFDI."""
    work = exchange.house.cancelling.by_xml
    return _shown(await asyncio.to_thread(work, exchange.caller, xml, exchange.request_id))


async def by_uuid(exchange: Exchange) -> Response:
    """With the CSD that the account has stored; a body is ignored."""
    if _has_empty_piece(exchange.scope["path"]):
        exchange.refused = "TB4040"
        return Response(status_code=404)
    order = _order(exchange.parameters)
    work = exchange.house.cancelling.by_uuid
    return _shown(await asyncio.to_thread(work, exchange.caller, order, exchange.request_id))


async def refuse_retenciones(_: Exchange) -> Response:
    """Retenciones are not stamped here, so there are none to cancel."""
    raise ServiceError("TB4006", "La cancelación de retenciones e información de pagos no está disponible.")


def _shown(cancelled: Cancelled) -> Response:
    return json_answer(success({"acuse": cancelled.acuse, "uuid": cancelled.codes}))


def _order(given: Mapping[str, str]) -> CancelOrder:
    return CancelOrder(given["rfc"], given["uuid"], given.get("motivo", ""), given.get("foliosustitucion", ""))


def _has_empty_piece(path: str) -> bool:
    """Whether RFC or UUID is empty; what follows would pass for it, because runs of `/` count as one."""
    return "" in path.lower().partition("/cancel/")[2].split("/")[:2]


SERVICE = SignedService(
    "cancel", "/cfdi33/cancel", "Cancel a CFDI", "Cancel", NAME, "the issuer; it names up to 500 CFDI", "Cancelled"
)
OPERATIONS = (
    *SERVICE.operations(by_files, by_xml),
    Operation(
        name="cancel-uuid",
        method="POST",
        paths=(
            "/cfdi33/cancel/{rfc}/{uuid}/{motivo}",
            "/cfdi33/cancel/{rfc}/{uuid}/{motivo}/{foliosustitucion}",
            "/cfdi33/cancel/{rfc}/{uuid}",
        ),
        endpoint=by_uuid,
        summary="Cancel a CFDI, with the account's stored CSD",
        description="`foliosustitucion` goes with `motivo` 01; `null` stands for none. Without `motivo` the request is "
        "refused, as the SAT has demanded one since 2022.",
        tag=TAG,
        answer="Cancelled",
    ),
    Operation(
        name="refuse-retencion-cancel",
        method="POST",
        paths=("/retencion/cancel/{way}",),
        endpoint=refuse_retenciones,
        summary="Cancellation of retenciones: always refused",
        tag=TAG,
        answer="Error",
        choices={"way": ("csd", "pfx", "xml")},
    ),
)
