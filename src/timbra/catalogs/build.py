"""Construction of the catalogs."""

from __future__ import annotations

from timbra.catalogs.book import SnapshotCatalogs
from timbra.catalogs.labels import CatalogLabels
from timbra.catalogs.search import CatalogSearch
from timbra.container import Container
from timbra.snapshot.opening import opened_snapshot


def snapshot_catalogs(container: Container) -> SnapshotCatalogs:
    """Build the catalogs of the snapshot."""
    return SnapshotCatalogs(container.get(opened_snapshot))


def catalog_labels(container: Container) -> CatalogLabels:
    """Build the texts of catalog keys."""
    return CatalogLabels(container.get(opened_snapshot))


def catalog_search(container: Container) -> CatalogSearch:
    """Build the search of the catalogs."""
    return CatalogSearch(container.get(snapshot_catalogs), container.get(catalog_labels))
