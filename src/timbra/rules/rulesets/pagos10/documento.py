"""Documents that are paid, currency and method: CRP217 to CRP220, CRP233, keys of MonedaDR and MetodoDePagoDR."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos10 import DoctoRelacionado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.pagos10.matrix import STANDARD
from timbra.rules.rulesets.pagos10.sums import payment_of
from timbra.rules.shared.conditions import absent, key_of
from timbra.rules.shared.pagos.pago import DOCUMENT_AT as AT
from timbra.rules.shared.pagos.pago import PESOS, is_a_currency

IN_PARTS = "PPD"


def in_parts(document: DoctoRelacionado, text: str | None) -> RuleResult:
    """Present where the document is paid in parts or later."""
    if text is not None or document.MetodoDePagoDR != IN_PARTS:
        return None
    return Violation(expected="un valor, por MetodoDePagoDR PPD")


@rule("CRP217", at=f"{AT}/@MonedaDR")
def document_has_a_currency(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return is_a_currency(document.MonedaDR)


@rule("CRP999:MonedaDR", at=f"{AT}/@MonedaDR", source=STANDARD, reads=("MonedaDR",))
def currency_is_a_key(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Moneda", document.MonedaDR)


@rule("CRP218", at=f"{AT}/@TipoCambioDR")
def other_currency_has_its_rate(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    currency = payment_of(document, ctx).MonedaP
    if document.TipoCambioDR is not None or document.MonedaDR == currency:
        return None
    return Violation(expected=f"las unidades de {document.MonedaDR} que valen una de {currency}")


@rule("CRP219", at=f"{AT}/@TipoCambioDR")
def same_currency_has_no_rate(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    if document.MonedaDR != payment_of(document, ctx).MonedaP:
        return None
    return absent(document.TipoCambioDR, f"con MonedaDR igual a MonedaP {document.MonedaDR}")


@rule("CRP220", at=f"{AT}/@TipoCambioDR")
def pesos_paid_in_another_currency_have_the_rate_one(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    """An absent rate is CRP218."""
    if document.MonedaDR != PESOS or payment_of(document, ctx).MonedaP == PESOS:
        return None
    if document.TipoCambioDR in ("1", None):
        return None
    return Violation(found=document.TipoCambioDR, expected="1, por MonedaDR MXN y otra MonedaP")


@rule("CRP999:MetodoDePagoDR", at=f"{AT}/@MetodoDePagoDR", source=STANDARD, reads=("MetodoDePagoDR",))
def method_is_a_key(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_MetodoPago", document.MetodoDePagoDR)


@rule("CRP233", at=f"{AT}/@NumParcialidad")
def part_has_its_number(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return in_parts(document, document.NumParcialidad)
