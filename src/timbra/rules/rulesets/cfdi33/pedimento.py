"""NumeroPedimento of a Concepto and of a Parte: CFDI33170, CFDI33171, CFDI33177, CFDI33178."""

from __future__ import annotations

from timbra.cfdi.nodes import InformacionAduanera, InformacionAduaneraDeParte
from timbra.examples.cfdi33 import exportacion33, ingreso33
from timbra.examples.codes.cfdi33 import with_part
from timbra.examples.codes.example import example
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01
from timbra.rules.shared.invoice import customs

CFDI33170 = row(
    "CFDI33170",
    InformacionAduanera,
    at="Conceptos/Concepto/InformacionAduanera/@NumeroPedimento",
    says="NumeroPedimento del concepto debe tener un año, una aduana, una patente y un número válidos.",
    check=customs.pedimento_is_valid,
    cites=MATRIX_2022_01,
    fails=example(
        ingreso33,
        {"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "11  48  3009  0001234"},
        passes={"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "21  48  3009  0001234"},
    ),
)


CFDI33171 = row(
    "CFDI33171",
    InformacionAduanera,
    at="Conceptos/Concepto/InformacionAduanera/@NumeroPedimento",
    says="NumeroPedimento del concepto no debe existir con el complemento Comercio Exterior.",
    check=customs.pedimento_is_absent_in_exports,
    cites=MATRIX_2022_01,
    fails=example(exportacion33, {"Conceptos/Concepto/InformacionAduanera/@NumeroPedimento": "21  48  3009  0001234"}),
)


CFDI33177 = row(
    "CFDI33177",
    InformacionAduaneraDeParte,
    at="Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento",
    says="NumeroPedimento de la parte debe tener un año, una aduana, una patente y un número válidos.",
    check=customs.pedimento_is_valid,
    cites=MATRIX_2022_01,
    fails=example(
        with_part,
        {"Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento": "11  48  3009  0001234"},
        passes={"Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento": "21  48  3009  0001234"},
    ),
)


CFDI33178 = row(
    "CFDI33178",
    InformacionAduaneraDeParte,
    at="Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento",
    says="NumeroPedimento de la parte no debe existir con el complemento Comercio Exterior.",
    check=customs.pedimento_is_absent_in_exports,
    cites=MATRIX_2022_01,
    fails=example(
        exportacion33,
        {
            "Conceptos/Concepto/Parte": ExampleNode(
                "cfdi:Parte", {"ClaveProdServ": "84111506", "Cantidad": "2", "Descripcion": "Pieza"}
            ),
            "Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento": "21  48  3009  0001234",
        },
    ),
)
