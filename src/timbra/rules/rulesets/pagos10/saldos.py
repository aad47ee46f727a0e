"""The balance of a paid document: CRP221 to CRP226, CRP234 to CRP236."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos10 import DoctoRelacionado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.pagos10.sums import has_optional_paid_amount, paid_amount, payment_of
from timbra.rules.shared.pagos import is_positive, is_present_with_installments
from timbra.rules.shared.predicates import has_decimals_of_currency

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
