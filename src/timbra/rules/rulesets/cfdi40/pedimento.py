"""NumeroPedimento of a Concepto and of a Parte: CFDI40194, CFDI40195, CFDI40199, CFDI40200."""

from __future__ import annotations

from timbra.cfdi.nodes import InformacionAduanera, InformacionAduaneraDeParte
from timbra.rules.engine.rule import row
from timbra.rules.shared.invoice import customs

CFDI40194 = row(
    "CFDI40194",
    InformacionAduanera,
    at="Conceptos/Concepto/InformacionAduanera/@NumeroPedimento",
    says="NumeroPedimento del concepto debe tener un año, una aduana, una patente y un número válidos.",
    check=customs.pedimento_is_valid,
)


CFDI40195 = row(
    "CFDI40195",
    InformacionAduanera,
    at="Conceptos/Concepto/InformacionAduanera/@NumeroPedimento",
    says="NumeroPedimento del concepto no debe existir con el complemento Comercio Exterior.",
    check=customs.pedimento_is_absent_in_exports,
)


CFDI40199 = row(
    "CFDI40199",
    InformacionAduaneraDeParte,
    at="Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento",
    says="NumeroPedimento de la parte debe tener un año, una aduana, una patente y un número válidos.",
    check=customs.pedimento_is_valid,
)


CFDI40200 = row(
    "CFDI40200",
    InformacionAduaneraDeParte,
    at="Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento",
    says="NumeroPedimento de la parte no debe existir con el complemento Comercio Exterior.",
    check=customs.pedimento_is_absent_in_exports,
)
