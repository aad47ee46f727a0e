"""What every page request needs besides the groups of services."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.bootstrap import Container
    from timbra.service.request_environment import RequestEnvironment


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
    """What every page uses besides the groups of services.

    Attributes:
        profile: What the pages of this environment do differently.
        requests: What the handling of every request uses, as in the API.
    """

    profile: EnvironmentProfile
    requests: RequestEnvironment


def page_environment(container: Container) -> PageEnvironment:
    """Return the page environment of a container."""
    return PageEnvironment(PROFILES[container.settings.environment], container.request_environment)
