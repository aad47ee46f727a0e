"""Predicates of the taxes of paid documents, transferred or withheld."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import ImpuestoDR
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.amounts import Factor, is_near, tax_holds, tax_limits


def has_positive_base(tax: ImpuestoDR, _ctx: EvaluationContext) -> RuleResult:
    """BaseDR is greater than zero."""
    return None if tax.base > 0 else Violation(found=tax.BaseDR, expected="una base mayor que cero")


def amount_equals_base_times_rate(tax: ImpuestoDR, _ctx: EvaluationContext) -> RuleResult:
    """ImporteDR is within SAT's limits of BaseDR by TasaOCuotaDR; a tax without rate or amount passes."""
    if tax.ImporteDR is None or tax.TasaOCuotaDR is None:
        return None
    if is_near(tax.base * tax.tasa, tax.importe, tax.ImporteDR):
        return None
    base, amount = Factor(tax.BaseDR, tax.base), Factor(tax.ImporteDR, tax.importe)
    if tax_holds(base, tax.tasa, amount):
        return None
    limits = tax_limits(base, tax.tasa, amount.decimals)
    return Violation(found=tax.ImporteDR, expected=f"{limits}, de {tax.BaseDR} por {tax.TasaOCuotaDR}")
