"""One request as the endpoints see it, and how they answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import orjson
from starlette.datastructures import QueryParams
from starlette.responses import Response
from starlette.types import Receive, Scope

from timbra.api.parsing.request_body import MemoryBudget, minimum_rate, read_body
from timbra.api.server.connections import mark_authenticated
from timbra.errors import ServiceError
from timbra.pools import AccountPools, address_account
from timbra.service.request_environment import RequestEnvironment
from timbra.service.stamping.models import Caller
from timbra.store.database.event_loop import in_memory_or_thread
from timbra.text import storable

JSON = "application/json; charset=utf-8"


@dataclass(slots=True)
class RequestContext:
    """A request on its way. parameters: of the path. The caller is known after `identify`.

    headers: by lower-case name, as Latin-1 text; the first of several counts. operation: the name of what is asked for.
    rejected: the code of the error that answers it, for the log. document: the XML that is to be stamped, once known.
    """

    environment: RequestEnvironment
    scope: Scope
    receive: Receive
    request_id: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(init=False)
    rejected: str | None = None
    operation: str = "unknown"
    document: bytes | None = None
    _caller: Caller | None = None
    _body_read: bool = False
    _memory_budget: MemoryBudget = field(init=False)

    def __post_init__(self) -> None:
        self._memory_budget = MemoryBudget(self.environment.metrics, self.environment.limits.max_bytes_in_flight)
        sent = reversed(self.scope["headers"])
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in sent}

    @property
    def caller(self) -> Caller:
        """Who asks; known on every operation but the public ones."""
        if self._caller is None:
            raise ServiceError("AU4101")
        return self._caller

    async def authenticate_caller(self) -> Caller:
        """Check the token and set the caller. ServiceError of an invalid token."""
        self._caller = await in_memory_or_thread(
            self.environment.authenticate,
            self.headers.get("authorization"),
            run_in_thread=self.pools.run_database,
        )
        return self._caller

    @property
    def caller_or_none(self) -> Caller | None:
        """Who asks, None before `identify` and on public operations."""
        return self._caller

    @property
    def client_account(self) -> str:
        """The client's address as pools count it, see `pools.address_account`."""
        client = self.scope.get("client")
        return address_account(client[0] if client else None)

    @property
    def pools(self) -> AccountPools:
        """The worker's thread pools, used as the caller's account, or as the address of an anonymous client."""
        account = str(self._caller.account_id) if self._caller else self.client_account
        return AccountPools(self.environment.pools, account)

    @property
    def content_type(self) -> str:
        """The Content-Type as sent, empty when absent."""
        return self.headers.get("content-type", "")

    def query(self, name: str) -> str | None:
        """A query value by its name without case, as `storable` text; None when absent. The first of several counts."""
        for key, value in QueryParams(self.scope["query_string"]).multi_items():
            if key.lower() == name:
                return storable(value)
        return None

    @property
    def awaits_continue(self) -> bool:
        """Whether the client still holds its body back (`Expect: 100-continue`)."""
        return not self._body_read and "expect" in self.headers

    async def body(self, limit: int | None = None) -> bytes:
        """The whole body, within the bounds of the settings, or the narrower `limit`."""
        limits = self.environment.limits
        if self._caller is not None:
            mark_authenticated(self.scope)
        max_bytes = limit or limits.max_body_bytes
        body = await read_body(self.receive, self.headers, max_bytes, minimum_rate(limits), self._memory_budget)
        self._body_read = True
        return body

    def release(self) -> None:
        """The end of the exchange: its body counts no more among what is held."""
        self._memory_budget.release()


def json_answer(content: object, status: int = 200) -> Response:
    """An answer in JSON; the text goes out as UTF-8, uncompressed."""
    return Response(orjson.dumps(content), status, media_type=JSON)
