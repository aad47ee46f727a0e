"""The account that the wages go to: NOM181 to NOM185."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import ReceptorNomina
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.nomina import cuenta
from timbra.rules.shared.nomina.keys import key

AT = ReceptorNomina.PATH


@rule("NOM181", at=f"{AT}/@Banco", reads=("Banco",))
def bank_is_a_key(receptor: ReceptorNomina, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_Banco", receptor.Banco)


@rule("NOM182", at=f"{AT}/@CuentaBancaria")
def account_has_its_length(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    return cuenta.length_holds(receptor)


@rule("NOM183", at=f"{AT}/@Banco")
def clabe_tells_its_bank(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    return cuenta.clabe_tells_its_bank(receptor)


@rule("NOM184", at=f"{AT}/@CuentaBancaria")
def clabe_has_its_check_digit(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    return cuenta.check_digit_holds(receptor)


@rule("NOM185", at=f"{AT}/@Banco")
def other_accounts_name_their_bank(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    return cuenta.other_accounts_name_their_bank(receptor)
