"""The faults that an environment injects into the HTTP server."""

from __future__ import annotations

from timbra.container import Container
from timbra.web.request_environment import FaultInjection


def fault_injection(_container: Container) -> FaultInjection | None:
    """Return the faults that the HTTP server injects; None, unless an environment binds it."""
    return None
