"""The receiver's side: what waits for its answer, and the answers."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from timbra.api.endpoints.cancellation import SIGNED_DOCUMENT
from timbra.api.errors import DEFAULT_STATUS
from timbra.api.exchange import Exchange, json_answer
from timbra.api.members import Members
from timbra.api.operations import Operation, Payload
from timbra.api.signed import csd_files, pfx_file, signed_document, signing_members
from timbra.api.wire import coded, coded_refusal
from timbra.cfdi.cancelacion.answer import Answer
from timbra.service.accepting import NOTHING, Answered, AnswerOrder
from timbra.service.signed_requests import CsdFiles, PfxFile


async def pendings(exchange: Exchange) -> Response:
    """What waits for a receiver's answer; when nothing does, that is an error to clients."""
    found = await asyncio.to_thread(exchange.house.accepting.pendings, exchange.parameters["rfc"])
    if found.code == NOTHING:
        return json_answer(coded_refusal(found.code, found.message), DEFAULT_STATUS)
    return json_answer(coded({"uuid": list(found.uuids)}, found.code, found.message))


async def by_csd(exchange: Exchange) -> Response:
    """With a certificate and its key."""
    members = await signing_members(exchange)
    return await _by_files(exchange, members, csd_files(members))


async def by_pfx(exchange: Exchange) -> Response:
    """With both in one file."""
    members = await signing_members(exchange)
    return await _by_files(exchange, members, pfx_file(members))


async def by_xml(exchange: Exchange) -> Response:
    """With a document that the receiver has signed."""
    xml = await signed_document(exchange)
    return _shown(await asyncio.to_thread(exchange.house.accepting.by_xml, exchange.caller, xml, exchange.request_id))


async def by_uuid(exchange: Exchange) -> Response:
    """With the CSD that the account has stored; a body is ignored."""
    rfc, uuid, action = (exchange.parameters[name] for name in ("rfc", "uuid", "action"))
    return _shown(
        await asyncio.to_thread(
            exchange.house.accepting.by_uuid, exchange.caller, rfc, uuid, action, exchange.request_id
        )
    )


async def _by_files(exchange: Exchange, members: Members, files: CsdFiles | PfxFile) -> Response:
    answers = [(one.text("uuid"), one.text("action")) for one in members.objects("uuids")]
    order = AnswerOrder(members.text("rfc"), answers)
    return _shown(
        await asyncio.to_thread(exchange.house.accepting.by_files, exchange.caller, order, files, exchange.request_id)
    )


def _shown(answered: Answered) -> Response:
    folios = [{"uuid": folio.uuid, "estatusUUID": folio.code, "respuesta": folio.answer} for folio in answered.folios]
    return json_answer(coded({"acuse": answered.acuse, "folios": folios}, answered.code))


OPERATIONS = (
    Operation(
        name="pendings",
        method="GET",
        paths=("/pendings/{rfc}",),
        endpoint=pendings,
        summary="Which cancellations wait for a receiver's answer",
        description="None at all is answered with 400 and `codStatus` 1101.",
        tag="cancellation",
        answer="Pendings",
    ),
    Operation(
        name="acceptreject-csd",
        method="POST",
        paths=("/acceptreject/csd",),
        endpoint=by_csd,
        summary="Accept or reject cancellations with the receiver's CSD in the request",
        tag="cancellation",
        answer="Answered",
        payloads=(Payload("application/json", "AnswerByCsd"),),
    ),
    Operation(
        name="acceptreject-pfx",
        method="POST",
        paths=("/acceptreject/pfx",),
        endpoint=by_pfx,
        summary="Accept or reject cancellations with the receiver's PFX in the request",
        tag="cancellation",
        answer="Answered",
        payloads=(Payload("application/json", "AnswerByPfx"),),
    ),
    Operation(
        name="acceptreject-xml",
        method="POST",
        paths=("/acceptreject/xml",),
        endpoint=by_xml,
        summary="Accept or reject what a signed document says, up to 500 CFDI",
        description="The document is `SolicitudAceptacionRechazo` of the SAT, signed with the CSD of the receiver.",
        tag="cancellation",
        answer="Answered",
        payloads=SIGNED_DOCUMENT,
    ),
    Operation(
        name="acceptreject-uuid",
        method="POST",
        paths=("/acceptreject/{rfc}/{uuid}/{action}",),
        endpoint=by_uuid,
        summary="Accept or reject one cancellation with the account's stored CSD of the receiver",
        description=f"`action`: {' or '.join(Answer)}.",
        tag="cancellation",
        answer="Answered",
    ),
)
