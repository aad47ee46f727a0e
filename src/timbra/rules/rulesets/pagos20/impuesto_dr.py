"""What taxes of paid documents share, transferred or withheld."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import ImpuestoDR
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.amounts import Factor, is_near, tax_holds, tax_limits


def base_is_positive(tax: ImpuestoDR) -> RuleResult:
    return None if tax.base > 0 else Violation(found=tax.BaseDR, expected="una base mayor que cero")


def amount_is_base_times_rate(tax: ImpuestoDR) -> RuleResult:
    """Nothing to say where rate or amount are absent."""
    if tax.ImporteDR is None or tax.TasaOCuotaDR is None:
        return None
    if is_near(tax.base * tax.tasa, tax.importe, tax.ImporteDR):
        return None
    base, amount = Factor(tax.BaseDR, tax.base), Factor(tax.ImporteDR, tax.importe)
    if tax_holds(base, tax.tasa, amount):
        return None
    limits = tax_limits(base, tax.tasa, amount.decimals)
    return Violation(found=tax.ImporteDR, expected=f"{limits}, de {tax.BaseDR} por {tax.TasaOCuotaDR}")
