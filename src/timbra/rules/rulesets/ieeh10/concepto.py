"""Elements that Conceptos must not have: IEEH109 to IEEH113."""

from __future__ import annotations

from timbra.cfdi.nodes import ACuentaTerceros, Concepto
from timbra.rules.engine.rule import row
from timbra.rules.shared.hidrocarburos.comprobante import (
    has_no_complemento_concepto,
    has_no_cuenta_predial,
    has_no_informacion_aduanera,
    has_no_parte,
    has_no_third_party,
)

IEEH109 = row(
    "IEEH109",
    ACuentaTerceros,
    at="Conceptos/Concepto/ACuentaTerceros",
    says="Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar ACuentaTerceros.",
    check=has_no_third_party,
)


IEEH110 = row(
    "IEEH110",
    Concepto,
    at="Conceptos/Concepto/InformacionAduanera",
    says=("Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar InformacionAduanera."),
    check=has_no_informacion_aduanera,
)


IEEH111 = row(
    "IEEH111",
    Concepto,
    at="Conceptos/Concepto/CuentaPredial",
    says="Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar CuentaPredial.",
    check=has_no_cuenta_predial,
)


IEEH112 = row(
    "IEEH112",
    Concepto,
    at="Conceptos/Concepto/ComplementoConcepto",
    says=("Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar ComplementoConcepto."),
    check=has_no_complemento_concepto,
)


IEEH113 = row(
    "IEEH113",
    Concepto,
    at="Conceptos/Concepto/Parte",
    says="Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar Parte.",
    check=has_no_parte,
)
