"""Form and currency of a payment: CRP201 to CRP205, CRP237, keys of FormaDePagoP and MonedaP."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos10 import Impuestos, Pago
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.pagos10.sources import SCHEMA
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.pagos import (
    PESOS,
    has_defined_form,
    has_rate_of_foreign_currency,
    has_usual_or_confirmed_rate,
    is_a_currency,
)
from timbra.rules.shared.predicates import in_catalog
from timbra.rules.shared.single_concepto import is_forbidden

CRP201 = row(
    "CRP201",
    Pago,
    at="Complemento/Pagos/Pago/@FormaDePagoP",
    says="FormaDePagoP no debe ser 99.",
    check=has_defined_form,
)


CRP999_FormaDePagoP = row(
    "CRP999:FormaDePagoP",
    Pago,
    at="Complemento/Pagos/Pago/@FormaDePagoP",
    says="FormaDePagoP debe ser una clave vigente de c_FormaPago.",
    check=in_catalog("c_FormaPago", "FormaDePagoP"),
    cites=SCHEMA,
)


CRP202 = row(
    "CRP202",
    Pago,
    at="Complemento/Pagos/Pago/@MonedaP",
    says="La moneda del pago no debe ser XXX.",
    check=is_a_currency("MonedaP"),
)


CRP999_MonedaP = row(
    "CRP999:MonedaP",
    Pago,
    at="Complemento/Pagos/Pago/@MonedaP",
    says="MonedaP debe ser una clave vigente de c_Moneda.",
    check=in_catalog("c_Moneda", "MonedaP"),
    cites=SCHEMA,
)


CRP203 = row(
    "CRP203",
    Pago,
    at="Complemento/Pagos/Pago/@TipoCambioP",
    says="El pago en una moneda distinta de MXN debe llevar TipoCambioP.",
    check=has_rate_of_foreign_currency,
)


@rule(
    "CRP204",
    at="Complemento/Pagos/Pago/@TipoCambioP",
    says="El pago en MXN no debe llevar TipoCambioP.",
)
def payment_in_pesos_has_no_rate(pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return absent(pago.TipoCambioP, "con MonedaP MXN") if pago.MonedaP == PESOS else None


CRP205 = row(
    "CRP205",
    Pago,
    at="Complemento/Pagos/Pago/@TipoCambioP",
    says="Un TipoCambioP fuera de los límites publicados requiere Confirmacion.",
    check=has_usual_or_confirmed_rate,
    needs=(DataRequirement.EXCHANGE_RATES,),
    severity=Severity.SUSPENDED,
)


CRP237 = row(
    "CRP237",
    Impuestos,
    at="Complemento/Pagos/Pago/Impuestos",
    says="Un pago de la versión 1.0 no debe llevar el nodo Impuestos.",
    check=is_forbidden("Impuestos", "dentro de Pago"),
)
