"""The only Concepto of a payment: CRP111 to CRP121."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.invoice.fixed import attribute, children
from timbra.rules.shared.pagos.comprobante import AT, WHY, has_one_concepto, written


@rule("CRP111", at=AT)
def payment_has_one_concepto(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return has_one_concepto(comprobante)


@rule("CRP112", at=AT)
def concepto_holds_nothing(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    names = children(concepto, ctx)
    if not names:
        return None
    return Violation(found=", ".join(names), expected=f"ningún nodo dentro del concepto {WHY}")


@rule("CRP113", at=f"{AT}/@ClaveProdServ")
def product_is_invoicing(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return written(concepto.ClaveProdServ, "84111506")


@rule("CRP114", at=f"{AT}/@NoIdentificacion")
def concepto_has_no_number(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return absent(attribute(concepto, ctx, "NoIdentificacion"), WHY)


@rule("CRP115", at=f"{AT}/@Cantidad")
def quantity_is_one(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return written(concepto.Cantidad, "1")


@rule("CRP116", at=f"{AT}/@ClaveUnidad")
def unit_is_activity(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return written(concepto.ClaveUnidad, "ACT")


@rule("CRP117", at=f"{AT}/@Unidad")
def concepto_has_no_other_unit(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return absent(attribute(concepto, ctx, "Unidad"), WHY)


@rule("CRP118", at=f"{AT}/@Descripcion")
def concepto_is_called_pago(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return written(attribute(concepto, ctx, "Descripcion"), "Pago")


@rule("CRP119", at=f"{AT}/@ValorUnitario")
def price_is_zero(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return written(concepto.ValorUnitario, "0")


@rule("CRP120", at=f"{AT}/@Importe")
def amount_is_zero(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return written(concepto.Importe, "0")


@rule("CRP121", at=f"{AT}/@Descuento")
def concepto_has_no_discount(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return absent(concepto.Descuento, WHY)
