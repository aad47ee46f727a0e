"""The document with the complement: GCEH102, GCEH134 to GCEH136."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Emisor, InformacionGlobal
from timbra.rules.engine.rule import row
from timbra.rules.shared.hidrocarburos.comprobante import (
    has_no_adquirente,
    is_no_export,
    is_no_global_invoice,
    is_of_type,
)

GCEH102 = row(
    "GCEH102",
    Comprobante,
    at="@TipoDeComprobante",
    says="Con el complemento Gastos de Hidrocarburos, TipoDeComprobante debe ser E.",
    check=is_of_type("E"),
)


GCEH134 = row(
    "GCEH134",
    Comprobante,
    at="@Exportacion",
    says="Con el complemento Gastos de Hidrocarburos, Exportacion debe ser 01.",
    check=is_no_export,
)


GCEH135 = row(
    "GCEH135",
    InformacionGlobal,
    at="InformacionGlobal",
    says="Con el complemento Gastos de Hidrocarburos, InformacionGlobal no debe existir.",
    check=is_no_global_invoice,
)


GCEH136 = row(
    "GCEH136",
    Emisor,
    at="Emisor/@FacAtrAdquirente",
    says="Con el complemento Gastos de Hidrocarburos, FacAtrAdquirente no debe existir.",
    check=has_no_adquirente,
)
