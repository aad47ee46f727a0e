"""The catalogs in force: those of the release, or of an edition that replaces them while the server runs.

Rules get one `SnapshotCatalogs` for the whole of a request, from `current` or `known`. What is built once and shows
catalogs, such as the search, reads those of `latest` at each call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol

from timbra.catalogs.book import SnapshotCatalogs
from timbra.catalogs.labels import CatalogLabels
from timbra.catalogs.search import CatalogSearch
from timbra.snapshot import Snapshot


@dataclass(frozen=True)
class CatalogsInForce:
    """The catalogs of one edition.

    Attributes:
        snapshot: the data of the release, with the catalogs of the edition.
        edition: the edition; empty for the catalogs of the release.
        since: when it was put in force; None for the catalogs of the release, unless they replaced an edition.
    """

    snapshot: Snapshot
    edition: str = ""
    since: datetime | None = None

    @cached_property
    def catalogs(self) -> SnapshotCatalogs:
        """The catalogs that rules read."""
        return SnapshotCatalogs(self.snapshot)

    @cached_property
    def labels(self) -> CatalogLabels:
        """The texts of keys."""
        return CatalogLabels(self.snapshot)

    @cached_property
    def search(self) -> CatalogSearch:
        """The search of keys."""
        return CatalogSearch(self.catalogs, self.labels)


class CatalogSource(Protocol):
    """Where a process reads the catalogs in force from."""

    def current(self) -> CatalogsInForce:
        """Return the catalogs in force; reads the database after a change."""
        ...

    def known(self) -> CatalogsInForce | None:
        """Return the same without I/O; None after a change that was not read yet."""
        ...

    def latest(self) -> CatalogsInForce:
        """Return the catalogs that were read last, without I/O."""
        ...


class ReleasedCatalogs:
    """A source that has the catalogs of one snapshot for ever."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._in_force = CatalogsInForce(snapshot)

    def current(self) -> CatalogsInForce:
        return self._in_force

    def known(self) -> CatalogsInForce | None:
        return self._in_force

    def latest(self) -> CatalogsInForce:
        return self._in_force


class Latest:
    """Stands for an object of the catalogs in force: each attribute is that of the latest one."""

    def __init__(self, read: Callable[[], object]) -> None:
        self._read = read

    def __getattr__(self, name: str) -> Any:
        return getattr(self._read(), name)
