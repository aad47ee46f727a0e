"""Conceptos: GCEH137 to GCEH143."""

from __future__ import annotations

from timbra.cfdi.nodes import ACuentaTerceros, Concepto
from timbra.rules.engine.rule import row
from timbra.rules.shared.hidrocarburos.comprobante import (
    has_no_complemento_concepto,
    has_no_cuenta_predial,
    has_no_impuestos,
    has_no_informacion_aduanera,
    has_no_parte,
    has_no_third_party,
    is_no_tax_object,
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
