"""What is earned: NOM189 to NOM210."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import HorasExtra, JubilacionPensionRetiro, Nomina, Percepcion, Percepciones
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.nomina import percepciones, totales
from timbra.rules.shared.nomina.keys import key
from timbra.rules.shared.nomina.whole import whole

AT = Percepciones.PATH
ROW_AT = Percepcion.PATH
RETIREMENT_AT = JubilacionPensionRetiro.PATH
INCAPACITIES_AT = "Complemento/Nomina/Incapacidades"


@rule("NOM189", at=AT, inseparable=("NOM193",))
def kinds_add_up(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return totales.kinds_add_up(rows)


@rule("NOM190", at=f"{AT}/@TotalSueldos", inseparable=("NOM189",))
def wages_are_summed(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return totales.sueldos_total(rows)


@rule("NOM191", at=f"{AT}/@TotalSeparacionIndemnizacion", inseparable=("NOM189",))
def separation_is_summed(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return totales.separacion_total(rows)


@rule("NOM192", at=f"{AT}/@TotalJubilacionPensionRetiro", inseparable=("NOM189",))
def retirement_is_summed(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return totales.jubilacion_total(rows)


@rule("NOM193", at=f"{AT}/@TotalGravado", inseparable=("NOM189",))
def taxed_amounts_are_summed(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return totales.gravado_total(rows)


@rule("NOM194", at=f"{AT}/@TotalExento", inseparable=("NOM189",))
def exempt_amounts_are_summed(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return totales.exento_total(rows)


@rule("NOM195", at=f"{ROW_AT}/@ImporteGravado")
def something_is_earned(row: Percepcion, _ctx: EvaluationContext) -> RuleResult:
    return percepciones.is_not_empty(row)


@rule("NOM196", at=f"{ROW_AT}/@TipoPercepcion", reads=("TipoPercepcion",))
def kind_is_a_key(row: Percepcion, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoPercepcion", row.TipoPercepcion)


@rule("NOM197", at=f"{AT}/@TotalSueldos", inseparable=("NOM189",))
def wages_have_a_total(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return percepciones.wages_have_a_total(rows)


@rule("NOM198", at=AT)
def separation_has_its_parts(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return percepciones.separation_has_its_parts(rows)


@rule("NOM199", at=AT)
def retirement_has_its_parts(rows: Percepciones, _ctx: EvaluationContext) -> RuleResult:
    return percepciones.retirement_has_its_parts(rows)


@rule("NOM200", at=f"{RETIREMENT_AT}/@TotalUnaExhibicion")
def single_retirement_is_paid_at_once(node: JubilacionPensionRetiro, ctx: EvaluationContext) -> RuleResult:
    return percepciones.single_retirement(node, whole(node, ctx))


@rule("NOM201", at=f"{RETIREMENT_AT}/@TotalParcialidad")
def retirement_in_parts_is_paid_by_day(node: JubilacionPensionRetiro, ctx: EvaluationContext) -> RuleResult:
    return percepciones.retirement_in_parts(node, whole(node, ctx))


@rule("NOM202", at=f"{ROW_AT}/AccionesOTitulos")
def shares_are_told(row: Percepcion, _ctx: EvaluationContext) -> RuleResult:
    return percepciones.shares(row)[0]


@rule("NOM203", at=f"{ROW_AT}/AccionesOTitulos")
def only_shares_are_told(row: Percepcion, _ctx: EvaluationContext) -> RuleResult:
    return percepciones.shares(row)[1]


@rule("NOM204", at=f"{ROW_AT}/HorasExtra")
def overtime_is_told(row: Percepcion, _ctx: EvaluationContext) -> RuleResult:
    return percepciones.overtime(row)[0]


@rule("NOM205", at=f"{ROW_AT}/HorasExtra")
def only_overtime_is_told(row: Percepcion, _ctx: EvaluationContext) -> RuleResult:
    return percepciones.overtime(row)[1]


@rule("NOM206", at=INCAPACITIES_AT)
def earned_incapacity_is_told(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return percepciones.earned_incapacity_is_told(nomina)


@rule("NOM207", at=f"{INCAPACITIES_AT}/Incapacidad/@ImporteMonetario")
def earned_incapacity_adds_up(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return percepciones.earned_incapacity_adds_up(nomina)


@rule("NOM208", at=f"{HorasExtra.PATH}/@TipoHoras", reads=("TipoHoras",))
def overtime_is_a_key(hours: HorasExtra, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoHoras", hours.TipoHoras)


@rule("NOM209", at=f"{RETIREMENT_AT}/@TotalUnaExhibicion", inseparable=("NOM200",))
def single_total_stands_alone(node: JubilacionPensionRetiro, _ctx: EvaluationContext) -> RuleResult:
    return percepciones.single_total_stands_alone(node)


@rule("NOM210", at=f"{RETIREMENT_AT}/@TotalParcialidad", inseparable=("NOM201",))
def parts_have_their_day(node: JubilacionPensionRetiro, _ctx: EvaluationContext) -> RuleResult:
    return percepciones.parts_have_their_day(node)
