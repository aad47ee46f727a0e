"""What is withheld: NOM91 to NOM96."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import Deduccion, Deducciones, Nomina
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.nomina12.matrix import STANDARD
from timbra.rules.rulesets.nomina12.nomina import AT as NOMINA
from timbra.rules.shared.nomina import deducciones as demands
from timbra.rules.shared.nomina import totales
from timbra.rules.shared.nomina.keys import key

AT = f"{NOMINA}/Deducciones"
ROW = f"{AT}/Deduccion"


@rule("NOM91", at=f"{AT}/@TotalImpuestosRetenidos")
def withheld_tax_adds_up(deducciones: Deducciones, _ctx: EvaluationContext) -> RuleResult:
    return totales.retenidos_total(deducciones)


@rule("NOM92", at=f"{AT}/@TotalImpuestosRetenidos")
def no_tax_means_no_total(deducciones: Deducciones, _ctx: EvaluationContext) -> RuleResult:
    return totales.no_retenidos(deducciones)


@rule("NOM111:TotalOtrasDeducciones", at=f"{AT}/@TotalOtrasDeducciones", source=STANDARD, severity=Severity.WARNING)
def other_deductions_add_up(deducciones: Deducciones, _ctx: EvaluationContext) -> RuleResult:
    """A warning: the matrix has no code for it."""
    return totales.otras_deducciones_total(deducciones)


@rule("NOM93", at=f"{ROW}/@TipoDeduccion", reads=("TipoDeduccion",))
def kind_is_a_key(deduccion: Deduccion, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_TipoDeduccion", deduccion.TipoDeduccion)


@rule("NOM94", at=f"{NOMINA}/Incapacidades")
def withheld_incapacity_is_told(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return demands.withheld_incapacity_is_told(nomina)


@rule("NOM95", at=f"{ROW}/@Importe")
def withheld_incapacity_adds_up(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return demands.withheld_incapacity_adds_up(nomina)


@rule("NOM96", at=f"{ROW}/@Importe")
def deduction_is_positive(deduccion: Deduccion, _ctx: EvaluationContext) -> RuleResult:
    return demands.is_positive(deduccion)
