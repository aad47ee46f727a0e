"""Form, currency, amount and banks of a payment: CRP201 to CRP211, CRP237, and keys without a code of their own."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.pagos10 import DoctoRelacionado, Impuestos, Pago
from timbra.core.money import written_decimals
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.pagos10.documento import paid_amount
from timbra.rules.rulesets.pagos10.sources import SCHEMA
from timbra.rules.shared.pagos import (
    PESOS,
    Paid,
    has_defined_form,
    has_mexican_bank,
    has_name_of_foreign_bank,
    has_rate_of_foreign_currency,
    has_registered_bank,
    has_usual_or_confirmed_amount,
    is_a_currency,
    is_positive,
)
from timbra.rules.shared.predicates import absent, has_decimals_of_currency, in_catalog
from timbra.rules.shared.single_concepto import is_forbidden

EPSILON: Final = Decimal("1E-10")


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


CRP237 = row(
    "CRP237",
    Impuestos,
    at="Complemento/Pagos/Pago/Impuestos",
    says="Un pago de la versión 1.0 no debe llevar el nodo Impuestos.",
    check=is_forbidden("Impuestos", "dentro de Pago"),
)


def lowest_paid_amount(pago: Pago, document: DoctoRelacionado, decimals: int) -> Decimal:
    """Return the lower limit of ImpPagado in the payment's currency.

    The limit of a document in the payment's currency is ImpPagado itself. A document in pesos that is paid in another
    currency has TipoCambioDR 1 (CRP220), so the rate between both currencies is TipoCambioP.

    Args:
        pago: the payment.
        document: the document.
        decimals: decimals of the payment's currency.
    """
    amount = paid_amount(pago, document)
    if document.MonedaDR == pago.MonedaP or document.ImpPagado is None:
        return amount
    pesos = document.MonedaDR == PESOS
    rate, text = (pago.tipo_cambio, pago.TipoCambioP) if pesos else (document.tipo_cambio, document.TipoCambioDR)
    written = Paid(document.ImpPagado, amount, rate, written_decimals(text or ""))
    return written.limits(decimals, EPSILON).lower


@rule(
    "CRP206",
    at="Complemento/Pagos/Pago/@Monto",
    says="Monto debe cubrir la suma de ImpPagado de los documentos, convertida a la moneda del pago.",
)
def amount_covers_documents(pago: Pago, ctx: EvaluationContext) -> RuleResult:
    decimals = ctx.decimals_of(pago.MonedaP)
    if decimals is None:
        return None
    total = sum([lowest_paid_amount(pago, document, decimals) for document in pago.documentos], ZERO)
    if total <= pago.monto:
        return None
    return Violation(found=pago.Monto, expected=f"al menos {total:f}, la suma de ImpPagado en {pago.MonedaP}")


CRP207 = row(
    "CRP207",
    Pago,
    at="Complemento/Pagos/Pago/@Monto",
    says="El Monto del pago debe ser mayor que cero.",
    check=is_positive("Monto", "monto"),
)


CRP208 = row(
    "CRP208",
    Pago,
    at="Complemento/Pagos/Pago/@Monto",
    says="El Monto del pago no debe tener más decimales que su moneda.",
    check=has_decimals_of_currency("Monto", currency="MonedaP"),
)


CRP209 = row(
    "CRP209",
    Pago,
    at="Complemento/Pagos/Pago/@Monto",
    says="Un Monto mayor que el máximo del tipo de comprobante requiere Confirmacion.",
    check=has_usual_or_confirmed_amount,
    severity=Severity.SUSPENDED,
)


CRP210 = row(
    "CRP210",
    Pago,
    at="Complemento/Pagos/Pago/@RfcEmisorCtaOrd",
    says="El RFC del banco ordenante debe estar en la lista de RFC inscritos y no cancelados.",
    check=has_registered_bank,
    applies=has_mexican_bank,
    needs=(DataRequirement.TAXPAYERS,),
)


CRP211 = row(
    "CRP211",
    Pago,
    at="Complemento/Pagos/Pago/@NomBancoOrdExt",
    says="Si el banco ordenante es extranjero, debe existir NomBancoOrdExt.",
    check=has_name_of_foreign_bank,
)


CRP999_TipoCadPago = row(
    "CRP999:TipoCadPago",
    Pago,
    at="Complemento/Pagos/Pago/@TipoCadPago",
    says="TipoCadPago debe ser una clave vigente de c_TipoCadenaPago.",
    check=in_catalog("pagos10:c_TipoCadenaPago", "TipoCadPago"),
    cites=SCHEMA,
)
