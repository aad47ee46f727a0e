"""The only Concepto of a payroll: NOM139 to NOM148."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.invoice.fixed import attribute, children
from timbra.rules.shared.nomina import concepto as line
from timbra.rules.shared.nomina.keys import WHY, unwanted, written

AT = "Conceptos/Concepto"


@rule("NOM139", at=AT)
def payroll_has_one_concepto_without_children(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    alone = line.stands_alone(comprobante)
    if alone is not None:
        return alone
    names = children(comprobante.conceptos[0], ctx)
    return Violation(found=", ".join(names), expected=f"ningún nodo dentro del concepto {WHY}") if names else None


@rule("NOM140", at=f"{AT}/@ClaveProdServ")
def product_is_wages(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return written(concepto.ClaveProdServ, "84111505")


@rule("NOM141", at=f"{AT}/@NoIdentificacion")
def concepto_has_no_number(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return unwanted(attribute(concepto, ctx, "NoIdentificacion"))


@rule("NOM142", at=f"{AT}/@Cantidad")
def quantity_is_one(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return written(concepto.Cantidad, "1")


@rule("NOM143", at=f"{AT}/@ClaveUnidad")
def unit_is_activity(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return written(concepto.ClaveUnidad, "ACT")


@rule("NOM144", at=f"{AT}/@Unidad")
def concepto_has_no_other_unit(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return unwanted(attribute(concepto, ctx, "Unidad"))


@rule("NOM145", at=f"{AT}/@Descripcion")
def concepto_is_called_payroll(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return written(attribute(concepto, ctx, "Descripcion"), "Pago de nómina")


@rule("NOM146", at=f"{AT}/@ValorUnitario")
def price_is_what_is_paid(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return line.is_paid(concepto.ValorUnitario, concepto.valor_unitario, ctx)


@rule("NOM147", at=f"{AT}/@Importe")
def amount_is_what_is_paid(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return line.is_paid(concepto.Importe, concepto.importe, ctx)


@rule("NOM148", at=f"{AT}/@Descuento")
def discount_is_what_is_withheld(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return line.discount_is_withheld(concepto, ctx)
