"""Balances of stamps: the caller's own, and those that an administrator sees and moves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from starlette.responses import Response

from timbra.api.exchange import Exchange, json_answer
from timbra.api.managed import balance_body, old_balance, single_body
from timbra.api.members import Members
from timbra.api.operations import Access, Operation, Payload
from timbra.api.wire import success
from timbra.service.orders import Caller

MAX_BODY_BYTES = 64 * 1024
STAMPS = "/management/v2/api/dealers/users/{id}/stamps"
Move = Callable[[Caller, str, int, str], int]


async def balance(exchange: Exchange) -> Response:
    """The caller's own."""
    view = await asyncio.to_thread(exchange.house.management.balance, exchange.caller)
    return json_answer(balance_body(view))


async def balance_v1(exchange: Exchange) -> Response:
    """The caller's own, in the shape of the first generation."""
    view = await asyncio.to_thread(exchange.house.management.balance, exchange.caller)
    return json_answer(success(old_balance(view)))


async def balance_of_user(exchange: Exchange) -> Response:
    """That of another account."""
    guid = exchange.parameters["id"]
    view = await asyncio.to_thread(exchange.house.management.balance_of, exchange.caller, guid)
    return json_answer(balance_body(view))


async def add_stamps(exchange: Exchange) -> Response:
    """Gives stamps; `data` is the new balance."""
    return await _move(exchange, exchange.house.management.add_stamps)


async def remove_stamps(exchange: Exchange) -> Response:
    """Takes stamps; `data` is the new balance."""
    return await _move(exchange, exchange.house.management.remove_stamps)


async def _move(exchange: Exchange, move: Move) -> Response:
    members = Members.read(await exchange.body(MAX_BODY_BYTES))
    stamps, comment = members.whole("stamps") or 0, members.text("comment")
    remaining = await asyncio.to_thread(move, exchange.caller, exchange.parameters["id"], stamps, comment)
    return json_answer(single_body(remaining))


OPERATIONS = (
    Operation(
        name="balance",
        method="GET",
        paths=("/management/v2/api/users/balance",),
        endpoint=balance,
        summary="The account's balance of stamps",
        tag="management",
        answer="Balance",
    ),
    Operation(
        name="balance-v1",
        method="GET",
        paths=("/account/balance",),
        endpoint=balance_v1,
        summary="The account's balance of stamps, first generation",
        tag="management",
        answer="OldBalance",
    ),
    Operation(
        name="balance-of-user",
        method="GET",
        paths=("/management/v2/api/dealers/balance/users/{id}",),
        endpoint=balance_of_user,
        summary="The balance of a user",
        tag="management",
        answer="Balance",
        access=Access.ADMINISTRATOR,
    ),
    Operation(
        name="stamps-add",
        method="POST",
        paths=(STAMPS,),
        endpoint=add_stamps,
        summary="Give stamps to a user",
        tag="management",
        answer="NewBalance",
        access=Access.ADMINISTRATOR,
        payloads=(Payload("application/json", "StampsMoved"),),
    ),
    Operation(
        name="stamps-remove",
        method="DELETE",
        paths=(STAMPS,),
        endpoint=remove_stamps,
        summary="Take stamps from a user",
        tag="management",
        answer="NewBalance",
        access=Access.ADMINISTRATOR,
        payloads=(Payload("application/json", "StampsMoved"),),
    ),
)
