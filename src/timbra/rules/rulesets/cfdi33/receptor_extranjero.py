"""Receivers who reside abroad: CFDI33133 to CFDI33139."""

from __future__ import annotations

from timbra.cfdi.nodes import Receptor
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cfdi33.receptor import KEYS, is_generic
from timbra.rules.shared.conditions import key_of
from timbra.rules.shared.invoice import abroad


@rule("CFDI33133", at="Receptor/@ResidenciaFiscal", applies=abroad.resides_abroad, reads=KEYS)
def residence_is_a_country(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Pais", receptor.ResidenciaFiscal or "")


@rule("CFDI33134", at="Receptor/@ResidenciaFiscal", applies=abroad.resides_abroad, applies_reads=KEYS)
def registered_receiver_resides_here(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    return abroad.absent_when_national(receptor, ctx, receptor.ResidenciaFiscal)


@rule("CFDI33135", at="Receptor/@ResidenciaFiscal", applies=abroad.resides_abroad, reads=KEYS)
def residence_is_abroad(receptor: Receptor, _ctx: EvaluationContext) -> RuleResult:
    return abroad.residence_is_not_mexico(receptor)


@rule("CFDI33136", at="Receptor/@ResidenciaFiscal", applies=is_generic, applies_reads=KEYS)
def foreign_receiver_has_a_residence(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    return abroad.foreigner_has_a_residence(receptor, ctx)


@rule("CFDI33137", at="Receptor/@NumRegIdTrib", applies=abroad.has_foreign_id, applies_reads=KEYS)
def registered_receiver_has_no_foreign_id(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    return abroad.absent_when_national(receptor, ctx, receptor.NumRegIdTrib)


@rule("CFDI33138", at="Receptor/@NumRegIdTrib", applies=is_generic, applies_reads=KEYS)
def foreign_receiver_of_exports_has_an_id(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    return abroad.foreigner_of_exports_has_an_id(receptor, ctx)


@rule("CFDI33139", at="Receptor/@NumRegIdTrib", applies=abroad.has_foreign_id, applies_reads=KEYS)
def foreign_id_has_the_form_of_its_country(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
    return abroad.id_has_the_form_of_its_country(receptor, ctx)
