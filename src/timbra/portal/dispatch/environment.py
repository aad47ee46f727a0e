"""What every page request needs besides the groups of services."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from timbra.api.parsing.request_body import MinimumRate, minimum_rate

if TYPE_CHECKING:
    from timbra.accounts.caller import Caller
    from timbra.bootstrap import Container
    from timbra.metrics import MetricsRegistry
    from timbra.pools import Pools


@dataclass(frozen=True, slots=True)
class PageLimits:
    """Limits of request bodies. max_bytes_in_flight: of all bodies that the worker holds at one time."""

    max_body_bytes: int
    max_bytes_in_flight: int
    min_rate: MinimumRate


@dataclass(frozen=True, slots=True)
class EnvironmentProfile:
    """What the pages of an environment do differently.

    label: name of the environment in texts. banner: shown on every page. authority: name of the authority in texts.
    unlimited_accounts: default of a new account. queries_status: whether the page of an invoice queries its status at
    the authority when it is opened.
    """

    label: str
    banner: str
    authority: str
    unlimited_accounts: bool
    queries_status: bool


PROFILES = {
    "sandbox": EnvironmentProfile(
        label="pruebas",
        banner="Ambiente de pruebas: nada de lo que se timbra aquí tiene validez fiscal.",
        authority="SAT simulado",
        unlimited_accounts=True,
        queries_status=True,
    ),
    "production": EnvironmentProfile(
        label="producción", banner="", authority="SAT", unlimited_accounts=False, queries_status=False
    ),
}


def environment_label(name: str) -> str:
    """Return the Spanish name of an environment."""
    return PROFILES[name].label


@dataclass(frozen=True, slots=True)
class PageEnvironment:
    """The part of a worker that pages use. name: `sandbox` or `production`.

    authenticate: the account of an Authorization header; ServiceError (401) for an invalid token.
    """

    name: str
    profile: EnvironmentProfile
    public_url: str
    limits: PageLimits
    metrics: MetricsRegistry
    pools: Pools
    authenticate: Callable[[str], Caller]


def page_environment(container: Container) -> PageEnvironment:
    """Take from a container what the pages need."""
    settings = container.settings
    return PageEnvironment(
        name=settings.environment,
        profile=PROFILES[settings.environment],
        public_url=settings.public_url,
        limits=PageLimits(
            settings.max_body_bytes, settings.max_bytes_in_flight, minimum_rate(container.request_environment.limits)
        ),
        metrics=container.metrics,
        pools=container.pools,
        authenticate=container.account_services.accounts.caller,
    )
