"""The authority and the provider of an environment. Each environment binds these functions."""

from __future__ import annotations

from collections.abc import Callable

from timbra.container import Container
from timbra.sat.port import CancellationAuthority, Provider, StatusService


def stamping_provider(_container: Container) -> Callable[[], Provider | None]:
    """Return a function that returns the certification provider (PAC) that stamps now; None without one.

    It raises ServiceError when the provider may not stamp.
    """
    raise NotImplementedError


def provider_rfc(_container: Container) -> str:
    """Return the RFC of the provider; empty without one. It is known even when the provider may not stamp."""
    raise NotImplementedError


def cancellation_authority(_container: Container) -> CancellationAuthority:
    """Return the authority that receives signed cancellation requests."""
    raise NotImplementedError


def status_service(_container: Container) -> StatusService | None:
    """Return the service that gives the status of a CFDI; None when the settings disable it."""
    raise NotImplementedError


def direct_status_service(_container: Container) -> StatusService | None:
    """Return the same service with one attempt for each call, for runs that limit the rate and repeat themselves."""
    raise NotImplementedError
