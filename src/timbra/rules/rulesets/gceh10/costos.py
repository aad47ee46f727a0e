"""Field, deposit, well: GCEH126 to GCEH131."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.gceh10 import CentroCostos, Pozos, Yacimientos
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.gceh10.documento import EROGACION
from timbra.rules.rulesets.gceh10.niveles import absent_alone, present_together

FIELD: Final = f"{EROGACION}/CentroCostos/@Campo"
DEPOSIT: Final = f"{EROGACION}/CentroCostos/Yacimientos/@Yacimiento"
WELL: Final = f"{EROGACION}/CentroCostos/Yacimientos/Pozos/@Pozo"


@rule("GCEH126", at=FIELD, inseparable=("GCEH129", "GCEH131"))
def without_field_nothing_below(costos: CentroCostos, _ctx: EvaluationContext) -> RuleResult:
    return absent_alone(costos)


@rule("GCEH127", at=FIELD)
def field_names_what_is_below(costos: CentroCostos, _ctx: EvaluationContext) -> RuleResult:
    return present_together(costos)


@rule("GCEH128", at=DEPOSIT, inseparable=("GCEH127",))
def without_deposit_nothing_else(yacimiento: Yacimientos, _ctx: EvaluationContext) -> RuleResult:
    return absent_alone(yacimiento)


@rule("GCEH129", at=DEPOSIT, inseparable=("GCEH127",))
def deposit_names_the_others(yacimiento: Yacimientos, _ctx: EvaluationContext) -> RuleResult:
    return present_together(yacimiento)


@rule("GCEH130", at=WELL, inseparable=("GCEH127", "GCEH129"))
def without_well_nothing_above(pozo: Pozos, _ctx: EvaluationContext) -> RuleResult:
    return absent_alone(pozo)


@rule("GCEH131", at=WELL, inseparable=("GCEH126", "GCEH128"))
def well_names_what_is_above(pozo: Pozos, _ctx: EvaluationContext) -> RuleResult:
    return present_together(pozo)
