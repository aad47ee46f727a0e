"""Environment of page requests: texts and behaviour by environment, and the limits and pools of the worker."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from timbra.core.environments import ENVIRONMENTS, Environment

if TYPE_CHECKING:
    from timbra.web.request_environment import RequestEnvironment


def environment_label(name: str) -> str:
    """Return the Spanish name of an environment."""
    return ENVIRONMENTS[name].label


@dataclass(frozen=True, slots=True)
class PageEnvironment:
    """What every page uses besides the groups of services.

    Attributes:
        profile: Texts and behaviour of the environment.
        requests: Limits, metrics, thread pools and authentication, shared with the API.
        second_factor_roles: Names of `Caller.role_names` whose users need a second factor.
        documentation: Folder of the documentation site, served under /docs; None while that is switched off.
    """

    profile: Environment
    requests: RequestEnvironment
    documentation: Path | None = None
    second_factor_roles: frozenset[str] = frozenset()
