"""The published rows of the whole registry, for the files of the lists."""

from __future__ import annotations

from collections.abc import Sequence

from timbra.emulator.list_files import RegistryRow
from timbra.sandbox.authority.taxpayers.published_lists import read_all_listed
from timbra.sandbox.authority.taxpayers.registry import AREA, SandboxRegistry
from timbra.sandbox.store.transactions import SandboxStore


class RegistryRows:
    """Reads the rows that the registry published, ordered by RFC."""

    def __init__(self, store: SandboxStore, registry: SandboxRegistry) -> None:
        self._store = store
        self._registry = registry

    def version(self) -> int:
        """Return a number that changes with the rows."""
        return self._store.cache_version(AREA)

    def rows(self) -> Sequence[RegistryRow]:
        published = self._registry.published
        with self._store.read() as transaction:
            rfcs = [row.rfc for row in transaction.taxpayers.list_all()]
            found = read_all_listed(transaction, rfcs, published)
        states = [found[rfc] for rfc in sorted(found)]
        return [
            RegistryRow(state.taxpayer, list(state.seals.values())) for state in states if state.taxpayer is not None
        ]
