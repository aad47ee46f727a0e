"""Construction of the readers of invoices for display."""

from __future__ import annotations

from collections.abc import Callable

from timbra.catalogs.build import catalog_labels, latest_catalogs
from timbra.cfdi.build import cadena_original, qr_painter, xml_standards
from timbra.container import Container
from timbra.rendering.reading import ViewReader
from timbra.rendering.stamp_check import StampVerifier
from timbra.seals.certificates.trust_anchors import ProviderCertificate
from timbra.seals.ports import trust_store


def view_reader(
    container: Container, provider: Callable[[str], ProviderCertificate | None] = lambda _: None
) -> ViewReader:
    """Build a reader of invoices for display.

    Args:
        provider: Finds the certificate of a provider by its number, if the trust store does not have it.
    """
    get = container.get
    return ViewReader(
        get(catalog_labels),
        get(xml_standards),
        get(latest_catalogs),
        get(qr_painter),
        StampVerifier(get(cadena_original), get(trust_store), provider),
        fiscal_effect=container.environment.fiscal_effect,
    )
