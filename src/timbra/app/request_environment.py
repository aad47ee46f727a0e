"""Construction of the request environment."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from timbra.cfdi.qr import SAT_PAGES, VerificationPages
from timbra.core.environments import ENVIRONMENTS
from timbra.web.request_environment import RequestEnvironment, RequestLimits

if TYPE_CHECKING:
    from timbra.app.infrastructure import Infrastructure
    from timbra.core.caller import Caller
    from timbra.inspector.recorder import CallRecorder
    from timbra.pools import RunInThread
    from timbra.settings import Settings


def request_environment(
    infrastructure: Infrastructure,
    authenticate: Callable[[str | None, RunInThread], Awaitable[Caller]],
    recorder: CallRecorder | None,
) -> RequestEnvironment:
    """Return limits, metrics, thread pools and authentication for the HTTP server.

    Args:
        authenticate: Returns the caller of an Authorization header.
        recorder: Records the calls of accounts; None for none.
    """
    settings = infrastructure.settings
    return RequestEnvironment(
        limits=request_limits(settings),
        public_url=settings.public_url,
        verification_pages=verification_pages(settings),
        metrics_token=settings.metrics_token,
        metrics=infrastructure.metrics,
        pools=infrastructure.pools,
        authenticate=authenticate,
        faults=infrastructure.fault_injection,
        recorder=recorder,
        is_production=not infrastructure.environment.is_sandbox,
        bound_address=infrastructure.bound_address if infrastructure.environment.is_sandbox else "",
    )


def verification_pages(settings: Settings) -> VerificationPages | None:
    """Return the pages that QR codes lead to; None for those at the address of each request."""
    if not ENVIRONMENTS[settings.environment].is_sandbox:
        return SAT_PAGES
    base = (settings.verification_url or settings.public_url).rstrip("/")
    pages = VerificationPages.at(base) if base else None
    return SAT_PAGES if pages and pages.cfdi == SAT_PAGES.cfdi else pages


def request_limits(settings: Settings) -> RequestLimits:
    return RequestLimits(
        max_body_bytes=settings.max_body_bytes,
        max_bytes_in_flight=settings.max_bytes_in_flight,
        body_idle_seconds=settings.body_idle_timeout_seconds,
        body_min_bytes_per_second=settings.body_min_bytes_per_second,
        body_max_seconds=settings.body_timeout_seconds,
        requests_per_second=settings.rate_per_second,
        request_burst=settings.rate_burst,
    )
