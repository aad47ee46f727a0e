"""Confirmacion: CFDI33126 to CFDI33128, published and never switched on."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.case import Case
from timbra.rules.finding import Need, Severity, Verdict
from timbra.rules.invoice import confirmation
from timbra.rules.rule import rule


@rule(
    "CFDI33126",
    at="@Confirmacion",
    needs=(Need.EXCHANGE_RATES,),
    severity=Severity.SUSPENDED,
    applies=confirmation.is_confirmed,
)
def usual_amounts_need_no_confirmation(comprobante: Comprobante, case: Case) -> Verdict:
    return confirmation.usual_amounts_need_none(comprobante, case)


@rule(
    "CFDI33127",
    at="@Confirmacion",
    needs=(Need.CONFIRMATIONS,),
    severity=Severity.SUSPENDED,
    applies=confirmation.is_confirmed,
)
def confirmation_was_given_to_the_issuer(comprobante: Comprobante, case: Case) -> Verdict:
    return confirmation.was_given_to_the_issuer(comprobante, case)


@rule(
    "CFDI33128",
    at="@Confirmacion",
    needs=(Need.CONFIRMATIONS,),
    severity=Severity.SUSPENDED,
    applies=confirmation.is_confirmed,
)
def confirmation_is_used_once(comprobante: Comprobante, case: Case) -> Verdict:
    return confirmation.is_used_once(comprobante, case)
