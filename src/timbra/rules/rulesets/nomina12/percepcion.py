"""Each thing earned: NOM75, NOM76, NOM82 to NOM85, NOM88, NOM109, NOM110."""

from __future__ import annotations

from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import HorasExtra, Percepcion
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.nomina12.matrix import REVISION_E
from timbra.rules.rulesets.nomina12.percepciones import AT as PERCEPCIONES
from timbra.rules.shared.nomina import percepciones as demands
from timbra.rules.shared.nomina.keys import key

AT = f"{PERCEPCIONES}/Percepcion"
KEYS = ("TipoPercepcion",)
OTHER_WAGES = "038"


@rule("NOM75", at=f"{AT}/@ImporteGravado", inseparable=("NOM110",))
def nothing_exempt_means_something_taxed(percepcion: Percepcion, _ctx: EvaluationContext) -> RuleResult:
    """Revisions C and D demand the same of the sum; amounts are not negative."""
    return demands.is_not_empty(percepcion)


@rule("NOM76", at=f"{AT}/@TipoPercepcion", reads=KEYS)
def kind_is_a_key(percepcion: Percepcion, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoPercepcion", percepcion.TipoPercepcion)


@rule("NOM82", at=f"{AT}/AccionesOTitulos")
def shares_are_told(percepcion: Percepcion, _ctx: EvaluationContext) -> RuleResult:
    return demands.shares(percepcion)[0]


@rule("NOM83", at=f"{AT}/AccionesOTitulos")
def nothing_else_is_shares(percepcion: Percepcion, _ctx: EvaluationContext) -> RuleResult:
    return demands.shares(percepcion)[1]


@rule("NOM84", at=f"{AT}/HorasExtra")
def overtime_is_told(percepcion: Percepcion, _ctx: EvaluationContext) -> RuleResult:
    return demands.overtime(percepcion)[0]


@rule("NOM85", at=f"{AT}/HorasExtra")
def nothing_else_is_overtime(percepcion: Percepcion, _ctx: EvaluationContext) -> RuleResult:
    return demands.overtime(percepcion)[1]


@rule("NOM88", at=f"{AT}/HorasExtra/@TipoHoras", reads=("TipoHoras",))
def kind_of_overtime_is_a_key(horas: HorasExtra, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoHoras", horas.TipoHoras)


@rule("NOM109", at=f"{AT}/@ImporteExento", since=REVISION_E)
def other_wages_are_taxed(percepcion: Percepcion, _ctx: EvaluationContext) -> RuleResult:
    """Exempt social benefits have the key 056. Before revision E this number meant any error without a code."""
    if percepcion.TipoPercepcion != OTHER_WAGES or percepcion.exento == ZERO:
        return None
    return Violation(found=percepcion.ImporteExento, expected="0, por TipoPercepcion 038")


@rule("NOM110", at=f"{AT}/@ImporteExento", since=REVISION_E, inseparable=("NOM75",))
def nothing_taxed_means_something_exempt(percepcion: Percepcion, _ctx: EvaluationContext) -> RuleResult:
    if percepcion.gravado != ZERO or percepcion.exento > ZERO:
        return None
    return Violation(found=percepcion.ImporteExento, expected="mayor que cero, por ImporteGravado 0")
