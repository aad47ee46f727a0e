"""Traslados of a Concepto: CFDI33154 to CFDI33159, CFDI33161."""

from __future__ import annotations

from timbra.cfdi.nodes import Traslado
from timbra.examples.cfdi33 import ingreso33
from timbra.examples.codes.cfdi33 import at_rate_zero, exempt, with_traslado
from timbra.examples.codes.example import Example, example
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01
from timbra.rules.shared.invoice import taxes
from timbra.rules.shared.predicates import has_rate, in_catalog

CFDI33154 = row(
    "CFDI33154",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@Base",
    says="Base del traslado debe ser mayor que cero.",
    check=taxes.base_is_positive,
    cites=MATRIX_2022_01,
    fails=Example(ingreso33, lambda: with_traslado({"Base": "0", "Importe": "0.00"})),
)


CFDI33155 = row(
    "CFDI33155",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@Impuesto",
    says="Impuesto del traslado debe ser una clave de c_Impuesto.",
    check=in_catalog("c_Impuesto", "Impuesto"),
    inseparable=("CFDI33191",),
    cites=MATRIX_2022_01,
    fails=Example(ingreso33, lambda: with_traslado({"Impuesto": "004"})),
)


CFDI33156 = row(
    "CFDI33156",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TipoFactor",
    says="TipoFactor del traslado debe ser una clave vigente de c_TipoFactor.",
    check=in_catalog("c_TipoFactor", "TipoFactor"),
    cites=MATRIX_2022_01,
    fails=Example(ingreso33, lambda: with_traslado({"TipoFactor": "Otro"})),
)


CFDI33157 = row(
    "CFDI33157",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TipoFactor",
    says="Un traslado Exento no debe tener TasaOCuota ni Importe.",
    check=taxes.has_no_rate_nor_amount,
    applies=taxes.is_exempt,
    cites=MATRIX_2022_01,
    fails=example(
        exempt,
        {
            "Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota": "0.000000",
            "Conceptos/Concepto/Impuestos/Traslados/Traslado/@Importe": "0.00",
        },
    ),
)


CFDI33158 = row(
    "CFDI33158",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TipoFactor",
    says="Un traslado con Tasa o Cuota debe tener TasaOCuota e Importe.",
    check=taxes.has_rate_and_amount,
    applies=taxes.is_taxed,
    cites=MATRIX_2022_01,
    fails=example(at_rate_zero, {"Conceptos/Concepto/Impuestos/Traslados/Traslado/@Importe": None}),
)


CFDI33159 = row(
    "CFDI33159",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota",
    says="TasaOCuota del traslado debe corresponder a c_TasaOCuota.",
    note="Ningún código indica qué impuestos se pueden trasladar, así que aquí se evalúa también una tasa de ISR.",
    check=has_rate("transfer", every_tax=True),
    inseparable=("CFDI33193",),
    cites=MATRIX_2022_01,
    fails=Example(ingreso33, lambda: with_traslado({"TasaOCuota": "0.150000", "Importe": "30.00"})),
)


CFDI33161 = row(
    "CFDI33161",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@Importe",
    says="Importe del traslado debe estar entre los límites de Base por TasaOCuota.",
    check=taxes.amount_equals_base_times_rate,
    applies=taxes.has_rate,
    cites=MATRIX_2022_01,
    fails=Example(ingreso33, lambda: with_traslado({"Importe": "33.00"})),
)
