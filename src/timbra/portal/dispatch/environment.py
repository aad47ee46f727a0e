"""Environment of page requests: texts and behaviour by environment, and the limits and pools of the worker."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from timbra.environments import ENVIRONMENTS, Environment
from timbra.portal.documentation.site import SITE_FOLDER

if TYPE_CHECKING:
    from timbra.bootstrap import Container
    from timbra.service.request_environment import RequestEnvironment


def environment_label(name: str) -> str:
    """Return the Spanish name of an environment."""
    return ENVIRONMENTS[name].label


@dataclass(frozen=True, slots=True)
class PageEnvironment:
    """What every page uses besides the groups of services.

    Attributes:
        profile: Texts and behaviour of the environment.
        requests: Limits, metrics, thread pools and authentication, shared with the API.
        documentation: Folder of the documentation site, served under /docs; None while that is switched off.
    """

    profile: Environment
    requests: RequestEnvironment
    documentation: Path | None = None


def page_environment(container: Container) -> PageEnvironment:
    """Return the page environment of a container."""
    settings = container.settings
    documentation = SITE_FOLDER if settings.docs else None
    return PageEnvironment(ENVIRONMENTS[settings.environment], container.request_environment, documentation)
