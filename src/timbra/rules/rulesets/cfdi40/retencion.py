"""Retenciones of a Concepto: CFDI40181 to CFDI40186, CFDI140224, CFDI140225."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import Comprobante, Retencion
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.invoice import taxes
from timbra.rules.shared.rates import rate_of

RETENCION = "Conceptos/Concepto/Impuestos/Retenciones/Retencion"
ISR = "001"
RESICO = "626"
RESICO_RATE = Decimal("0.0125")
NO_WITHHOLDING, WITHHOLDING = "1", "2"


@rule("CFDI40181", at=f"{RETENCION}/@Base")
def withheld_base_is_positive(retencion: Retencion, _ctx: EvaluationContext) -> RuleResult:
    return taxes.base_is_positive(retencion)


@rule("CFDI40182", at=f"{RETENCION}/@Impuesto", reads=("row",), inseparable=("CFDI40207",))
def tax_may_be_withheld(retencion: Retencion, ctx: EvaluationContext) -> RuleResult:
    return taxes.tax_is_usable(ctx, retencion, "retencion", "retener")


@rule("CFDI40183", at=f"{RETENCION}/@TipoFactor", reads=("row",))
def withheld_factor_is_a_key(retencion: Retencion, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_TipoFactor", retencion.TipoFactor)


@rule("CFDI40184", at=f"{RETENCION}/@TipoFactor", reads=("row",))
def exempt_is_not_withheld(retencion: Retencion, _ctx: EvaluationContext) -> RuleResult:
    return taxes.exempt_is_not_withheld(retencion)


@rule("CFDI40185", at=f"{RETENCION}/@TasaOCuota", reads=("row",))
def withheld_rate_is_in_its_catalog(retencion: Retencion, ctx: EvaluationContext) -> RuleResult:
    return rate_of(ctx, retencion.row, "withholding")


@rule("CFDI40186", at=f"{RETENCION}/@Importe")
def withheld_amount_is_base_times_rate(retencion: Retencion, ctx: EvaluationContext) -> RuleResult:
    return taxes.amount_is_base_times_rate(ctx, retencion)


def is_resico_to_a_company(comprobante: Comprobante, _ctx: EvaluationContext) -> bool:
    """A persona física of regime 626 who invoices a persona moral."""
    emisor, receptor = comprobante.emisor, comprobante.receptor
    return emisor.RegimenFiscal == RESICO and len(emisor.Rfc) == 13 and len(receptor.Rfc) == 12


@rule("CFDI140224", at="Conceptos/Concepto", needs=(DataRequirement.MARKS,), applies=is_resico_to_a_company)
def marked_issuer_has_no_isr_withheld(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if _mark(ctx) != NO_WITHHOLDING:
        return None
    found = next((row for row in comprobante.retenciones if row.Impuesto == ISR), None)
    if found is None:
        return None
    return Violation(found=ISR, expected="que no se retenga ISR a este emisor", at=f"{found.path}/@Impuesto")


@rule("CFDI140225", at="Conceptos/Concepto", needs=(DataRequirement.MARKS,), applies=is_resico_to_a_company)
def marked_issuer_has_isr_withheld(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if _mark(ctx) != WITHHOLDING:
        return None
    rows = (row for row in comprobante.retenciones if row.Impuesto == ISR)
    if any(ctx.rate(row.TasaOCuota) == RESICO_RATE for row in rows):
        return None
    return Violation(expected="una Retencion con Impuesto 001 y TasaOCuota 0.012500")


def _mark(ctx: EvaluationContext) -> str | None:
    marks = ctx.reference_data.marks
    return marks.withholding(ctx.comprobante.emisor.Rfc) if marks is not None else None
