"""The sandbox's controls of cancellation: receivers that answer by themselves, or by us; what happened to a CFDI."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from timbra.api.endpoints.sandbox import control, members_of
from timbra.api.exchange import Exchange, json_answer
from timbra.api.wire import Json, success
from timbra.authority.port import Origin
from timbra.authority.sandbox.proceedings import KIND
from timbra.authority.sandbox.scripts import Script, answer_of
from timbra.clock import to_central_mexico
from timbra.store.events import Event


async def scripts(exchange: Exchange) -> Response:
    """Which receivers answer by themselves."""
    found = await asyncio.to_thread(exchange.house.counter.scripts.all)
    return json_answer(success([_script(script) for script in found]))


async def set_script(exchange: Exchange) -> Response:
    """From now on a receiver answers requests to come; `silence` ends that."""
    members = await members_of(exchange)
    rfc, answer, delay = members.text("rfc"), members.text("answer"), members.text("delay") or "0s"
    await asyncio.to_thread(exchange.house.counter.scripts.set, rfc, answer, delay)
    return await scripts(exchange)


async def clear_scripts(exchange: Exchange) -> Response:
    """One receiver, or every one, is silent again."""
    await asyncio.to_thread(exchange.house.counter.scripts.clear, exchange.parameters.get("rfc"))
    return await scripts(exchange)


async def answer(exchange: Exchange) -> Response:
    """The receiver's answer to a request that waits, given in its place."""
    members = await members_of(exchange)
    origin = Origin(exchange.caller.account_id, exchange.request_id)
    given = answer_of(members.text("answer"))
    receipt = await asyncio.to_thread(exchange.house.counter.respond, exchange.parameters["uuid"], given, origin)
    [(uuid, code)] = receipt.codes.items()
    return json_answer(success({"uuid": uuid.upper(), "code": code, "acuse": receipt.acuse.decode()}))


async def history(exchange: Exchange) -> Response:
    """Everything that happened to a CFDI on file, in the order of fiscal time."""
    found = await asyncio.to_thread(exchange.house.ledger.history, exchange.parameters["uuid"])
    return json_answer(success([_event(event) for event in found]))


def _script(script: Script) -> Json:
    return {"rfc": script.rfc, "answer": script.answer, "delay_seconds": int(script.delay.total_seconds())}


def _event(event: Event) -> Json:
    """What was told of the step (motivo, from, to, reason) stands beside it."""
    return {
        "step": event.kind.removeprefix(KIND),
        "fiscal_time": event.fiscal_at.isoformat(),
        "central_mexico": to_central_mexico(event.fiscal_at),
        "request_id": event.request_id,
        **event.body,
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
