"""The document with the complement: IEEH102, IEEH106 to IEEH108."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Emisor, InformacionGlobal
from timbra.rules.engine.rule import row
from timbra.rules.shared.hidrocarburos.comprobante import (
    has_no_adquirente,
    is_no_export,
    is_no_global_invoice,
    is_of_type,
)

IEEH102 = row(
    "IEEH102",
    Comprobante,
    at="@TipoDeComprobante",
    says="Con el complemento Ingresos de Hidrocarburos, TipoDeComprobante debe ser I.",
    check=is_of_type("I"),
)


IEEH106 = row(
    "IEEH106",
    Comprobante,
    at="@Exportacion",
    says="Con el complemento Ingresos de Hidrocarburos, Exportacion debe ser 01.",
    check=is_no_export,
)


IEEH107 = row(
    "IEEH107",
    InformacionGlobal,
    at="InformacionGlobal",
    says="Con el complemento Ingresos de Hidrocarburos, InformacionGlobal no debe existir.",
    check=is_no_global_invoice,
)


IEEH108 = row(
    "IEEH108",
    Emisor,
    at="Emisor/@FacAtrAdquirente",
    says="Con el complemento Ingresos de Hidrocarburos, FacAtrAdquirente no debe existir.",
    check=has_no_adquirente,
)
