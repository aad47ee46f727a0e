"""The ASGI application: finds the operation, checks the token, turns every failure into an envelope."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import structlog
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from timbra.api.body import BodyRefusedError
from timbra.api.errors import UNCONTROLLED, envelope, known, status_of
from timbra.api.exchange import Exchange, json_answer
from timbra.api.faults import AnswerLostError, be_late, hang_up
from timbra.api.house import House
from timbra.api.journal import HEADER, Journal
from timbra.api.monitor import require_monitor
from timbra.api.operations import Access, Operation
from timbra.api.rates import Rates
from timbra.api.router import Router
from timbra.api.table import OPERATIONS
from timbra.errors import ServiceError

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.api")


def build(house: House, operations: Iterable[Operation] = OPERATIONS) -> ASGIApp:
    """The application over an open house."""
    return Application(house, Router(operations))


class Application:
    """One per worker. Nothing that an endpoint raises leaves it but as an envelope."""

    def __init__(self, house: House, router: Router) -> None:
        self._house = house
        self._router = router
        self._journal = Journal(house.meters)
        self._rates = Rates(house.settings.rate_per_second, house.settings.rate_burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"Only HTTP is served, not {scope['type']}.")
        entry = self._journal.open(scope)
        exchange = Exchange(self._house, scope, receive, entry.request_id)
        try:
            answer = await self._answer(exchange)
            answer.raw_headers.append((HEADER, entry.request_id.encode()))
            await answer(scope, receive, send)
            caller = exchange.caller_or_none
            account = caller.account_id if caller else None
            entry.answered(exchange.operation, answer.status_code, code=exchange.refused, account=account)
        except ClientDisconnect:
            entry.note("disconnected")
        except AnswerLostError:
            entry.note("answer lost")
            await hang_up(scope)
        finally:
            exchange.let_go()
            entry.close()

    async def _answer(self, exchange: Exchange) -> Response:
        try:
            return await self._perform(exchange)
        except ServiceError as error:
            return refusal(exchange, error)
        except (ClientDisconnect, AnswerLostError):
            raise
        except asyncio.CancelledError:
            return refusal(exchange, ServiceError(UNCONTROLLED, "El servidor se está deteniendo.", retry_after=1))
        except Exception:
            log.exception("uncontrolled error")
            return refusal(exchange, ServiceError(UNCONTROLLED))

    async def _perform(self, exchange: Exchange) -> Response:
        found = self._router.find(exchange.scope["method"], exchange.scope["path"])
        if found is None:
            raise ServiceError("TB4040")
        operation, exchange.parameters = found
        exchange.operation = operation.name
        self._admit(exchange, operation.access)
        if operation.access is Access.ACCOUNT:
            await be_late(self._house)
        return await operation.endpoint(exchange)

    def _admit(self, exchange: Exchange, access: Access) -> None:
        """Raises the ServiceError of whoever may not call, or not so often."""
        if access is Access.PUBLIC:
            return
        if access is Access.MONITOR:
            require_monitor(exchange)
            return
        caller = exchange.identify()
        self._rates.take(caller.account_id)
        if access is Access.ADMINISTRATOR and caller.role != "administrator":
            raise ServiceError("TB4010")


def refusal(exchange: Exchange, error: ServiceError) -> Response:
    """The answer to a refused request; it closes the connection when an announced body was not read.

    Of `error.data` only what an endpoint has shaped for the wire (a dictionary) is shown.
    """
    told = known(error)
    exchange.refused = told.code
    if told is not error:
        log.error("internal error", code=error.code, detail=error.detail)
    data = told.data if isinstance(told.data, dict) else None
    answer = json_answer(envelope(told, data), status_of(told))
    if told.retry_after is not None:
        answer.headers["Retry-After"] = str(told.retry_after)
    if isinstance(error, BodyRefusedError) or exchange.awaits_leave:
        answer.headers["Connection"] = "close"
    return answer
