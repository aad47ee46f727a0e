"""Construction of the services of amounts."""

from __future__ import annotations

from timbra.amounts.services import AmountsServices
from timbra.catalogs.build import catalog_source
from timbra.container import Container
from timbra.container.build import fiscal_clock
from timbra.evaluation.build import document_processes
from timbra.rules.engine.ports import ReferenceData


def amounts_services(container: Container) -> AmountsServices:
    """Build what amounts are computed with."""
    clock, source = container.get(fiscal_clock), container.get(catalog_source)
    return AmountsServices(
        lambda: ReferenceData(clock.now(), source.latest().catalogs, taxpayers=None, obligations=None),
        container.get(document_processes),
    )


SERVICES = {AmountsServices: amounts_services}
"""The services of amounts, which endpoints receive by type."""
