"""What a Concepto says, and what it must not hold: GCEH137 to GCEH143."""

from __future__ import annotations

from timbra.cfdi.nodes import ACuentaTerceros, Concepto
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.hidrocarburos.comprobante import (
    AT,
    WHY,
    forbidden,
    has_no_complement,
    has_no_customs,
    has_no_parts,
    has_no_property,
)
from timbra.rules.shared.invoice.fixed import written


@rule("GCEH137", at=f"{AT}/@ObjetoImp")
def expense_is_no_object_of_tax(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return written(concepto.ObjetoImp, "01", WHY)


@rule("GCEH138", at=f"{AT}/Impuestos", inseparable=("GCEH137",))
def expense_has_no_taxes(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return forbidden("Impuestos") if concepto.has_impuestos else None


@rule("GCEH139", at=f"{AT}/ACuentaTerceros")
def expense_has_no_third_party(_third: ACuentaTerceros, _ctx: EvaluationContext) -> RuleResult:
    return forbidden("ACuentaTerceros")


@rule("GCEH140", at=f"{AT}/InformacionAduanera")
def expense_names_its_import_in_the_complement(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return has_no_customs(concepto)


@rule("GCEH141", at=f"{AT}/CuentaPredial")
def expense_is_no_rent(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    return has_no_property(concepto, ctx)


@rule("GCEH142", at=f"{AT}/ComplementoConcepto")
def expense_has_no_complement_of_its_concepto(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return has_no_complement(concepto)


@rule("GCEH143", at=f"{AT}/Parte")
def expense_has_no_parts(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return has_no_parts(concepto)
