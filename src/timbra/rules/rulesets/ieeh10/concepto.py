"""Elements that Conceptos must not have: IEEH109 to IEEH113."""

from __future__ import annotations

from timbra.cfdi.nodes import ACuentaTerceros, Concepto
from timbra.examples import hidrocarburos10
from timbra.examples.codes.hidrocarburos10 import income_of, school
from timbra.examples.tree import ExampleNode
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
    fails={
        "Conceptos/Concepto/ACuentaTerceros": ExampleNode(
            "cfdi:ACuentaTerceros",
            {
                "RfcACuentaTerceros": "CACX7605101P8",
                "NombreACuentaTerceros": "XOCHILT CASAS CHAVEZ",
                "RegimenFiscalACuentaTerceros": "612",
                "DomicilioFiscalACuentaTerceros": "36257",
            },
        )
    },
)


IEEH110 = row(
    "IEEH110",
    Concepto,
    at="Conceptos/Concepto/InformacionAduanera",
    says=("Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar InformacionAduanera."),
    check=has_no_informacion_aduanera,
    fails={"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "26  48  3009  0000001"},
)


IEEH111 = row(
    "IEEH111",
    Concepto,
    at="Conceptos/Concepto/CuentaPredial",
    says="Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar CuentaPredial.",
    check=has_no_cuenta_predial,
    fails={"Conceptos/Concepto/CuentaPredial/@Numero": "1"},
)


IEEH112 = row(
    "IEEH112",
    Concepto,
    at="Conceptos/Concepto/ComplementoConcepto",
    says=("Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar ComplementoConcepto."),
    check=has_no_complemento_concepto,
    fails=income_of(school(f"{hidrocarburos10.INCOME} {hidrocarburos10.INCOME_SCHEMA}")),
)


IEEH113 = row(
    "IEEH113",
    Concepto,
    at="Conceptos/Concepto/Parte",
    says="Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar Parte.",
    check=has_no_parte,
    fails={
        "Conceptos/Concepto/Parte": ExampleNode(
            "cfdi:Parte", {"ClaveProdServ": "84111506", "Cantidad": "1", "Descripcion": "Pieza"}
        )
    },
)
