"""Conceptos: GCEH137 to GCEH143."""

from __future__ import annotations

from timbra.cfdi.nodes import ACuentaTerceros, Concepto
from timbra.examples import hidrocarburos10
from timbra.examples.codes.hidrocarburos10 import CONCEPTO, expense_of, school
from timbra.examples.conceptos import impuestos, tax
from timbra.examples.tree import ExampleNode
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
    fails={"Conceptos/Concepto/@ObjetoImp": "03"},
)


GCEH138 = row(
    "GCEH138",
    Concepto,
    at="Conceptos/Concepto/Impuestos",
    says="Con el complemento Gastos de Hidrocarburos, ningún concepto debe llevar Impuestos.",
    check=has_no_impuestos,
    inseparable=("GCEH137",),
    fails=expense_of(
        {
            f"{CONCEPTO}/@ObjetoImp": "02",
            f"{CONCEPTO}/Impuestos": impuestos([tax("200.00", "002", None)], []),
            "Impuestos/Traslados/Traslado": ExampleNode("cfdi:Traslado", tax("200.00", "002", None)),
        }
    ),
)


GCEH139 = row(
    "GCEH139",
    ACuentaTerceros,
    at="Conceptos/Concepto/ACuentaTerceros",
    says="Con el complemento Gastos de Hidrocarburos, ningún concepto debe llevar ACuentaTerceros.",
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


GCEH140 = row(
    "GCEH140",
    Concepto,
    at="Conceptos/Concepto/InformacionAduanera",
    says="Con el complemento Gastos de Hidrocarburos, ningún concepto debe llevar InformacionAduanera.",
    check=has_no_informacion_aduanera,
    fails={"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "26  48  3009  0000001"},
)


GCEH141 = row(
    "GCEH141",
    Concepto,
    at="Conceptos/Concepto/CuentaPredial",
    says="Con el complemento Gastos de Hidrocarburos, ningún concepto debe llevar CuentaPredial.",
    check=has_no_cuenta_predial,
    fails={"Conceptos/Concepto/CuentaPredial/@Numero": "1"},
)


GCEH142 = row(
    "GCEH142",
    Concepto,
    at="Conceptos/Concepto/ComplementoConcepto",
    says="Con el complemento Gastos de Hidrocarburos, ningún concepto debe llevar ComplementoConcepto.",
    check=has_no_complemento_concepto,
    fails=expense_of(school(f"{hidrocarburos10.EXPENSES} {hidrocarburos10.EXPENSES_SCHEMA}")),
)


GCEH143 = row(
    "GCEH143",
    Concepto,
    at="Conceptos/Concepto/Parte",
    says="Con el complemento Gastos de Hidrocarburos, ningún concepto debe llevar Parte.",
    check=has_no_parte,
    fails={
        "Conceptos/Concepto/Parte": ExampleNode(
            "cfdi:Parte", {"ClaveProdServ": "84111506", "Cantidad": "1", "Descripcion": "Pieza"}
        )
    },
)
