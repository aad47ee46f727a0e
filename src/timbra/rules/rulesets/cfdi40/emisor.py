"""The issuer: CFDI40138 to CFDI40142."""

from __future__ import annotations

from timbra.cfdi.nodes import Emisor
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.shared.conditions import key_of, name_of_its_rfc, regime_for

TAXPAYERS = (DataRequirement.TAXPAYERS,)


def acts_for_acquirer(emisor: Emisor, _ctx: EvaluationContext) -> bool:
    return emisor.FacAtrAdquirente is not None


@rule("CFDI40138", at="Emisor/@Nombre", needs=TAXPAYERS, inseparable=("402", "305"))
def issuer_is_registered(emisor: Emisor, ctx: EvaluationContext) -> RuleResult:
    """The name of an RFC that is not registered, or is cancelled, is nobody's."""
    if ctx.taxpayer(emisor.Rfc) is not None:
        return None
    expected = f"el nombre de un RFC inscrito y no cancelado (l_RFC); {emisor.Rfc} no lo está"
    return Violation(found=emisor.Nombre, expected=expected, hint=ctx.reference_data.registry_hint)


@rule("CFDI40139", at="Emisor/@Nombre", needs=TAXPAYERS)
def issuer_name_is_that_of_its_rfc(emisor: Emisor, ctx: EvaluationContext) -> RuleResult:
    return name_of_its_rfc(emisor.Nombre, ctx.taxpayer(emisor.Rfc))


@rule("CFDI40140", at="Emisor/@RegimenFiscal")
def issuer_regime_is_a_key(emisor: Emisor, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_RegimenFiscal", emisor.RegimenFiscal)


@rule("CFDI40141", at="Emisor/@RegimenFiscal")
def issuer_regime_fits_its_person(emisor: Emisor, ctx: EvaluationContext) -> RuleResult:
    return regime_for(ctx, emisor.RegimenFiscal, emisor.Rfc)


@rule("CFDI40142", at="Emisor/@FacAtrAdquirente", needs=(DataRequirement.ACQUIRERS,), applies=acts_for_acquirer)
def acquirer_operation_was_answered(emisor: Emisor, ctx: EvaluationContext) -> RuleResult:
    """The structure already demands ten digits."""
    number, operations = emisor.FacAtrAdquirente, ctx.reference_data.acquirers
    if number is None or operations is None or operations.answered(number, emisor.Rfc):
        return None
    return Violation(found=number, expected="un número de operación con respuesta positiva del servicio del SAT")
