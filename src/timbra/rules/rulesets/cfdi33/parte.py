"""Parts of a Concepto: CFDI33172, CFDI33174, CFDI33176."""

from __future__ import annotations

from timbra.cfdi.nodes import Parte
from timbra.examples.codes.cfdi33 import with_part
from timbra.examples.codes.example import example
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01
from timbra.rules.shared.invoice import line
from timbra.rules.shared.predicates import in_catalog

CFDI33172 = row(
    "CFDI33172",
    Parte,
    at="Conceptos/Concepto/Parte/@ClaveProdServ",
    says="ClaveProdServ de la parte debe ser una clave vigente de c_ClaveProdServ.",
    note="Se usan los productos de CFDI 4.0, los únicos disponibles.",
    check=in_catalog("c_ClaveProdServ", "ClaveProdServ"),
    severity=Severity.WARNING,
    cites=MATRIX_2022_01,
    fails=example(with_part, {"Conceptos/Concepto/Parte/@ClaveProdServ": "00000009"}),
)


CFDI33174 = row(
    "CFDI33174",
    Parte,
    at="Conceptos/Concepto/Parte/@ValorUnitario",
    says="ValorUnitario de la parte debe ser mayor que cero.",
    check=line.part_price_is_positive,
    cites=MATRIX_2022_01,
    fails=example(
        with_part, {"Conceptos/Concepto/Parte/@ValorUnitario": "0", "Conceptos/Concepto/Parte/@Importe": None}
    ),
)


CFDI33176 = row(
    "CFDI33176",
    Parte,
    at="Conceptos/Concepto/Parte/@Importe",
    says="Importe de la parte debe estar entre los límites de Cantidad por ValorUnitario.",
    check=line.part_amount_equals_quantity_times_price,
    cites=MATRIX_2022_01,
    fails=example(with_part, {"Conceptos/Concepto/Parte/@Importe": "201.00"}),
)
