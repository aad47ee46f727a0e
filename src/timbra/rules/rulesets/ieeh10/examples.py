"""The documents that violate the rules, by code."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples import hidrocarburos10
from timbra.examples.cfdi40 import global_invoice
from timbra.examples.codes.example import Example
from timbra.examples.codes.hidrocarburos10 import income_of, school
from timbra.examples.hidrocarburos10 import income, ingresos_hidrocarburos
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import Fails

BASE = ingresos_hidrocarburos
"""Builder of the document that the changes of `FAILS` concern."""
FAILS: Mapping[str, Fails] = {
    "IEEH102": {"@TipoDeComprobante": "E"},
    "IEEH103": {"Complemento/IngresosHidrocarburos/DocumentoRelacionado/@Mes": "09"},
    "IEEH104": {"Complemento/IngresosHidrocarburos/@Porcentaje": "0.000"},
    "IEEH105": {"Complemento/IngresosHidrocarburos/@ContraprestacionPagadaOperador": "231.99"},
    "IEEH106": {"@Exportacion": "03"},
    "IEEH107": Example(ingresos_hidrocarburos, lambda: global_invoice(income())),
    "IEEH108": {"Emisor/@FacAtrAdquirente": "0000000001"},
    "IEEH109": {
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
    "IEEH110": {"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "26  48  3009  0000001"},
    "IEEH111": {"Conceptos/Concepto/CuentaPredial/@Numero": "1"},
    "IEEH112": income_of(school(f"{hidrocarburos10.INCOME} {hidrocarburos10.INCOME_SCHEMA}")),
    "IEEH113": {
        "Conceptos/Concepto/Parte": ExampleNode(
            "cfdi:Parte", {"ClaveProdServ": "84111506", "Cantidad": "1", "Descripcion": "Pieza"}
        )
    },
}
