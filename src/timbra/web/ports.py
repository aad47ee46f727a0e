"""What an environment and features add to the HTTP server."""

from __future__ import annotations

from timbra.container import Container
from timbra.web.captured_call import CallBuffer
from timbra.web.request_environment import FaultInjection


def fault_injection(_container: Container) -> FaultInjection | None:
    """Return the faults that the HTTP server injects; None, unless an environment binds it."""
    return None


def call_recorder(_container: Container) -> CallBuffer | None:
    """Return what records the calls of accounts; None, unless a feature does."""
    return None
