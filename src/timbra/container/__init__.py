"""The container: the settings, clocks and metrics of one process, and what functions build from them."""

from timbra.container.container import (
    Bindings,
    Build,
    Container,
    UnavailableServicesError,
    production_only,
    sandbox_only,
)

__all__ = ["Bindings", "Build", "Container", "UnavailableServicesError", "production_only", "sandbox_only"]
