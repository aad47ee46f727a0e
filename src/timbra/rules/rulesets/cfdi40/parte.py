"""Parts of a Concepto: CFDI40196 to CFDI40198."""

from __future__ import annotations

from timbra.cfdi.nodes import Parte
from timbra.rules.engine.rule import row
from timbra.rules.shared.invoice import line
from timbra.rules.shared.predicates import in_catalog

CFDI40196 = row(
    "CFDI40196",
    Parte,
    at="Conceptos/Concepto/Parte/@ClaveProdServ",
    says="ClaveProdServ de la parte debe ser una clave vigente de c_ClaveProdServ.",
    check=in_catalog("c_ClaveProdServ", "ClaveProdServ"),
)


CFDI40197 = row(
    "CFDI40197",
    Parte,
    at="Conceptos/Concepto/Parte/@ValorUnitario",
    says="ValorUnitario de la parte debe ser mayor que cero.",
    check=line.part_price_is_positive,
)


CFDI40198 = row(
    "CFDI40198",
    Parte,
    at="Conceptos/Concepto/Parte/@Importe",
    says="Importe de la parte debe estar entre los límites de Cantidad por ValorUnitario.",
    check=line.part_amount_equals_quantity_times_price,
)
