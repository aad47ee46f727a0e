"""Totals of what is earned and the nodes that go with them.

NOM69 to NOM74, NOM77 to NOM81, NOM86, NOM87, NOM89, NOM90.
"""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import JubilacionPensionRetiro, Nomina, Percepciones
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.nomina12.nomina import AT as NOMINA
from timbra.rules.shared.nomina import percepciones as demands
from timbra.rules.shared.nomina import totales
from timbra.rules.shared.nomina.whole import whole

AT = f"{NOMINA}/Percepciones"
RETIREMENT = f"{AT}/JubilacionPensionRetiro"


@rule("NOM69", at=AT, inseparable=("NOM73",))
def kinds_add_up(percepciones: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    """One of the totals NOM70 to NOM74 is wrong then, or absent; NOM73 where it is TotalGravado."""
    return totales.kinds_add_up(percepciones)


@rule("NOM70", at=f"{AT}/@TotalSueldos", inseparable=("NOM69",))
def wages_add_up(percepciones: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return totales.sueldos_total(percepciones)


@rule("NOM71", at=f"{AT}/@TotalSeparacionIndemnizacion", inseparable=("NOM69",))
def separation_adds_up(percepciones: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return totales.separacion_total(percepciones)


@rule("NOM72", at=f"{AT}/@TotalJubilacionPensionRetiro", inseparable=("NOM69",))
def retirement_adds_up(percepciones: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return totales.jubilacion_total(percepciones)


@rule("NOM73", at=f"{AT}/@TotalGravado", inseparable=("NOM69",))
def what_is_taxed_adds_up(percepciones: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return totales.gravado_total(percepciones)


@rule("NOM74", at=f"{AT}/@TotalExento", inseparable=("NOM69",))
def what_is_exempt_adds_up(percepciones: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return totales.exento_total(percepciones)


@rule("NOM77", at=f"{AT}/@TotalSueldos", inseparable=("NOM69",))
def wages_have_a_total(percepciones: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return demands.wages_have_a_total(percepciones)


@rule("NOM78", at=AT)
def separation_has_its_parts(percepciones: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return demands.separation_has_its_parts(percepciones)


@rule("NOM79", at=AT)
def retirement_has_its_parts(percepciones: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return demands.retirement_has_its_parts(percepciones)


@rule("NOM80", at=f"{RETIREMENT}/@TotalUnaExhibicion")
def retirement_is_paid_at_once(node: JubilacionPensionRetiro, ctx: EvaluationContext) -> RuleResult:
    return demands.single_retirement(node, whole(node, ctx))


@rule("NOM81", at=f"{RETIREMENT}/@TotalParcialidad")
def retirement_is_paid_in_parts(node: JubilacionPensionRetiro, ctx: EvaluationContext) -> RuleResult:
    return demands.retirement_in_parts(node, whole(node, ctx))


@rule("NOM89", at=f"{RETIREMENT}/@TotalUnaExhibicion", inseparable=("NOM80",))
def single_total_stands_alone(node: JubilacionPensionRetiro, _ctx: EvaluationContext) -> RuleResult:
    """With percepción 044, NOM81 breaks in the place of NOM80."""
    return demands.single_total_stands_alone(node)


@rule("NOM90", at=f"{RETIREMENT}/@TotalParcialidad", inseparable=("NOM81",))
def parts_have_their_day(node: JubilacionPensionRetiro, _ctx: EvaluationContext) -> RuleResult:
    """With percepción 039, NOM80 breaks in the place of NOM81."""
    return demands.parts_have_their_day(node)


@rule("NOM86", at=f"{NOMINA}/Incapacidades")
def earned_incapacity_is_told(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return demands.earned_incapacity_is_told(nomina)


@rule("NOM87", at=f"{NOMINA}/Incapacidades/Incapacidad/@ImporteMonetario")
def earned_incapacity_adds_up(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return demands.earned_incapacity_adds_up(nomina)
