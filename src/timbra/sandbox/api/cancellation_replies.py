"""The sandbox's controls of cancellation: automatic and single replies of receivers, and the history of a CFDI."""

from __future__ import annotations

from starlette.responses import Response

from timbra.sandbox.api.controls import control, members_of
from timbra.sandbox.cancellation_replies import answer_of
from timbra.sandbox.serializers import ReplyAnswer, auto_reply_answer, history_step_answer
from timbra.sandbox.services import SandboxServices
from timbra.web.envelopes import success
from timbra.web.framework.request_context import RequestContext, json_response


async def scripts(request: RequestContext, services: SandboxServices) -> Response:
    """Answer with the automatic replies of receivers."""
    found = await request.pools.run_database(services.cancellation_service.scripts.all)
    return json_response(success([auto_reply_answer(script) for script in found]))


async def set_script(request: RequestContext, services: SandboxServices) -> Response:
    """Set the automatic reply of a receiver to later requests; `silence` removes it."""
    members = await members_of(request)
    rfc, answer, delay = members.text("rfc"), members.text("answer"), members.text("delay") or "0s"
    await request.pools.run_database(services.cancellation_service.scripts.set, rfc, answer, delay)
    return await scripts(request, services)


async def clear_scripts(request: RequestContext, services: SandboxServices) -> Response:
    """Remove the automatic reply of one receiver, or of all."""
    await request.pools.run_database(services.cancellation_service.scripts.clear, request.parameters.get("rfc"))
    return await scripts(request, services)


async def answer(request: RequestContext, services: SandboxServices) -> Response:
    """Reply to a pending request of cancellation in the name of the receiver."""
    members = await members_of(request)
    given = answer_of(members.text("answer"))
    receipt = await request.pools.run_database(
        services.cancellation_service.respond,
        request.parameters["uuid"],
        given,
        request.caller.account_id,
        request.request_id,
    )
    [(uuid, code)] = receipt.codes.items()
    return json_response(success(ReplyAnswer(uuid.upper(), code, receipt.acuse.decode())))


async def history(request: RequestContext, services: SandboxServices) -> Response:
    """Answer with the cancellation history of a CFDI, in the order of fiscal time."""
    found = await request.pools.run_database(services.ledger.history, request.parameters["uuid"])
    return json_response(success([history_step_answer(step) for step in found]))


OPERATIONS = (
    control("scripts", "GET", "/scripts", scripts, "List the automatic replies of receivers", "AutoReplyList"),
    control(
        "script-set",
        "POST",
        "/scripts",
        set_script,
        "Set the automatic reply of a receiver",
        "AutoReplyList",
        body="AutoReplyOrder",
    ),
    control("scripts-clear", "DELETE", "/scripts", clear_scripts, "Remove all automatic replies", "AutoReplyList"),
    control(
        "script-clear",
        "DELETE",
        "/scripts/{rfc}",
        clear_scripts,
        "Remove the automatic reply of a receiver",
        "AutoReplyList",
    ),
    control(
        "answer",
        "POST",
        "/cfdi/{uuid}/answer",
        answer,
        "Reply to a request of cancellation in the name of the receiver",
        "ReceiverReply",
        body="AnswerOrder",
    ),
    control("history", "GET", "/cfdi/{uuid}/history", history, "Get the cancellation history of a CFDI", "History"),
)
