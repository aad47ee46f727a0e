"""Traslados of a Concepto: CFDI40174 to CFDI40180."""

from __future__ import annotations

from timbra.cfdi.nodes import Traslado
from timbra.rules.engine.rule import row
from timbra.rules.shared.invoice import taxes
from timbra.rules.shared.predicates import has_rate, in_catalog

CFDI40174 = row(
    "CFDI40174",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@Base",
    says="Base del traslado debe ser mayor que cero.",
    check=taxes.base_is_positive,
)


CFDI40175 = row(
    "CFDI40175",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@Impuesto",
    says="Impuesto del traslado debe ser una clave de c_Impuesto que se pueda trasladar.",
    check=taxes.is_tax_for_use("traslado", "trasladar"),
)


CFDI40176 = row(
    "CFDI40176",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TipoFactor",
    says="TipoFactor del traslado debe ser una clave vigente de c_TipoFactor.",
    check=in_catalog("c_TipoFactor", "TipoFactor"),
)


CFDI40177 = row(
    "CFDI40177",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TipoFactor",
    says="Un traslado Exento no debe tener TasaOCuota ni Importe.",
    check=taxes.has_no_rate_nor_amount,
    applies=taxes.is_exempt,
)


CFDI40178 = row(
    "CFDI40178",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TipoFactor",
    says="Un traslado con Tasa o Cuota debe tener TasaOCuota e Importe.",
    check=taxes.has_rate_and_amount,
    applies=taxes.is_taxed,
)


CFDI40179 = row(
    "CFDI40179",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota",
    says="TasaOCuota del traslado debe corresponder a c_TasaOCuota.",
    check=has_rate("transfer"),
    inseparable=("CFDI40219",),
)


CFDI40180 = row(
    "CFDI40180",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@Importe",
    says="Importe del traslado debe estar entre los límites de Base por TasaOCuota.",
    check=taxes.amount_equals_base_times_rate,
    applies=taxes.has_rate,
)
