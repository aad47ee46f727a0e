"""What the HTTP server needs to receive requests, before and beside the use cases that it calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from timbra.accounts.caller import Caller
    from timbra.metrics import MetricsRegistry
    from timbra.pools import Pools


class FaultInjection(Protocol):
    """Faults that the HTTP server simulates, so that clients can be tested against them."""

    async def inject_latency(self) -> None:
        """Wait for as long as the active latency fault says, if there is one."""

    async def drops_response(self) -> bool:
        """Whether the connection is closed instead of sending the response of work that was committed."""


class NoFaultInjection:
    """The faults of an environment that simulates none."""

    async def inject_latency(self) -> None:
        """Return at once."""

    async def drops_response(self) -> bool:
        """Never."""
        return False


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits of request bodies and request rates.

    max_body_bytes: of one body. max_bytes_in_flight: of all bodies that a worker holds at once.
    body_idle_seconds: longest pause between two pieces of a body. body_min_bytes_per_second: slowest transfer.
    body_max_seconds: longest transfer. requests_per_second: of one account, 0 for no limit. request_burst: requests
    that an account may send at once after a pause.
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
    """What the handling of every request uses, whichever operation it is for.

    public_url: address under which clients reach the server, empty for the one that a request names.
    metrics_token: bearer token of `GET /metrics`, empty to admit programs of this machine only.
    authenticate: the account of an `Authorization` header; ServiceError of an invalid one. It may read the database.
    """

    limits: RequestLimits
    public_url: str
    metrics_token: str
    metrics: MetricsRegistry
    pools: Pools
    authenticate: Callable[[str | None], Caller]
    faults: FaultInjection
