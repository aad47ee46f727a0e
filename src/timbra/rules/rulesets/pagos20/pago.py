"""Form, currency and amount of a payment: CRP20212 to CRP20220, CRP20275, CRP20276, keys of MonedaP."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.pagos20 import DoctoRelacionado, Pago
from timbra.core.money import truncate, written_decimals
from timbra.rules.engine.amount_forms import Covers, implied_by
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.pagos20.sources import REVISION_B, SCHEMA
from timbra.rules.rulesets.pagos20.sums import Payments, converted
from timbra.rules.shared.amounts import AmountLimits
from timbra.rules.shared.pagos import (
    PESOS,
    Paid,
    has_defined_form,
    has_rate_of_foreign_currency,
    has_usual_or_confirmed_amount,
    has_usual_or_confirmed_rate,
    is_a_currency,
    is_positive,
)
from timbra.rules.shared.predicates import has_decimals_of_currency, in_catalog

EPSILON: Final = Decimal("1E-16")
SAME_CURRENCY_DECIMALS: Final = 10
"""Decimals of EquivalenciaDR 1 of a document in the payment's currency, when the payment has others too."""


_is_in_catalog = in_catalog("c_FormaPago", "FormaDePagoP")


@rule(
    "CRP20212",
    at="Complemento/Pagos/Pago/@FormaDePagoP",
    says="FormaDePagoP debe ser una clave vigente de c_FormaPago distinta de 99.",
)
def form_of_payment_is_a_defined_key(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    return has_defined_form(pago, ctx) or _is_in_catalog(pago, ctx)


CRP20213 = row(
    "CRP20213",
    Pago,
    at="Complemento/Pagos/Pago/@MonedaP",
    says="MonedaP no debe ser XXX.",
    check=is_a_currency("MonedaP"),
)


CRP20999_MonedaP = row(
    "CRP20999:MonedaP",
    Pago,
    at="Complemento/Pagos/Pago/@MonedaP",
    says="MonedaP debe ser una clave vigente de c_Moneda.",
    check=in_catalog("c_Moneda", "MonedaP"),
    cites=SCHEMA,
)


CRP20214 = row(
    "CRP20214",
    Pago,
    at="Complemento/Pagos/Pago/@TipoCambioP",
    says="TipoCambioP debe existir cuando MonedaP no es MXN.",
    check=has_rate_of_foreign_currency,
)


@rule(
    "CRP20215",
    at="Complemento/Pagos/Pago/@TipoCambioP",
    says="Con MonedaP MXN, TipoCambioP debe ser 1.",
)
def payment_in_pesos_has_rate_one(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    if pago.MonedaP != PESOS or pago.TipoCambioP == "1":
        return None
    return Violation(found=pago.TipoCambioP, expected="1, por MonedaP MXN")


CRP20216 = row(
    "CRP20216",
    Pago,
    at="Complemento/Pagos/Pago/@TipoCambioP",
    says="Un TipoCambioP fuera de los límites publicados requiere Confirmacion.",
    check=has_usual_or_confirmed_rate,
    needs=(DataRequirement.EXCHANGE_RATES,),
    severity=Severity.SUSPENDED,
)


@rule(
    "CRP20217",
    at="Complemento/Pagos/Pago/@Monto",
    says="Monto no debe ser menor que la suma de ImpPagado de los documentos en la moneda del pago.",
    note="Sin tolerancia.",
)
@implied_by(Covers("Monto", "Complemento/Pagos/Pago/DoctoRelacionado/@ImpPagado"))
def amount_covers_documents_of_its_currency(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    total = sum([document.pagado for document in pago.documentos if document.MonedaDR == pago.MonedaP], ZERO)
    if total <= pago.monto:
        return None
    return Violation(found=pago.Monto, expected=f"al menos {total:f}, la suma de ImpPagado de los documentos")


CRP20218 = row(
    "CRP20218",
    Pago,
    at="Complemento/Pagos/Pago/@Monto",
    says="Monto debe ser mayor que cero.",
    note="También se incumple CRP20217; si todos los documentos son de otra moneda, CRP20276 en lugar de CRP20217.",
    check=is_positive("Monto", "monto"),
    inseparable=("CRP20217",),
)


CRP20219 = row(
    "CRP20219",
    Pago,
    at="Complemento/Pagos/Pago/@Monto",
    says="Monto no debe tener más decimales que MonedaP.",
    check=has_decimals_of_currency("Monto", currency="MonedaP"),
)


CRP20220 = row(
    "CRP20220",
    Pago,
    at="Complemento/Pagos/Pago/@Monto",
    says="Un Monto mayor que el límite permitido requiere Confirmacion.",
    note="También se incumple CRP20211: MontoTotalPagos no admite una suma tan grande.",
    check=has_usual_or_confirmed_amount,
    severity=Severity.SUSPENDED,
    inseparable=("CRP20211",),
)


def paid_limits(document: DoctoRelacionado, currency: str, decimals: int) -> AmountLimits:
    """Return the limits of ImpPagado in the payment's currency, which has that number of decimals."""
    own = SAME_CURRENCY_DECIMALS if document.MonedaDR == currency else written_decimals(document.EquivalenciaDR or "")
    return Paid(document.ImpPagado, document.pagado, document.equivalencia, own).limits(decimals, EPSILON)


@rule(
    "CRP20276",
    at="Complemento/Pagos/Pago/@Monto",
    says="Monto debe cubrir la suma de ImpPagado convertidos a la moneda del pago, dentro de sus límites.",
    since=REVISION_B,
)
def amount_covers_documents_of_other_currencies(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    decimals = ctx.decimals_of(pago.MonedaP)
    if decimals is None or not ctx.memoize(Payments).mixes(pago):
        return None
    total = sum([converted(document, document.pagado) for document in pago.documentos], ZERO)
    if truncate(total, decimals) <= pago.monto:
        return None
    every = [paid_limits(document, pago.MonedaP, decimals) for document in pago.documentos]
    limits = AmountLimits(sum([each.lower for each in every], ZERO), sum([each.upper for each in every], ZERO))
    if limits.lower <= pago.monto <= limits.upper:
        return None
    return Violation(found=pago.Monto, expected=f"{limits}, la suma de ImpPagado de los documentos en {pago.MonedaP}")


@rule(
    "CRP20275",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpPagado",
    says="ImpPagado convertido a la moneda del pago debe quedar dentro de sus límites.",
    note="Todo importe positivo cumple: solo puede incumplirla uno que también incumple CRP20241.",
    since=REVISION_B,
    inseparable=("CRP20241",),
)
def converted_amount_is_within_its_limits(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    pago = ctx.memoize(Payments).of(document)
    decimals = ctx.decimals_of(pago.MonedaP)
    if decimals is None or not ctx.memoize(Payments).mixes(document):
        return None
    value = truncate(converted(document, document.pagado), decimals)
    limits = paid_limits(document, pago.MonedaP, decimals)
    if limits.lower <= value <= limits.upper:
        return None
    return Violation(
        found=document.ImpPagado, expected=f"un importe que en {pago.MonedaP} quede {limits}; es {value:f}"
    )
