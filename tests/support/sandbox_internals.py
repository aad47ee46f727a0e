"""Parts of the simulated authority that tests inspect and that no group of services exposes."""

from __future__ import annotations

from timbra.app.composition import Container, SandboxContainer
from timbra.sandbox.authority.ledger.ledger import SandboxLedger
from timbra.sandbox.authority.taxpayers.registry import SandboxRegistry


def sandbox_registry(container: Container) -> SandboxRegistry:
    """Return the registry of taxpayers and certificates."""
    assert isinstance(container, SandboxContainer)
    return container.registry


def sandbox_ledger(container: Container) -> SandboxLedger:
    """Return the ledger of documents."""
    assert isinstance(container, SandboxContainer)
    return container.ledger
