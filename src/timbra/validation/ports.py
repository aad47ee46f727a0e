"""The lists and certificates of an environment. Each environment binds these functions."""

from __future__ import annotations

from collections.abc import Callable

from timbra.container import Container
from timbra.validation.background_queries import ProviderCertificates
from timbra.validation.taxpayer_lookup import PresumedList, TaxpayerList


def current_taxpayers(_container: Container) -> Callable[[], TaxpayerList | None]:
    """Return a function that returns the current list of taxpayers (l_RFC); None before the first import."""
    raise NotImplementedError


def current_presumptions(_container: Container) -> Callable[[], PresumedList | None]:
    """Return a function that returns the current list of article 69-B; None without one."""
    raise NotImplementedError


def provider_certificates(_container: Container) -> ProviderCertificates | None:
    """Return the repository of certificates of providers that the trust store does not have; None without one."""
    return None
