"""Form and method of payment: CFDI33103, CFDI33122, CFDI33124."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.pagos10 import TAG as PAGOS
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.predicates import is_absent

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
)


@rule(
    "CFDI33122",
    at="@MetodoPago",
    says="Con MetodoPago PIP debe existir el complemento Recepción de Pagos.",
    note="PIP no está en ningún catálogo vigente con CFDI 3.3, así que también se incumple CFDI33121.",
    types="IE",
    inseparable=("CFDI33121",),
)
def initial_payment_has_pagos(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if comprobante.MetodoPago != INITIAL_AND_PARTIAL or has_pagos(comprobante, ctx):
        return None
    return Violation(found=INITIAL_AND_PARTIAL, expected="el complemento Recepción de Pagos")


CFDI33124 = row(
    "CFDI33124",
    Comprobante,
    at="@MetodoPago",
    says="Con el complemento Recepción de Pagos, MetodoPago no debe existir.",
    check=is_absent("MetodoPago", "con el complemento Recepción de Pagos"),
    applies=has_pagos,
    inseparable=("CFDI33123", "CRP105"),
)
