"""The receiver's side: what waits for its answer, and the answers."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from timbra.api.errors import DEFAULT_STATUS
from timbra.api.exchange import Exchange, json_answer
from timbra.api.members import Members
from timbra.api.operations import Operation
from timbra.api.signed import TAG, SignedService
from timbra.api.wire import coded, coded_refusal
from timbra.cfdi.cancelacion.answer import NAME, Answer
from timbra.service.accepting import NOTHING, Answered, AnswerOrder
from timbra.service.signed_requests import CsdFiles, PfxFile


async def pendings(exchange: Exchange) -> Response:
    """What waits for a receiver's answer; when nothing does, that is an error to clients."""
    found = await asyncio.to_thread(exchange.house.accepting.pendings, exchange.parameters["rfc"])
    if found.code == NOTHING:
        return json_answer(coded_refusal(found.code, found.message), DEFAULT_STATUS)
    return json_answer(coded({"uuid": list(found.uuids)}, found.code, found.message))


async def by_files(exchange: Exchange, members: Members, files: CsdFiles | PfxFile) -> Response:
    """With a CSD or PFX that the request carries."""
    answers = [(one.text("uuid"), one.text("action")) for one in members.objects("uuids")]
    order = AnswerOrder(members.text("rfc"), answers)
    work = exchange.house.accepting.by_files
    return _shown(await asyncio.to_thread(work, exchange.caller, order, files, exchange.request_id))


async def by_xml(exchange: Exchange, xml: bytes) -> Response:
    """With a document that the receiver has signed, up to 500 CFDI."""
    work = exchange.house.accepting.by_xml
    return _shown(await asyncio.to_thread(work, exchange.caller, xml, exchange.request_id))


async def by_uuid(exchange: Exchange) -> Response:
    """With the CSD that the account has stored; a body is ignored."""
    rfc, uuid, action = (exchange.parameters[name] for name in ("rfc", "uuid", "action"))
    work = exchange.house.accepting.by_uuid
    return _shown(await asyncio.to_thread(work, exchange.caller, rfc, uuid, action, exchange.request_id))


def _shown(answered: Answered) -> Response:
    folios = [{"uuid": folio.uuid, "estatusUUID": folio.code, "respuesta": folio.answer} for folio in answered.folios]
    return json_answer(coded({"acuse": answered.acuse, "folios": folios}, answered.code))


SERVICE = SignedService(
    "acceptreject",
    "/acceptreject",
    "Accept or reject cancellations",
    "Answer",
    NAME,
    "the receiver; it names up to 500 CFDI",
    "Answered",
)
OPERATIONS = (
    Operation(
        name="pendings",
        method="GET",
        paths=("/pendings/{rfc}",),
        endpoint=pendings,
        summary="Which cancellations wait for a receiver's answer",
        description="None at all is answered with 400 and `codStatus` 1101.",
        tag=TAG,
        answer="Pendings",
    ),
    *SERVICE.operations(by_files, by_xml),
    Operation(
        name="acceptreject-uuid",
        method="POST",
        paths=("/acceptreject/{rfc}/{uuid}/{action}",),
        endpoint=by_uuid,
        summary="Accept or reject one cancellation, with the account's stored CSD of the receiver",
        description=f"`action`: {' or '.join(Answer)}.",
        tag=TAG,
        answer="Answered",
    ),
)
