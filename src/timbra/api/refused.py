"""Refusals of stamping, noted for the account that asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import ClientDisconnect
from starlette.responses import Response

from timbra.api.errors import UNCONTROLLED, known
from timbra.api.exchange import Exchange
from timbra.api.faults import AnswerLostError
from timbra.errors import ServiceError
from timbra.service.refusals import RefusedRequest

NO_REFUSALS = (AnswerLostError, ClientDisconnect)
Endpoint = Callable[[Exchange], Awaitable[Response]]


def noted(endpoint: Endpoint) -> Endpoint:
    """The endpoint, whose refusals the account finds in its portal; what it raises goes on as it is."""

    async def run(exchange: Exchange) -> Response:
        try:
            return await endpoint(exchange)
        except ServiceError as error:
            _note(exchange, known(error))
            raise
        except Exception as error:
            # What is told is told by whoever answers; the account sees that it was the server.
            if not isinstance(error, NO_REFUSALS):
                _note(exchange, ServiceError(UNCONTROLLED))
            raise

    run.__doc__ = endpoint.__doc__
    return run


def _note(exchange: Exchange, told: ServiceError) -> None:
    exchange.house.refusals.note(
        RefusedRequest(
            account_id=exchange.caller.account_id,
            request_id=exchange.request_id,
            operation=exchange.scope["path"],
            error=told,
            document=exchange.document,
        )
    )
