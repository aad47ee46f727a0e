"""Construction of the request environment."""

from __future__ import annotations

from timbra.accounts.build import account_services
from timbra.container import Container
from timbra.web.build import request_limits, verification_pages
from timbra.web.ports import call_recorder, fault_injection
from timbra.web.request_environment import RequestEnvironment


def request_environment(container: Container) -> RequestEnvironment:
    """Build limits, metrics, thread pools and authentication for the HTTP server."""
    settings, is_sandbox = container.settings, container.environment.is_sandbox
    return RequestEnvironment(
        limits=request_limits(settings),
        public_url=settings.public_url,
        verification_pages=verification_pages(settings),
        metrics_token=settings.metrics_token,
        metrics=container.metrics,
        pools=container.pools,
        authenticate=container.get(account_services).accounts.request_caller,
        faults=container.get(fault_injection),
        recorder=container.get(call_recorder),
        is_production=not is_sandbox,
        bound_address=container.bound_address if is_sandbox else "",
    )
