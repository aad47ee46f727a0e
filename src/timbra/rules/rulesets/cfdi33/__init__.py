"""The error matrix of CFDI 3.3. CFDI33102 and CFDI33105 are rules of `rulesets.certificates`.

Documents of 3.3 are checked against the catalogs of their date. Products and postal codes are checked against the
catalogs of CFDI 4.0 when there are no others; such a violation is a warning.
"""

from __future__ import annotations

from timbra.rules.engine.rule import NotImplementedRow
from timbra.rules.engine.rule_set import RuleSet, discover_rules
from timbra.rules.rulesets.cfdi33.from_cfdi40 import DERIVED
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01

NOT_APPLIED = "el SAT indica no aplicarla"
NOT_IMPLEMENTED = (
    NotImplementedRow(
        "CFDI33146",
        at="Conceptos/Concepto/@ValorUnitario",
        says="ValorUnitario no debe tener más decimales que la moneda.",
        cites=MATRIX_2022_01,
        reason=NOT_APPLIED,
    ),
    NotImplementedRow(
        "CFDI33148",
        at="Conceptos/Concepto/@Importe",
        says="Importe del concepto no debe tener más decimales que la moneda.",
        cites=MATRIX_2022_01,
        reason=NOT_APPLIED,
    ),
    NotImplementedRow(
        "CFDI33153",
        at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@Base",
        says="Base del traslado no debe tener más decimales que la moneda.",
        cites=MATRIX_2022_01,
        reason=NOT_APPLIED,
    ),
    NotImplementedRow(
        "CFDI33160",
        at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@Importe",
        says="Importe del traslado no debe tener más decimales que la moneda.",
        cites=MATRIX_2022_01,
        reason=NOT_APPLIED,
    ),
    NotImplementedRow(
        "CFDI33162",
        at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@Base",
        says="Base de la retención no debe tener más decimales que la moneda.",
        cites=MATRIX_2022_01,
        reason=NOT_APPLIED,
    ),
    NotImplementedRow(
        "CFDI33168",
        at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@Importe",
        says="Importe de la retención no debe tener más decimales que la moneda.",
        cites=MATRIX_2022_01,
        reason=NOT_APPLIED,
    ),
    NotImplementedRow(
        "CFDI33173",
        at="Conceptos/Concepto/Parte/@ValorUnitario",
        says="ValorUnitario de la parte no debe tener más decimales que la moneda.",
        cites=MATRIX_2022_01,
        reason=NOT_APPLIED,
    ),
    NotImplementedRow(
        "CFDI33175",
        at="Conceptos/Concepto/Parte/@Importe",
        says="Importe de la parte no debe tener más decimales que la moneda.",
        cites=MATRIX_2022_01,
        reason=NOT_APPLIED,
    ),
    NotImplementedRow(
        "CFDI33188",
        at="Impuestos/Retenciones/Retencion/@Importe",
        says="Importe de la retención total no debe tener más decimales que la moneda.",
        cites=MATRIX_2022_01,
        reason=NOT_APPLIED,
    ),
    NotImplementedRow(
        "CFDI33194",
        at="Impuestos/Traslados/Traslado/@Importe",
        says="Importe del traslado total no debe tener más decimales que la moneda.",
        cites=MATRIX_2022_01,
        reason=NOT_APPLIED,
    ),
)
RULE_SET = RuleSet(
    "cfdi33",
    "2022-01",
    discover_rules(__name__, also=DERIVED, cites=MATRIX_2022_01),
    standard="CFDI 3.3",
    package=__name__,
    not_implemented=NOT_IMPLEMENTED,
    versions=("3.3",),
    messages={"CFDI33196": "El comprobante incumple una regla que no tiene código propio."},
    prefixes=("CFDI33",),
)
RULE_SETS = (RULE_SET,)
