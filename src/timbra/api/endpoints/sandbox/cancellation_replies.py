"""The sandbox's controls of cancellation: receivers that answer by themselves, or by us; what happened to a CFDI."""

from __future__ import annotations

from starlette.responses import Response

from timbra.api.endpoints.sandbox.controls import control, members_of
from timbra.api.framework.request_context import RequestContext, json_response
from timbra.api.serializers.sandbox import ReplyAnswer, auto_reply_answer
from timbra.api.serializers.stamps import Json, success
from timbra.clock import to_central_mexico
from timbra.service.sandbox.cancellation_replies import answer_of
from timbra.service.sandbox.ledger import HistoryStep
from timbra.service.services import SandboxServices


async def scripts(request: RequestContext, services: SandboxServices) -> Response:
    """Which receivers answer by themselves."""
    found = await request.pools.run_database(services.cancellation_service.scripts.all)
    return json_response(success([auto_reply_answer(script) for script in found]))


async def set_script(request: RequestContext, services: SandboxServices) -> Response:
    """From now on a receiver answers requests to come; `silence` ends that."""
    members = await members_of(request)
    rfc, answer, delay = members.text("rfc"), members.text("answer"), members.text("delay") or "0s"
    await request.pools.run_database(services.cancellation_service.scripts.set, rfc, answer, delay)
    return await scripts(request, services)


async def clear_scripts(request: RequestContext, services: SandboxServices) -> Response:
    """One receiver, or every one, is silent again."""
    await request.pools.run_database(services.cancellation_service.scripts.clear, request.parameters.get("rfc"))
    return await scripts(request, services)


async def answer(request: RequestContext, services: SandboxServices) -> Response:
    """The receiver's answer to a request that waits, given in its place."""
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
    """Everything that happened to a CFDI on file, in the order of fiscal time."""
    found = await request.pools.run_database(services.ledger.history, request.parameters["uuid"])
    return json_response(success([_history_step(step) for step in found]))


def _history_step(step: HistoryStep) -> Json:
    """Return the step with its details (motivo, from, to, reason) as further members."""
    return {
        "step": step.step,
        "fiscalTime": step.fiscal_at.isoformat(),
        "centralMexico": to_central_mexico(step.fiscal_at),
        "requestId": step.request_id,
        **step.details,
    }


OPERATIONS = (
    control("scripts", "GET", "/scripts", scripts, "Receivers that answer by themselves", "ScriptList"),
    control(
        "script-set",
        "POST",
        "/scripts",
        set_script,
        "Have a receiver answer by itself",
        "ScriptList",
        body="ScriptOrder",
    ),
    control("scripts-clear", "DELETE", "/scripts", clear_scripts, "Silence all receivers", "ScriptList"),
    control("script-clear", "DELETE", "/scripts/{rfc}", clear_scripts, "Silence one receiver", "ScriptList"),
    control(
        "answer",
        "POST",
        "/cfdi/{uuid}/answer",
        answer,
        "Answer a request of cancellation in the receiver's place",
        "AnsweredFor",
        body="AnswerOrder",
    ),
    control("history", "GET", "/cfdi/{uuid}/history", history, "What happened to a CFDI", "History"),
)
