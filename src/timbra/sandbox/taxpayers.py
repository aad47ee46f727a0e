"""Administration of the taxpayers of the simulated authority."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from timbra.sandbox.authority.taxpayers.models import (
    MAX_OBLIGATIONS,
    SITUATIONS,
    SandboxTaxpayer,
    TaxpayerChange,
    TaxpayerEntry,
    entry_from_row,
)
from timbra.sandbox.authority.taxpayers.registry import SandboxRegistry
from timbra.sandbox.authority.taxpayers.seeds import OBLIGATIONS as DEFAULT_OBLIGATIONS
from timbra.sandbox.store.transactions import SandboxStore

__all__ = [
    "DEFAULT_OBLIGATIONS",
    "MAX_OBLIGATIONS",
    "SITUATIONS",
    "TaxpayerAdministration",
    "TaxpayerChange",
    "TaxpayerEntry",
]


class TaxpayerAdministration:
    """Registers, changes and lists taxpayers, and publishes the simulated lists."""

    def __init__(self, registry: SandboxRegistry, store: SandboxStore) -> None:
        self._registry = registry
        self._store = store

    @property
    def lists_version(self) -> str:
        """Instant at which the lists in force were published, as text: central Mexico, fiscal time."""
        return self._registry.lists_version

    @property
    def published(self) -> datetime:
        """Fiscal instant at which the lists in force were published."""
        return self._registry.published

    def add(self, rfc: str, change: TaxpayerChange) -> TaxpayerEntry:
        """Register a taxpayer; the published list has it immediately.

        Raises:
            ServiceError: `taxpayer-exists`; `taxpayer-invalid` for a malformed value or without a name.
        """
        return self._registry.add(rfc, change)

    def change(self, rfc: str, change: TaxpayerChange) -> TaxpayerEntry:
        """Change a taxpayer; the published list changes with the next refresh.

        Raises:
            ServiceError: `taxpayer-unknown`, `taxpayer-invalid`.
        """
        return self._registry.change(rfc, change)

    def entry(self, rfc: str) -> TaxpayerEntry:
        """Return a taxpayer with its pending changes; ServiceError("taxpayer-unknown") without one."""
        return self._registry.entry(rfc)

    def entries(self) -> list[TaxpayerEntry]:
        """Return all taxpayers, by RFC."""
        return self._registry.entries()

    def search(self, text: str, limit: int) -> tuple[Sequence[TaxpayerEntry], int]:
        """Search taxpayers by the words of a text.

        Args:
            text: words that the RFC or the name contains.
            limit: largest number of results.

        Returns:
            The taxpayers, sorted by RFC, and the number of all matches.
        """
        with self._store.read() as transaction:
            rows, total = transaction.taxpayers.search(text, limit)
        return [entry_from_row(row) for row in rows], total

    def taxpayer(self, rfc: str) -> SandboxTaxpayer | None:
        """Return the published row of l_RFC, None when the RFC is not registered."""
        return self._registry.taxpayer(rfc)

    def refresh(self) -> int:
        """Publish pending changes immediately and return how many rows changed."""
        return self._registry.refresh()

    def refresh_if_due(self) -> bool:
        """Publish pending changes if a fiscal midnight has passed, and return whether lists were published."""
        return self._registry.refresh_if_due()
