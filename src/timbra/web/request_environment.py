"""The dependencies of the HTTP server that are independent of the operation of a request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from timbra.cfdi.qr import VerificationPages
    from timbra.core.caller import Caller
    from timbra.core.metrics import MetricsRegistry
    from timbra.pools import Pools, RunInThread
    from timbra.web.captured_call import CallBuffer


@dataclass(slots=True)
class FaultyRequest:
    """A request as faults see it.

    Attributes:
        user: User name of the caller.
        operation: Name of the operation.
        tag: Group of the operation.
        authorization: The header `Authorization`.
        applied: The faults that affected the request.
    """

    user: str
    operation: str
    tag: str
    path: str
    authorization: str = field(repr=False)
    applied: list[str] = field(default_factory=list)


class FaultInjection(Protocol):
    """Faults that the HTTP server simulates, so that clients can be tested against them."""

    async def before_operation(self, request: FaultyRequest) -> None:
        """Wait, or raise the ServiceError of an active fault; `request.applied` gets the names of the faults."""

    async def drops_response(self, request: FaultyRequest) -> bool:
        """Whether to close the connection instead of sending the response of work that was committed."""


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits of request bodies and request rates.

    Attributes:
        max_body_bytes: size of one body.
        max_bytes_in_flight: size of all bodies that a worker holds at the same time.
        body_idle_seconds: longest pause between two pieces of a body.
        body_min_bytes_per_second: slowest transfer.
        body_max_seconds: longest transfer.
        requests_per_second: rate of one account, 0 for no limit.
        request_burst: requests that an account may send at once after a pause.
    """

    max_body_bytes: int
    max_bytes_in_flight: int
    body_idle_seconds: float
    body_min_bytes_per_second: float
    body_max_seconds: float
    requests_per_second: float
    request_burst: int


@dataclass(frozen=True, slots=True)
class RequestEnvironment:
    """The dependencies of the handling of every request, whichever operation it is for.

    Attributes:
        is_production: whether metrics need a token, and links need the public address; also in a rehearsal.
        public_url: address at which clients reach the server, empty for the one in the request.
        verification_pages: pages that QR codes lead to; None for those of this server.
        metrics_token: bearer token of `GET /metrics`, empty to admit only programs on this machine.
        authenticate: returns the account of an `Authorization` header, or raises the ServiceError of an invalid one; it
            reads the database in a thread.
        faults: simulated faults; None in an environment without them.
        recorder: records the calls of accounts for the request inspector; None while it is switched off.
        bound_address: address and port of the listening socket of a sandbox, used in links without a `public_url`;
            empty where clients reach the server under others, which the request names.
    """

    limits: RequestLimits
    public_url: str
    verification_pages: VerificationPages | None
    metrics_token: str
    metrics: MetricsRegistry
    pools: Pools
    authenticate: Callable[[str | None, RunInThread], Awaitable[Caller]]
    faults: FaultInjection | None
    is_production: bool = False
    recorder: CallBuffer | None = None
    bound_address: str = ""
