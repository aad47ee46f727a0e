"""Retenciones of a Concepto: CFDI33163 to CFDI33167, CFDI33169."""

from __future__ import annotations

from timbra.cfdi.nodes import Retencion
from timbra.examples.codes.cfdi33 import with_retencion
from timbra.examples.codes.example import Example
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01
from timbra.rules.shared.invoice import taxes
from timbra.rules.shared.predicates import has_rate, in_catalog

CFDI33163 = row(
    "CFDI33163",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@Base",
    says="Base de la retención debe ser mayor que cero.",
    check=taxes.base_is_positive,
    cites=MATRIX_2022_01,
    fails=Example(with_retencion, lambda: with_retencion({"Base": "0", "Importe": "0.00"})),
)


CFDI33164 = row(
    "CFDI33164",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@Impuesto",
    says="Impuesto de la retención debe ser una clave de c_Impuesto.",
    check=in_catalog("c_Impuesto", "Impuesto"),
    inseparable=("CFDI33185",),
    cites=MATRIX_2022_01,
    fails=Example(with_retencion, lambda: with_retencion({"Impuesto": "004"})),
)


CFDI33165 = row(
    "CFDI33165",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@TipoFactor",
    says="TipoFactor de la retención debe ser una clave vigente de c_TipoFactor.",
    check=in_catalog("c_TipoFactor", "TipoFactor"),
    cites=MATRIX_2022_01,
    fails=Example(with_retencion, lambda: with_retencion({"TipoFactor": "Otro"})),
)


CFDI33166 = row(
    "CFDI33166",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@TipoFactor",
    says="TipoFactor de la retención no debe ser Exento.",
    check=taxes.is_not_exempt,
    cites=MATRIX_2022_01,
    fails=Example(with_retencion, lambda: with_retencion({"TipoFactor": "Exento"})),
)


CFDI33167 = row(
    "CFDI33167",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@TasaOCuota",
    says="TasaOCuota de la retención debe corresponder a c_TasaOCuota.",
    check=has_rate("withholding", every_tax=True),
    cites=MATRIX_2022_01,
    fails=Example(with_retencion, lambda: with_retencion({"TasaOCuota": "0.400000", "Importe": "80.00"})),
)


CFDI33169 = row(
    "CFDI33169",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@Importe",
    says="Importe de la retención debe estar entre los límites de Base por TasaOCuota.",
    check=taxes.amount_equals_base_times_rate,
    cites=MATRIX_2022_01,
    fails=Example(with_retencion, lambda: with_retencion({"Importe": "21.00"})),
)
