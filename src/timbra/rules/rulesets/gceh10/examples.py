"""The documents that violate the rules, by code."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples import hidrocarburos10
from timbra.examples.codes.example import example
from timbra.examples.codes.hidrocarburos10 import CONCEPTO, abroad, activity, costs, expense_of, foreign, school
from timbra.examples.comprobante import ROBOTICA
from timbra.examples.conceptos import impuestos, tax
from timbra.examples.hidrocarburos10 import gastos_hidrocarburos
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import Fails

BASE = gastos_hidrocarburos
"""Builder of the document that the changes of `FAILS` concern."""
FAILS: Mapping[str, Fails] = {
    "GCEH102": {"@TipoDeComprobante": "I"},
    "GCEH103": {"Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@OrigenErogacion": "Extranjero"},
    "GCEH104": expense_of(abroad(RFCProveedor=ROBOTICA.rfc), abroad()),
    "GCEH105": {"Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@RFCProveedor": None},
    "GCEH106": expense_of(abroad(MontoTotalIVA="32.00"), abroad()),
    "GCEH107": {"Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@MontoTotalIVA": None},
    "GCEH108": expense_of(foreign(OrigenErogacion="Nacional"), foreign()),
    "GCEH109": expense_of(abroad(ClavePedimentoVinculado="A1"), abroad()),
    "GCEH110": expense_of(foreign(ClavePedimentoVinculado=None), foreign()),
    "GCEH111": expense_of(abroad(ClavePagoPedimentoVinculado="00"), abroad()),
    "GCEH112": expense_of(foreign(ClavePagoPedimentoVinculado=None), foreign()),
    "GCEH113": expense_of(abroad(MontoIVAPedimento="32.00"), abroad()),
    "GCEH114": expense_of(foreign(MontoIVAPedimento=None), foreign()),
    "GCEH115": example(
        gastos_hidrocarburos,
        {"Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@Mes": "09"},
        passes={"Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@Mes": "10"},
    ),
    "GCEH116": {"Complemento/GastosHidrocarburos/Erogacion/@Porcentaje": "0.000"},
    "GCEH117": activity(None, "001", "0001"),
    "GCEH118": activity("01"),
    "GCEH119": activity("01", None),
    "GCEH120": activity("01", "001"),
    "GCEH121": activity("01", "001", None),
    "GCEH122": activity(None, None, "0001"),
    "GCEH123": activity("06", "001", "0001"),
    "GCEH124": activity("01", "040", "0001"),
    "GCEH125": activity("01", "001", "0156"),
    "GCEH126": costs(None, "Y", "P"),
    "GCEH127": example(
        gastos_hidrocarburos,
        {"Complemento/GastosHidrocarburos/Erogacion/CentroCostos": ExampleNode("gceh:CentroCostos", {"Campo": "C"})},
        passes={
            "Complemento/GastosHidrocarburos/Erogacion/CentroCostos": ExampleNode(
                "gceh:CentroCostos",
                {"Campo": "C"},
                [ExampleNode("gceh:Yacimientos", {"Yacimiento": "Y"}, [ExampleNode("gceh:Pozos", {"Pozo": "P"})])],
            )
        },
    ),
    "GCEH128": costs("C", None),
    "GCEH129": costs("C", "Y"),
    "GCEH130": costs("C", "Y", None),
    "GCEH131": costs(None, None, "P"),
    "GCEH132": {"Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@FechaFolioFiscalVinculado": None},
    "GCEH133": expense_of(foreign(NumeroPedimentoVinculado="15  48  3009  0000001"), foreign()),
    "GCEH134": {"@Exportacion": "03"},
    "GCEH135": {
        "InformacionGlobal/@Periodicidad": "01",
        "InformacionGlobal/@Meses": "11",
        "InformacionGlobal/@Año": "2026",
    },
    "GCEH136": {"Emisor/@FacAtrAdquirente": "0000000001"},
    "GCEH137": {"Conceptos/Concepto/@ObjetoImp": "03"},
    "GCEH138": expense_of(
        {
            f"{CONCEPTO}/@ObjetoImp": "02",
            f"{CONCEPTO}/Impuestos": impuestos([tax("200.00", "002", None)], []),
            "Impuestos/Traslados/Traslado": ExampleNode("cfdi:Traslado", tax("200.00", "002", None)),
        }
    ),
    "GCEH139": {
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
    "GCEH140": {"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "26  48  3009  0000001"},
    "GCEH141": {"Conceptos/Concepto/CuentaPredial/@Numero": "1"},
    "GCEH142": expense_of(school(f"{hidrocarburos10.EXPENSES} {hidrocarburos10.EXPENSES_SCHEMA}")),
    "GCEH143": {
        "Conceptos/Concepto/Parte": ExampleNode(
            "cfdi:Parte", {"ClaveProdServ": "84111506", "Cantidad": "1", "Descripcion": "Pieza"}
        )
    },
}
