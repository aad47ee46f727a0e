"""Confirmacion: CFDI40127 to CFDI40129, published and not yet switched on."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity
from timbra.rules.engine.rule import rule
from timbra.rules.shared.invoice import confirmation


@rule(
    "CFDI40127",
    at="@Confirmacion",
    needs=(DataRequirement.EXCHANGE_RATES,),
    severity=Severity.SUSPENDED,
    applies=confirmation.is_confirmed,
)
def usual_amounts_need_no_confirmation(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return confirmation.usual_amounts_need_none(comprobante, ctx)


@rule(
    "CFDI40128",
    at="@Confirmacion",
    needs=(DataRequirement.CONFIRMATIONS,),
    severity=Severity.SUSPENDED,
    applies=confirmation.is_confirmed,
)
def confirmation_was_given_to_the_issuer(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return confirmation.was_given_to_the_issuer(comprobante, ctx)


@rule(
    "CFDI40129",
    at="@Confirmacion",
    needs=(DataRequirement.CONFIRMATIONS,),
    severity=Severity.SUSPENDED,
    applies=confirmation.is_confirmed,
)
def confirmation_is_used_once(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    return confirmation.is_used_once(comprobante, ctx)
