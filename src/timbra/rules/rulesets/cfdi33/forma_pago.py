"""How it is paid: CFDI33103, CFDI33104, CFDI33121 to CFDI33124."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.pagos10 import TAG as PAGOS
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import HEAD, absent, key_of

INITIAL_AND_PARTIAL = "PIP"
"""A method that c_MetodoPago listed until July 2017."""


def has_payments(comprobante: Comprobante, _ctx: EvaluationContext) -> bool:
    return comprobante.complement(PAGOS) is not None


@rule("CFDI33103", at="@FormaPago", applies=has_payments, inseparable=("CRP104",))
def receipt_of_payments_has_no_form(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return absent(comprobante.FormaPago, "con el complemento Recepción de Pagos")


@rule("CFDI33104", at="@FormaPago", reads=HEAD)
def form_of_payment_is_a_key(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return None if comprobante.FormaPago is None else key_of(ctx, "c_FormaPago", comprobante.FormaPago)


@rule("CFDI33121", at="@MetodoPago", reads=HEAD)
def method_of_payment_is_a_key(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return None if comprobante.MetodoPago is None else key_of(ctx, "c_MetodoPago", comprobante.MetodoPago)


@rule("CFDI33122", at="@MetodoPago", types="IE", inseparable=("CFDI33121",))
def initial_payment_carries_payments(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """PIP is in no catalog of a date that CFDI 3.3 knows, so it breaks CFDI33121 too."""
    if comprobante.MetodoPago != INITIAL_AND_PARTIAL or has_payments(comprobante, ctx):
        return None
    return Violation(found=INITIAL_AND_PARTIAL, expected="el complemento Recepción de Pagos")


@rule("CFDI33123", at="@MetodoPago", types="TP", reads=HEAD)
def method_of_payment_is_absent(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return absent(comprobante.MetodoPago, f"en un comprobante de tipo {comprobante.TipoDeComprobante}")


@rule("CFDI33124", at="@MetodoPago", applies=has_payments, inseparable=("CFDI33123", "CRP105"))
def receipt_of_payments_has_no_method(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return absent(comprobante.MetodoPago, "con el complemento Recepción de Pagos")
