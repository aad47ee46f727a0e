"""Parts of the simulated authority that tests inspect and that no group of services exposes."""

from __future__ import annotations

from timbra.authority.sandbox.ledger.ledger import SandboxLedger
from timbra.authority.sandbox.taxpayers.registry import SandboxRegistry
from timbra.bootstrap import Container, SandboxContainer


def sandbox_registry(container: Container) -> SandboxRegistry:
    """The registry of taxpayers and certificates behind the lists."""
    assert isinstance(container, SandboxContainer)
    return container.registry


def sandbox_ledger(container: Container) -> SandboxLedger:
    """The ledger of documents behind the status service."""
    assert isinstance(container, SandboxContainer)
    return container.ledger
