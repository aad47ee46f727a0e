"""Form and method of payment: CFDI33103, CFDI33104, CFDI33121 to CFDI33124."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.pagos10 import TAG as PAGOS
from timbra.examples.cfdi33 import traslado33
from timbra.examples.codes.example import example
from timbra.examples.pagos10 import pago10
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01
from timbra.rules.shared.invoice.document_type import is_absent_in_type
from timbra.rules.shared.predicates import in_catalog, is_absent

INITIAL_AND_PARTIAL = "PIP"
"""Key of c_MetodoPago until July 2017: pago inicial y parcialidades."""


def has_pagos(comprobante: Comprobante, _ctx: EvaluationContext) -> bool:
    """Whether the document has the complement Recepción de Pagos 1.0."""
    return comprobante.complement(PAGOS) is not None


CFDI33103 = row(
    "CFDI33103",
    Comprobante,
    at="@FormaPago",
    says="Con el complemento Recepción de Pagos, FormaPago no debe existir.",
    check=is_absent("FormaPago", "con el complemento Recepción de Pagos"),
    applies=has_pagos,
    inseparable=("CRP104",),
    cites=MATRIX_2022_01,
    fails=example(pago10, {"@FormaPago": "03"}),
)


CFDI33104 = row(
    "CFDI33104",
    Comprobante,
    at="@FormaPago",
    says="FormaPago debe ser una clave vigente de c_FormaPago.",
    check=in_catalog("c_FormaPago", "FormaPago"),
    cites=MATRIX_2022_01,
    fails={"@FormaPago": "98"},
)


CFDI33121 = row(
    "CFDI33121",
    Comprobante,
    at="@MetodoPago",
    says="MetodoPago debe ser una clave vigente de c_MetodoPago.",
    check=in_catalog("c_MetodoPago", "MetodoPago"),
    cites=MATRIX_2022_01,
    fails={"@MetodoPago": "PPX"},
)


@rule(
    "CFDI33122",
    at="@MetodoPago",
    says="Con MetodoPago PIP debe existir el complemento Recepción de Pagos.",
    note="PIP no está en ningún catálogo vigente con CFDI 3.3, así que también se incumple CFDI33121.",
    types="IE",
    inseparable=("CFDI33121",),
    cites=MATRIX_2022_01,
    fails={"@MetodoPago": "PIP"},
)
def initial_payment_has_pagos(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if comprobante.MetodoPago != INITIAL_AND_PARTIAL or has_pagos(comprobante, ctx):
        return None
    return Violation(found=INITIAL_AND_PARTIAL, expected="el complemento Recepción de Pagos")


CFDI33123 = row(
    "CFDI33123",
    Comprobante,
    at="@MetodoPago",
    says="MetodoPago no debe existir en comprobantes de tipo T o P.",
    check=is_absent_in_type("MetodoPago"),
    types="TP",
    cites=MATRIX_2022_01,
    fails=example(traslado33, {"@MetodoPago": "PUE"}),
)


CFDI33124 = row(
    "CFDI33124",
    Comprobante,
    at="@MetodoPago",
    says="Con el complemento Recepción de Pagos, MetodoPago no debe existir.",
    check=is_absent("MetodoPago", "con el complemento Recepción de Pagos"),
    applies=has_pagos,
    inseparable=("CFDI33123", "CRP105"),
    cites=MATRIX_2022_01,
    fails=example(pago10, {"@MetodoPago": "PUE"}),
)
