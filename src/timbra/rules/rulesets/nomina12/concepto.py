"""The only Concepto of a payroll: NOM13 to NOM29."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.invoice.fixed import attribute
from timbra.rules.shared.nomina.concepto import discount_is_withheld, is_paid, stands_alone, without
from timbra.rules.shared.nomina.keys import unwanted, written

AT = "Conceptos/Concepto"


@rule("NOM13", at=AT)
def payroll_has_one_concepto(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    """That it holds nothing is NOM24 to NOM29: each of its children has a code of its own."""
    return stands_alone(comprobante)


@rule("NOM14", at=f"{AT}/@ClaveProdServ")
def product_is_wages(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return written(concepto.ClaveProdServ, "84111505")


@rule("NOM15", at=f"{AT}/@NoIdentificacion")
def concepto_has_no_number(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return unwanted(attribute(concepto, ctx, "NoIdentificacion"))


@rule("NOM16", at=f"{AT}/@Cantidad")
def quantity_is_one(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return written(concepto.Cantidad, "1")


@rule("NOM17", at=f"{AT}/@ClaveUnidad")
def unit_is_activity(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return written(concepto.ClaveUnidad, "ACT")


@rule("NOM18", at=f"{AT}/@Unidad")
def concepto_has_no_other_unit(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return unwanted(attribute(concepto, ctx, "Unidad"))


@rule("NOM19", at=f"{AT}/@Descripcion")
def concepto_is_called_pago_de_nomina(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return written(attribute(concepto, ctx, "Descripcion"), "Pago de nómina")


@rule("NOM20", at=f"{AT}/@ValorUnitario")
def price_is_what_is_paid(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return is_paid(concepto.ValorUnitario, concepto.valor_unitario, ctx)


@rule("NOM21", at=f"{AT}/@Importe")
def amount_is_what_is_paid(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return is_paid(concepto.Importe, concepto.importe, ctx)


@rule("NOM22", at=f"{AT}/@Descuento")
def discount_is_what_is_withheld(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return discount_is_withheld(concepto, ctx)


@rule("NOM23", at=f"{AT}/@ObjetoImp")
def wages_are_no_object_of_tax(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return written(concepto.ObjetoImp, "01")


@rule("NOM24", at=f"{AT}/Impuestos", inseparable=("CFDI40172",))
def concepto_has_no_taxes(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return without(concepto, ctx, "Impuestos")


@rule("NOM25", at=f"{AT}/ACuentaTerceros")
def wages_have_no_third_party(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return without(concepto, ctx, "ACuentaTerceros")


@rule("NOM26", at=f"{AT}/InformacionAduanera")
def wages_are_not_imported(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return without(concepto, ctx, "InformacionAduanera")


@rule("NOM27", at=f"{AT}/CuentaPredial")
def wages_are_no_rent(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return without(concepto, ctx, "CuentaPredial")


@rule("NOM28", at=f"{AT}/ComplementoConcepto")
def concepto_has_no_complement(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return without(concepto, ctx, "ComplementoConcepto")


@rule("NOM29", at=f"{AT}/Parte")
def wages_have_no_parts(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return without(concepto, ctx, "Parte")
