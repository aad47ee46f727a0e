"""The balance of a paid document: CRP221 to CRP226, CRP234 to CRP236."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos10 import DoctoRelacionado
from timbra.rules.case import Case
from timbra.rules.conditions import decimals_of
from timbra.rules.finding import Breach, Verdict
from timbra.rules.pagos.pago import DOCUMENT_AT as AT
from timbra.rules.pagos.pago import is_positive
from timbra.rules.pagos10.documento import in_parts
from timbra.rules.pagos10.sums import may_leave_out, paid, payment_of
from timbra.rules.rule import rule


def _decimals(document: DoctoRelacionado, case: Case, text: str | None) -> Verdict:
    return None if text is None else decimals_of(case, text, document.MonedaDR)


@rule("CRP221", at=f"{AT}/@ImpSaldoAnt")
def earlier_balance_is_positive(document: DoctoRelacionado, _case: Case) -> Verdict:
    text = document.ImpSaldoAnt
    return None if text is None else is_positive(text, document.saldo_anterior)


@rule("CRP222", at=f"{AT}/@ImpSaldoAnt")
def earlier_balance_has_the_decimals_of_its_currency(document: DoctoRelacionado, case: Case) -> Verdict:
    return _decimals(document, case, document.ImpSaldoAnt)


@rule("CRP223", at=f"{AT}/@ImpPagado")
def paid_amount_is_positive(document: DoctoRelacionado, _case: Case) -> Verdict:
    return None if document.ImpPagado is None else is_positive(document.ImpPagado, document.pagado)


@rule("CRP224", at=f"{AT}/@ImpPagado")
def paid_amount_has_the_decimals_of_its_currency(document: DoctoRelacionado, case: Case) -> Verdict:
    return _decimals(document, case, document.ImpPagado)


@rule("CRP225", at=f"{AT}/@ImpSaldoInsoluto")
def balance_has_the_decimals_of_its_currency(document: DoctoRelacionado, case: Case) -> Verdict:
    return _decimals(document, case, document.ImpSaldoInsoluto)


@rule("CRP226", at=f"{AT}/@ImpSaldoInsoluto")
def balance_is_what_remains(document: DoctoRelacionado, case: Case) -> Verdict:
    """Without ImpSaldoAnt, or without an ImpPagado that must be there, it is at least not negative."""
    if document.ImpSaldoInsoluto is None:
        return None
    pago = payment_of(document, case)
    amount = document.ImpPagado or (pago.Monto if may_leave_out(pago, document) else None)
    if document.ImpSaldoAnt is None or amount is None:
        holds, expected = document.saldo_insoluto >= 0, "al menos cero"
    else:
        remains = document.saldo_anterior - paid(pago, document)
        holds = document.saldo_insoluto == remains >= 0
        expected = f"{remains:f}, de {document.ImpSaldoAnt} menos {amount}, y al menos cero"
    return None if holds else Breach(found=document.ImpSaldoInsoluto, expected=expected)


@rule("CRP234", at=f"{AT}/@ImpSaldoAnt")
def part_has_its_earlier_balance(document: DoctoRelacionado, _case: Case) -> Verdict:
    return in_parts(document, document.ImpSaldoAnt)


@rule("CRP235", at=f"{AT}/@ImpPagado")
def paid_amount_is_told(document: DoctoRelacionado, case: Case) -> Verdict:
    """Where it is not Monto: one of several documents, or one with a rate of exchange."""
    if document.ImpPagado is not None or may_leave_out(payment_of(document, case), document):
        return None
    why = "por TipoCambioDR" if document.TipoCambioDR is not None else "por haber varios documentos"
    return Breach(expected=f"el importe que se paga del documento, {why}")


@rule("CRP236", at=f"{AT}/@ImpSaldoInsoluto")
def part_has_its_balance(document: DoctoRelacionado, _case: Case) -> Verdict:
    return in_parts(document, document.ImpSaldoInsoluto)
