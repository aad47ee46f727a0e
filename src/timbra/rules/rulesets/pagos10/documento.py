"""Documents that are paid, currency and method: CRP217 to CRP220, CRP233, keys of MonedaDR and MetodoDePagoDR."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos10 import DoctoRelacionado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.pagos10.sources import SCHEMA
from timbra.rules.rulesets.pagos10.sums import payment_of
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.pagos import PESOS, is_a_currency, is_present_with_installments
from timbra.rules.shared.predicates import in_catalog

CRP217 = row(
    "CRP217",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@MonedaDR",
    says="La moneda del documento no debe ser XXX.",
    check=is_a_currency("MonedaDR"),
)


CRP999_MonedaDR = row(
    "CRP999:MonedaDR",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@MonedaDR",
    says="MonedaDR debe ser una clave vigente de c_Moneda.",
    check=in_catalog("c_Moneda", "MonedaDR"),
    cites=SCHEMA,
)


@rule(
    "CRP218",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@TipoCambioDR",
    says="El documento en otra moneda que el pago debe llevar TipoCambioDR.",
)
def document_in_another_currency_has_rate(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    currency = payment_of(document, ctx).MonedaP
    if document.TipoCambioDR is not None or document.MonedaDR == currency:
        return None
    return Violation(expected=f"las unidades de {document.MonedaDR} que valen una de {currency}")


@rule(
    "CRP219",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@TipoCambioDR",
    says="El documento en la moneda del pago no debe llevar TipoCambioDR.",
)
def document_in_the_same_currency_has_no_rate(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    if document.MonedaDR != payment_of(document, ctx).MonedaP:
        return None
    return absent(document.TipoCambioDR, f"con MonedaDR igual a MonedaP {document.MonedaDR}")


@rule(
    "CRP220",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@TipoCambioDR",
    says="El documento en MXN de un pago en otra moneda debe llevar 1 en TipoCambioDR.",
    note="Un TipoCambioDR ausente se informa con CRP218.",
)
def document_in_pesos_has_rate_one(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    if document.MonedaDR != PESOS or payment_of(document, ctx).MonedaP == PESOS:
        return None
    if document.TipoCambioDR in ("1", None):
        return None
    return Violation(found=document.TipoCambioDR, expected="1, por MonedaDR MXN y otra MonedaP")


CRP999_MetodoDePagoDR = row(
    "CRP999:MetodoDePagoDR",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@MetodoDePagoDR",
    says="MetodoDePagoDR debe ser una clave vigente de c_MetodoPago.",
    check=in_catalog("c_MetodoPago", "MetodoDePagoDR"),
    cites=SCHEMA,
)


CRP233 = row(
    "CRP233",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@NumParcialidad",
    says="Un documento con MetodoDePagoDR PPD debe llevar NumParcialidad.",
    check=is_present_with_installments("NumParcialidad"),
)
