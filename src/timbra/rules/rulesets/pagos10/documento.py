"""Documents that are paid, their balance and amounts: CRP217 to CRP226, CRP233 to CRP236, and keys."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.pagos10 import DoctoRelacionado, Pago
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.pagos10.sources import SCHEMA
from timbra.rules.shared.pagos import PESOS, is_a_currency, is_positive, is_present_with_installments
from timbra.rules.shared.predicates import absent, has_decimals_of_currency, in_catalog

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


CRP221 = row(
    "CRP221",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoAnt",
    says="El saldo anterior del documento debe ser mayor que cero.",
    check=is_positive("ImpSaldoAnt", "saldo_anterior"),
)


CRP222 = row(
    "CRP222",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoAnt",
    says="El saldo anterior no debe tener más decimales que la moneda del documento.",
    check=has_decimals_of_currency("ImpSaldoAnt", currency="MonedaDR"),
)


CRP223 = row(
    "CRP223",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpPagado",
    says="El importe que se paga del documento debe ser mayor que cero.",
    check=is_positive("ImpPagado", "pagado"),
)


CRP224 = row(
    "CRP224",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpPagado",
    says="El importe pagado no debe tener más decimales que la moneda del documento.",
    check=has_decimals_of_currency("ImpPagado", currency="MonedaDR"),
)


CRP225 = row(
    "CRP225",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoInsoluto",
    says="El saldo insoluto no debe tener más decimales que la moneda del documento.",
    check=has_decimals_of_currency("ImpSaldoInsoluto", currency="MonedaDR"),
)


@rule(
    "CRP226",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoInsoluto",
    says="El saldo insoluto debe ser el anterior menos lo pagado, y no ser negativo.",
    note="Sin ImpSaldoAnt, o sin un ImpPagado obligatorio, solo se exige que no sea negativo.",
)
def balance_equals_previous_minus_paid(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    if document.ImpSaldoInsoluto is None:
        return None
    pago = payment_of(document, ctx)
    amount = document.ImpPagado or (pago.Monto if has_optional_paid_amount(pago, document) else None)
    if document.ImpSaldoAnt is None or amount is None:
        is_satisfied, expected = document.saldo_insoluto >= 0, "al menos cero"
    else:
        remains = document.saldo_anterior - paid_amount(pago, document)
        is_satisfied = document.saldo_insoluto == remains >= 0
        expected = f"{remains:f}, de {document.ImpSaldoAnt} menos {amount}, y al menos cero"
    return None if is_satisfied else Violation(found=document.ImpSaldoInsoluto, expected=expected)


CRP234 = row(
    "CRP234",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoAnt",
    says="Un documento con MetodoDePagoDR PPD debe llevar ImpSaldoAnt.",
    check=is_present_with_installments("ImpSaldoAnt"),
)


@rule(
    "CRP235",
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpPagado",
    says="Con varios documentos o con TipoCambioDR debe existir ImpPagado.",
    note="Es obligatorio con varios documentos o con TipoCambioDR; en otro caso el importe es Monto.",
)
def paid_amount_is_present_unless_optional(document: DoctoRelacionado, ctx: EvaluationContext) -> RuleResult:
    if document.ImpPagado is not None or has_optional_paid_amount(payment_of(document, ctx), document):
        return None
    why = "por TipoCambioDR" if document.TipoCambioDR is not None else "por haber varios documentos"
    return Violation(expected=f"el importe que se paga del documento, {why}")


CRP236 = row(
    "CRP236",
    DoctoRelacionado,
    at="Complemento/Pagos/Pago/DoctoRelacionado/@ImpSaldoInsoluto",
    says="Un documento con MetodoDePagoDR PPD debe llevar ImpSaldoInsoluto.",
    check=is_present_with_installments("ImpSaldoInsoluto"),
)


def _payments(comprobante: Comprobante) -> dict[tuple[int, ...], Pago]:
    return {pago.places: pago for pago in comprobante.of(Pago)}


def payment_of(node: ComplementNode, ctx: EvaluationContext) -> Pago:
    """Return the payment that contains the node."""
    return ctx.memoize(_payments)[node.places[:3]]


def has_optional_paid_amount(pago: Pago, document: DoctoRelacionado) -> bool:
    """Whether ImpPagado may be absent and then equals Monto: the only document, without TipoCambioDR."""
    return len(pago.documentos) == 1 and document.TipoCambioDR is None


def paid_amount(pago: Pago, document: DoctoRelacionado) -> Decimal:
    """Return ImpPagado in the document's currency; 0 when a required ImpPagado is absent."""
    is_monto = document.ImpPagado is None and has_optional_paid_amount(pago, document)
    return pago.monto if is_monto else document.pagado
