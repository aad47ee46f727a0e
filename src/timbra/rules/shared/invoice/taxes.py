"""Checks that transferred and withheld taxes of Conceptos share."""

from __future__ import annotations

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.impuestos import Impuesto, Retencion, Traslado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.amounts import Factor, is_near, tax_holds, tax_limits
from timbra.rules.shared.conditions import key_of

EXENTO = "Exento"


def is_exempt(traslado: Traslado, _ctx: EvaluationContext) -> bool:
    """Whether the traslado is exempt."""
    return traslado.TipoFactor == EXENTO


def is_taxed(traslado: Traslado, _ctx: EvaluationContext) -> bool:
    """Whether TipoFactor is Tasa or Cuota."""
    return traslado.TipoFactor in ("Tasa", "Cuota")


def has_rate(traslado: Traslado, _ctx: EvaluationContext) -> bool:
    """Whether the traslado has TasaOCuota."""
    return traslado.TasaOCuota is not None


def base_is_positive(tax: Impuesto) -> RuleResult:
    """Check that Base is greater than zero."""
    return None if tax.base > ZERO else Violation(found=tax.Base, expected="una base mayor que cero")


def tax_is_usable(ctx: EvaluationContext, tax: Impuesto, column: str, verb: str) -> RuleResult:
    """Check that the tax is a key of c_Impuesto that may be transferred or withheld.

    Args:
        ctx: evaluation context.
        tax: the tax.
        column: column of c_Impuesto for that use.
        verb: Spanish verb for that use.
    """
    row = ctx.row("c_Impuesto", tax.Impuesto)
    if row is None:
        return key_of(ctx, "c_Impuesto", tax.Impuesto)
    return None if row[column] else Violation(found=tax.Impuesto, expected=f"un impuesto que se pueda {verb}")


def amount_is_base_times_rate(ctx: EvaluationContext, tax: Impuesto) -> RuleResult:
    """Check Importe = Base * TasaOCuota; passes when rate or amount are absent."""
    if tax.Importe is None or tax.TasaOCuota is None:
        return None
    rate = ctx.rate(tax.TasaOCuota)
    if is_near(tax.base * rate, tax.importe, tax.Importe):
        return None
    base, amount = Factor(tax.Base, tax.base), Factor(tax.Importe, tax.importe)
    if tax_holds(base, rate, amount):
        return None
    limits = tax_limits(base, rate, amount.decimals)
    return Violation(found=tax.Importe, expected=f"{limits}, de {tax.Base} por {tax.TasaOCuota}")


def exempt_has_neither_rate_nor_amount(traslado: Traslado) -> RuleResult:
    """Check that an exempt traslado has neither TasaOCuota nor Importe."""
    if traslado.TasaOCuota is None and traslado.Importe is None:
        return None
    found = ", ".join(name for name in ("TasaOCuota", "Importe") if getattr(traslado, name) is not None)
    return Violation(found=f"Exento con {found}", expected="que TasaOCuota e Importe no existan")


def no_rate_or_amount(traslado: Traslado) -> Violation:
    """Return the violation for a taxed traslado without TasaOCuota or Importe."""
    missing = " e ".join(name for name in ("TasaOCuota", "Importe") if getattr(traslado, name) is None)
    return Violation(found=f"{traslado.TipoFactor} sin {missing}", expected="TasaOCuota e Importe")


def exempt_is_not_withheld(retencion: Retencion) -> RuleResult:
    """Check that TipoFactor of a retencion is not Exento."""
    return Violation(found=EXENTO, expected="Tasa o Cuota") if retencion.TipoFactor == EXENTO else None
