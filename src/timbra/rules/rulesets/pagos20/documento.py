"""Documents that are paid, currency and balance: CRP20236 to CRP20244, CRP20277, keys of MonedaDR."""

from __future__ import annotations

from timbra.cfdi.nodes.pago import ONE
from timbra.cfdi.nodes.pagos20 import DoctoRelacionado
from timbra.core.money import written_decimals
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.pagos20.monto import SAME_CURRENCY_DECIMALS
from timbra.rules.rulesets.pagos20.sources import REVISION_B, SCHEMA
from timbra.rules.rulesets.pagos20.sums import Payments
from timbra.rules.shared.pagos.pago import is_a_currency, is_positive
from timbra.rules.shared.predicates import has_decimals_of_currency, in_catalog

CRP20236 = row(
    "CRP20236",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@MonedaDR",
    says="MonedaDR no debe ser XXX.",
    check=is_a_currency("MonedaDR"),
)


CRP20999_MonedaDR = row(
    "CRP20999:MonedaDR",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@MonedaDR",
    says="MonedaDR debe ser una clave vigente de c_Moneda.",
    check=in_catalog("c_Moneda", "MonedaDR"),
    cites=SCHEMA,
)


@rule(
    "CRP20237",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@EquivalenciaDR",
    says="EquivalenciaDR debe existir cuando MonedaDR es distinta de MonedaP.",
)
def document_in_another_currency_has_equivalence(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    currency = ctx.memoize(Payments).of(document).MonedaP
    if document.EquivalenciaDR is not None or document.MonedaDR == currency:
        return None
    return Violation(expected=f"las unidades de {document.MonedaDR} que valen una de {currency}")


@rule(
    "CRP20238",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@EquivalenciaDR",
    says="Con MonedaDR igual a MonedaP, EquivalenciaDR debe ser 1.",
)
def document_in_the_same_currency_has_equivalence_one(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    if document.MonedaDR != ctx.memoize(Payments).of(document).MonedaP:
        return None
    if document.EquivalenciaDR is not None and document.equivalencia == ONE:
        return None
    return Violation(found=document.EquivalenciaDR, expected=f"1, por MonedaDR igual a MonedaP {document.MonedaDR}")


@rule(
    "CRP20277",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@EquivalenciaDR",
    says="Si hay documentos en otra moneda, el 1 de EquivalenciaDR debe escribirse con diez decimales.",
    note="Se evalúa si el pago tiene documentos en su moneda y documentos en otra.",
    since=REVISION_B,
)
def equivalence_one_has_ten_decimals(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    text, pago = document.EquivalenciaDR, ctx.memoize(Payments).of(document)
    if text is None or document.MonedaDR != pago.MonedaP or not ctx.memoize(Payments).mixes(document):
        return None
    if document.equivalencia != ONE or written_decimals(text) == SAME_CURRENCY_DECIMALS:
        return None
    return Violation(found=text, expected="1.0000000000: hay documentos en otra moneda")


CRP20239 = row(
    "CRP20239",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoAnt",
    says="ImpSaldoAnt debe ser mayor que cero.",
    check=is_positive("ImpSaldoAnt", "saldo_anterior"),
    inseparable=("CRP20244",),
)


CRP20240 = row(
    "CRP20240",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoAnt",
    says="ImpSaldoAnt no debe tener más decimales que MonedaDR.",
    check=has_decimals_of_currency("ImpSaldoAnt", currency="MonedaDR"),
)


CRP20241 = row(
    "CRP20241",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpPagado",
    says="ImpPagado debe ser mayor que cero.",
    check=is_positive("ImpPagado", "pagado"),
)


CRP20242 = row(
    "CRP20242",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpPagado",
    says="ImpPagado no debe tener más decimales que MonedaDR.",
    check=has_decimals_of_currency("ImpPagado", currency="MonedaDR"),
)


CRP20243 = row(
    "CRP20243",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoInsoluto",
    says="ImpSaldoInsoluto no debe tener más decimales que MonedaDR.",
    check=has_decimals_of_currency("ImpSaldoInsoluto", currency="MonedaDR"),
)


@rule(
    "CRP20244",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoInsoluto",
    says="ImpSaldoInsoluto debe ser ImpSaldoAnt menos ImpPagado y no ser negativo.",
)
def balance_equals_previous_minus_paid(document: DoctoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    remains = document.saldo_anterior - document.pagado
    if document.saldo_insoluto == remains >= 0:
        return None
    why = f"{document.ImpSaldoAnt} menos {document.ImpPagado}, y al menos cero"
    return Violation(found=document.ImpSaldoInsoluto, expected=f"{remains:f}, de {why}")
