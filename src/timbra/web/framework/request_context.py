"""One HTTP request as an endpoint sees it: caller, headers, body and thread pools; and JSON responses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Concatenate, ParamSpec, TypeVar

import orjson
from starlette.datastructures import QueryParams
from starlette.responses import Response
from starlette.types import Receive, Scope

from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.core.origin import Origin
from timbra.core.text import storable
from timbra.pools import AccountPools, address_account
from timbra.web.framework.operation import Operation
from timbra.web.framework.scope_state import mark_authenticated
from timbra.web.parsing.body_stream import body_chunks
from timbra.web.parsing.content_encoding import inflated
from timbra.web.parsing.request_body import MemoryBudget, minimum_rate, read_body
from timbra.web.request_environment import RequestEnvironment

DRY_RUN_VALUES = frozenset({"true", "1"})
WARNING_HEADER = "X-Timbra-Warning"
JSON_CONTENT_TYPE = "application/json; charset=utf-8"
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True)
class RequestContext:
    """One request.

    Attributes:
        environment: Limits, metrics, thread pools and authentication.
        scope: ASGI scope.
        receive: ASGI receive function.
        request_id: Id of the access log, returned in `X-Request-Id`.
        parameters: Path parameters by name.
        headers: Header values by lower-case name, decoded as Latin-1; the first of several with one name.
        error_code: Code of the error response, for the access log; None for success.
        operation: The operation; None before routing, and for a path without one.
        document: The XML to stamp, for the rejection log; None before it was read.
        received: The body, once it was read.
        error: The public error of the response; None for success.
        response_headers: Headers that the response gets, also when it is an error.
    """

    environment: RequestEnvironment
    scope: Scope
    receive: Receive
    request_id: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(init=False)
    error_code: str | None = None
    operation: Operation | None = None
    document: bytes | None = None
    received: bytes = b""
    error: ServiceError | None = None
    response_headers: dict[str, str] = field(default_factory=dict)
    _caller: Caller | None = None
    _body_read: bool = False
    _memory_budget: MemoryBudget = field(init=False)

    def __post_init__(self) -> None:
        self._memory_budget = MemoryBudget(self.environment.metrics, self.environment.limits.max_bytes_in_flight)
        sent = reversed(self.scope["headers"])
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in sent}

    @property
    def operation_name(self) -> str:
        """Name of the operation for metrics; "unknown" without one."""
        return self.operation.name if self.operation is not None else "unknown"

    @property
    def caller(self) -> Caller:
        """The authenticated caller. ServiceError("AU4101") on public operations, which have none."""
        if self._caller is None:
            raise ServiceError("AU4101")
        return self._caller

    async def authenticate_caller(self) -> Caller:
        """Verify the bearer token and set the caller.

        Raises:
            ServiceError: The token is missing or invalid.
        """
        caller = await self.environment.authenticate(self.headers.get("authorization"), self.pools.run_database)
        self._caller = caller
        return caller

    @property
    def caller_or_none(self) -> Caller | None:
        """The authenticated caller; None before `authenticate_caller` and on public operations."""
        return self._caller

    def origin(self) -> Origin:
        """Return actor, address and request for the audit log."""
        client = self.scope.get("client")
        address = client[0] if client else ""
        caller = self._caller
        if caller is None:
            return Origin("anonymous", address=address, request_id=self.request_id)
        return Origin("user", caller.user, caller.account_id, address, self.request_id)

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

    async def run_for_account(self, work: Callable[Concatenate[int, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function that uses the database; its first argument is the id of the caller's account."""
        return await self.pools.run_database(work, self.caller.account_id, *args, **kwargs)

    def add_warning(self, sentence: str) -> None:
        """Tell the client about a part of the request that had no effect, in `X-Timbra-Warning` (Latin-1)."""
        earlier = self.response_headers.get(WARNING_HEADER)
        self.response_headers[WARNING_HEADER] = f"{earlier} {sentence}" if earlier else sentence

    @property
    def content_type(self) -> str:
        """The Content-Type header; empty when absent."""
        return self.headers.get("content-type", "")

    def query(self, name: str) -> str | None:
        """Return a query parameter as `storable` text, the first of several; None when absent.

        Args:
            name: Name in lower case; it matches without case.
        """
        for key, value in QueryParams(self.scope["query_string"]).multi_items():
            if key.lower() == name:
                return storable(value)
        return None

    @property
    def is_dry_run(self) -> bool:
        """Whether the query asks for the answer alone (`dry_run=true`)."""
        return bool(self.scope["query_string"]) and (self.query("dry_run") or "").lower() in DRY_RUN_VALUES

    @property
    def awaits_continue(self) -> bool:
        """Whether the client waits for `100 Continue` before it sends the body (`Expect`)."""
        return not self._body_read and "expect" in self.headers

    @property
    def body_read(self) -> bool:
        """Whether the body was read to its end."""
        return self._body_read

    async def body(self, limit: int | None = None) -> bytes:
        """Read the whole body.

        Args:
            limit: Maximum size in bytes, instead of the one of the settings.

        Raises:
            BodyRejectedError: As `read_body`, and as `inflated`.
            ClientDisconnect: The client has closed the connection.
        """
        limits = self.environment.limits
        if self._caller is not None:
            mark_authenticated(self.scope)
        max_bytes = limit or limits.max_body_bytes
        receive, headers = inflated(self.receive, self.headers, max_bytes)
        body = await read_body(receive, headers, max_bytes, minimum_rate(limits), self._memory_budget)
        self._body_read = True
        self.received = body
        return body

    async def chunks(self, limit: int) -> AsyncIterator[bytes]:
        """Yield the pieces of the body as they arrive.

        Args:
            limit: Maximum size in bytes.

        Raises:
            BodyRejectedError: As `body_chunks`, and as `inflated`.
            ClientDisconnect: The client has closed the connection.
        """
        if self._caller is not None:
            mark_authenticated(self.scope)
        rate = minimum_rate(self.environment.limits)
        receive, headers = inflated(self.receive, self.headers, limit)
        async for piece in body_chunks(receive, headers, limit, rate):
            yield piece
        self._body_read = True

    def release(self) -> None:
        """Give the memory of the request body back to the worker's budget."""
        self._memory_budget.release()


def names_entity_tag(condition: str, tag: str) -> bool:
    """Whether the header If-None-Match names an entity tag, by weak comparison."""
    return condition.strip() == "*" or tag in (each.strip().removeprefix("W/") for each in condition.split(","))


def json_response(content: object, status: int = 200) -> Response:
    """Build a response with a JSON body in UTF-8."""
    return Response(orjson.dumps(content), status, media_type=JSON_CONTENT_TYPE)
