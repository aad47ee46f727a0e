"""The document with the complement, and its Conceptos: GCEH102, GCEH134 to GCEH143."""

from __future__ import annotations

from timbra.cfdi.nodes import ACuentaTerceros, Comprobante, Concepto, Emisor, InformacionGlobal
from timbra.rules.engine.rule import row
from timbra.rules.shared.hidrocarburos import (
    has_no_adquirente,
    has_no_complemento_concepto,
    has_no_cuenta_predial,
    has_no_impuestos,
    has_no_informacion_aduanera,
    has_no_parte,
    has_no_third_party,
    is_no_export,
    is_no_global_invoice,
    is_no_tax_object,
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


GCEH137 = row(
    "GCEH137",
    Concepto,
    at="Conceptos/Concepto/@ObjetoImp",
    says="Con el complemento Gastos de Hidrocarburos, ObjetoImp de todo concepto debe ser 01.",
    check=is_no_tax_object,
)


GCEH138 = row(
    "GCEH138",
    Concepto,
    at="Conceptos/Concepto/Impuestos",
    says="Con el complemento Gastos de Hidrocarburos, ningún concepto debe llevar Impuestos.",
    check=has_no_impuestos,
    inseparable=("GCEH137",),
)


GCEH139 = row(
    "GCEH139",
    ACuentaTerceros,
    at="Conceptos/Concepto/ACuentaTerceros",
    says="Con el complemento Gastos de Hidrocarburos, ningún concepto debe llevar ACuentaTerceros.",
    check=has_no_third_party,
)


GCEH140 = row(
    "GCEH140",
    Concepto,
    at="Conceptos/Concepto/InformacionAduanera",
    says="Con el complemento Gastos de Hidrocarburos, ningún concepto debe llevar InformacionAduanera.",
    check=has_no_informacion_aduanera,
)


GCEH141 = row(
    "GCEH141",
    Concepto,
    at="Conceptos/Concepto/CuentaPredial",
    says="Con el complemento Gastos de Hidrocarburos, ningún concepto debe llevar CuentaPredial.",
    check=has_no_cuenta_predial,
)


GCEH142 = row(
    "GCEH142",
    Concepto,
    at="Conceptos/Concepto/ComplementoConcepto",
    says="Con el complemento Gastos de Hidrocarburos, ningún concepto debe llevar ComplementoConcepto.",
    check=has_no_complemento_concepto,
)


GCEH143 = row(
    "GCEH143",
    Concepto,
    at="Conceptos/Concepto/Parte",
    says="Con el complemento Gastos de Hidrocarburos, ningún concepto debe llevar Parte.",
    check=has_no_parte,
)
