"""Form and currency of a payment: CRP20212 to CRP20216, keys of MonedaP."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import Pago
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.pagos20.sources import SCHEMA
from timbra.rules.shared.pagos.pago import (
    PESOS,
    has_defined_form,
    has_rate_of_foreign_currency,
    has_usual_or_confirmed_rate,
    is_a_currency,
)
from timbra.rules.shared.predicates import in_catalog

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
