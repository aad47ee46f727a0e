"""What is withheld, and incapacities: NOM211 to NOM216, NOM224."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import Deduccion, Deducciones, Incapacidad, Nomina
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.nomina12b.matrix import STANDARD
from timbra.rules.shared.nomina import deducciones, totales
from timbra.rules.shared.nomina.keys import key

AT = Deducciones.PATH
ROW_AT = Deduccion.PATH


@rule("NOM211", at=f"{AT}/@TotalImpuestosRetenidos")
def withheld_tax_is_summed(rows: Deducciones, _ctx: EvaluationContext) -> RuleResult:
    return totales.retenidos_total(rows)


@rule("NOM212", at=f"{AT}/@TotalImpuestosRetenidos")
def no_tax_has_no_total(rows: Deducciones, _ctx: EvaluationContext) -> RuleResult:
    return totales.no_retenidos(rows)


@rule("NOM225:TotalOtrasDeducciones", at=f"{AT}/@TotalOtrasDeducciones", source=STANDARD, severity=Severity.WARNING)
def other_deductions_are_summed(rows: Deducciones, _ctx: EvaluationContext) -> RuleResult:
    """A warning: the matrix has no code for it."""
    return totales.otras_deducciones_total(rows)


@rule("NOM213", at=f"{ROW_AT}/@TipoDeduccion", reads=("TipoDeduccion",))
def kind_is_a_key(row: Deduccion, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoDeduccion", row.TipoDeduccion)


@rule("NOM214", at="Complemento/Nomina/Incapacidades")
def withheld_incapacity_is_told(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return deducciones.withheld_incapacity_is_told(nomina)


@rule("NOM215", at=f"{ROW_AT}/@Importe")
def withheld_incapacity_adds_up(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return deducciones.withheld_incapacity_adds_up(nomina)


@rule("NOM216", at=f"{ROW_AT}/@Importe")
def something_is_withheld(row: Deduccion, _ctx: EvaluationContext) -> RuleResult:
    return deducciones.is_positive(row)


@rule("NOM224", at=f"{Incapacidad.PATH}/@TipoIncapacidad", reads=("TipoIncapacidad",))
def incapacity_is_a_key(row: Incapacidad, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoIncapacidad", row.TipoIncapacidad)
