"""Construction of the catalogs."""

from __future__ import annotations

from typing import cast

from timbra.catalogs.book import SnapshotCatalogs
from timbra.catalogs.current import CatalogSource, Latest, ReleasedCatalogs
from timbra.catalogs.labels import CatalogLabels
from timbra.catalogs.search import CatalogSearch
from timbra.container import Container
from timbra.snapshot.opening import opened_snapshot


def catalog_source(container: Container) -> CatalogSource:
    """Return the source of the catalogs in force; that of the release, unless a feature binds it."""
    return ReleasedCatalogs(container.get(opened_snapshot))


def latest_catalogs(container: Container) -> SnapshotCatalogs:
    """Return the catalogs in force, for display; rules get one edition from the source."""
    source = container.get(catalog_source)
    return cast("SnapshotCatalogs", Latest(lambda: source.latest().catalogs))


def catalog_labels(container: Container) -> CatalogLabels:
    """Return the texts of catalog keys in force."""
    source = container.get(catalog_source)
    return cast("CatalogLabels", Latest(lambda: source.latest().labels))


def catalog_search(container: Container) -> CatalogSearch:
    """Return the search of the catalogs in force."""
    source = container.get(catalog_source)
    return cast("CatalogSearch", Latest(lambda: source.latest().search))
