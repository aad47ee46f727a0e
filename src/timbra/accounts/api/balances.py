"""Balances of stamps: of the caller, and of users that an administrator manages."""

from __future__ import annotations

from collections.abc import Callable

from starlette.responses import Response

from timbra.accounts.api.serializers import balance_body, balance_v1_answer
from timbra.accounts.services import AccountServices
from timbra.core.caller import Caller
from timbra.web.envelopes import ManagementAnswer, success
from timbra.web.framework.operation import Operation, OperationAccess, Payload
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.json_fields import JsonFields

MAX_BODY_BYTES = 64 * 1024
STAMPS = "/management/v2/api/dealers/users/{id}/stamps"
Move = Callable[[Caller, str, int, str], int]


async def balance(request: RequestContext, services: AccountServices) -> Response:
    """Answer with the caller's balance."""
    view = await request.pools.run_database(services.administration.balance, request.caller)
    return json_response(balance_body(view))


async def balance_v1(request: RequestContext, services: AccountServices) -> Response:
    """Answer with the caller's balance in the shape of the first generation."""
    view = await request.pools.run_database(services.administration.balance, request.caller)
    return json_response(success(balance_v1_answer(view)))


async def balance_of_user(request: RequestContext, services: AccountServices) -> Response:
    """Answer with the balance of another account."""
    guid = request.parameters["id"]
    view = await request.pools.run_database(services.administration.balance_of, request.caller, guid)
    return json_response(balance_body(view))


async def add_stamps(request: RequestContext, services: AccountServices) -> Response:
    """Add stamps to a balance; `data` is the new balance."""
    return await _move(request, services.administration.add_stamps)


async def remove_stamps(request: RequestContext, services: AccountServices) -> Response:
    """Remove stamps from a balance; `data` is the new balance."""
    return await _move(request, services.administration.remove_stamps)


async def _move(request: RequestContext, move: Move) -> Response:
    members = JsonFields.read(await request.body(MAX_BODY_BYTES))
    stamps, comment = members.whole("stamps") or 0, members.text("comment")
    remaining = await request.pools.run_database(move, request.caller, request.parameters["id"], stamps, comment)
    return json_response(ManagementAnswer(remaining))


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
        answer="BalanceV1",
    ),
    Operation(
        name="balance-of-user",
        method="GET",
        paths=("/management/v2/api/dealers/balance/users/{id}",),
        endpoint=balance_of_user,
        summary="The balance of a user",
        tag="management",
        answer="Balance",
        access=OperationAccess.ADMINISTRATOR,
    ),
    Operation(
        name="stamps-add",
        method="POST",
        paths=(STAMPS,),
        endpoint=add_stamps,
        summary="Add stamps to a user's balance",
        tag="management",
        answer="BalanceChanged",
        access=OperationAccess.ADMINISTRATOR,
        payloads=(Payload("application/json", "StampsMoved"),),
    ),
    Operation(
        name="stamps-remove",
        method="DELETE",
        paths=(STAMPS,),
        endpoint=remove_stamps,
        summary="Remove stamps from a user's balance",
        tag="management",
        answer="BalanceChanged",
        access=OperationAccess.ADMINISTRATOR,
        payloads=(Payload("application/json", "StampsMoved"),),
    ),
)
