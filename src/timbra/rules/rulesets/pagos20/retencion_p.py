"""Retenciones of a payment: CRP20262 to CRP20265."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import RetencionP
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.pagos20.impuesto_p import compare_sum, has_any_total
from timbra.rules.rulesets.pagos20.sums import WITHHELD, Payments
from timbra.rules.shared.predicates import in_catalog

CRP20262 = row(
    "CRP20262",
    RetencionP,
    at="Complemento/Pagos/Pago/ImpuestosP/RetencionesP/RetencionP/@ImpuestoP",
    says="ImpuestoP de la retención debe ser una clave vigente de c_Impuesto.",
    check=in_catalog("c_Impuesto", "ImpuestoP"),
)


@rule(
    "CRP20263",
    at="Complemento/Pagos/Pago/ImpuestosP/RetencionesP/RetencionP/@ImpuestoP",
    says="Debe haber una sola retención por impuesto en el pago.",
)
def withheld_tax_is_unique(retencion: RetencionP, ctx: EvaluationContext) -> RuleResult:
    if ctx.memoize(Payments).sums(retencion).is_first(retencion):
        return None
    return Violation(found=retencion.ImpuestoP, expected="una sola RetencionP por ImpuestoP en el pago")


CRP20264 = row(
    "CRP20264",
    RetencionP,
    at="Complemento/Pagos/Pago/ImpuestosP/RetencionesP/RetencionP/@ImporteP",
    says="Con retenciones en un pago debe existir algún total de retenciones.",
    note="También se incumple CRP20201; con ISR o IEPS, CRP20202 o CRP20203 en su lugar.",
    check=has_any_total(WITHHELD.values()),
    inseparable=("CRP20201",),
)


@rule(
    "CRP20265",
    at="Complemento/Pagos/Pago/ImpuestosP/RetencionesP/RetencionP/@ImporteP",
    says="ImporteP de la retención debe ser la suma de las retenciones de los documentos.",
)
def withheld_amount_equals_sum_of_documents(retencion: RetencionP, ctx: EvaluationContext) -> RuleResult:
    total = ctx.memoize(Payments).sums(retencion).retencion(retencion.ImpuestoP)
    return compare_sum(retencion.ImporteP, retencion.importe, total)
