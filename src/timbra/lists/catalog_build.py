"""Construction of the editions of catalogs, which supply the catalogs in force to every other part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from timbra.catalogs.build import catalog_source
from timbra.container import Bindings, Container
from timbra.container.build import fiscal_clock
from timbra.core.checks import CheckOptions, CheckResult, CheckState
from timbra.core.clock import CENTRAL_MEXICO
from timbra.database.build import opened_database
from timbra.events.build import audit_writer
from timbra.lists.catalog_editions import CatalogEditions
from timbra.snapshot.opening import opened_snapshot

LABEL = "catálogos"


def catalog_editions(container: Container) -> CatalogEditions:
    """Build the editions of catalogs."""
    get = container.get
    return CatalogEditions(
        get(opened_database), get(opened_snapshot), container.wall, get(fiscal_clock), get(audit_writer)
    )


def _warnings(container: Container) -> Sequence[str]:
    problem = container.get(catalog_editions).problem
    return [f"La edición de los catálogos no se puso en uso en este proceso: {problem}"] if problem else []


def catalog_checks(container: Container, _options: CheckOptions) -> Iterator[CheckResult]:
    """Yield the edition of catalogs that this server uses, and since when."""
    found = container.get(catalog_editions).current()
    text = f"{found.edition or 'los de esta versión'}, {found.snapshot.version}"
    if found.since is not None:
        text = f"{text}, desde {found.since.astimezone(CENTRAL_MEXICO):%Y-%m-%dT%H:%M:%S}"
    yield CheckResult(LABEL, CheckState.OK, text)


SERVICES = {CatalogEditions: catalog_editions}
BINDINGS: Bindings = {catalog_source: lambda container: container.get(catalog_editions)}
WARNINGS = (_warnings,)
DIAGNOSTICS = {LABEL: catalog_checks}
