"""Currency and rate of exchange: CFDI40113 to CFDI40118."""

from __future__ import annotations

import re

from timbra.cfdi.nodes import Comprobante
from timbra.rules.amounts import Limits
from timbra.rules.case import Case
from timbra.rules.conditions import HEAD, absent, key_of
from timbra.rules.exchange import published_limits
from timbra.rules.finding import Breach, Need, Severity, Unknown, Verdict
from timbra.rules.rule import rule

PESOS, NONE = "MXN", "XXX"
_RATE = re.compile(r"[0-9]{1,18}(\.[0-9]{1,6})?")


@rule("CFDI40113", at="@Moneda", reads=HEAD)
def currency_is_a_key(comprobante: Comprobante, case: Case) -> Verdict:
    return key_of(case, "c_Moneda", comprobante.Moneda)


@rule("CFDI40114", at="@TipoCambio", reads=HEAD)
def pesos_are_worth_one(comprobante: Comprobante, _case: Case) -> Verdict:
    if comprobante.Moneda != PESOS or comprobante.TipoCambio in (None, "1"):
        return None
    return Breach(found=comprobante.TipoCambio, expected="1, o que no exista, por Moneda MXN")


@rule("CFDI40115", at="@TipoCambio", reads=HEAD)
def other_currencies_have_a_rate(comprobante: Comprobante, _case: Case) -> Verdict:
    if comprobante.Moneda in (PESOS, NONE) or comprobante.TipoCambio is not None:
        return None
    return Breach(expected=f"el tipo de cambio de {comprobante.Moneda}")


@rule("CFDI40116", at="@TipoCambio", reads=HEAD)
def no_currency_has_no_rate(comprobante: Comprobante, _case: Case) -> Verdict:
    return absent(comprobante.TipoCambio, "por Moneda XXX") if comprobante.Moneda == NONE else None


@rule("CFDI40117", at="@TipoCambio", reads=HEAD)
def rate_has_its_form(comprobante: Comprobante, _case: Case) -> Verdict:
    text = comprobante.TipoCambio
    if text is None or (_RATE.fullmatch(text) and comprobante.tipo_cambio > 0):
        return None
    return Breach(found=text, expected="un número desde 0.000001, de hasta 18 enteros y 6 decimales")


def rate_limits(comprobante: Comprobante, case: Case) -> Limits | Unknown | None:
    """Limits of TipoCambio around the published rate; None where no limit applies."""
    if comprobante.Moneda in (PESOS, NONE) or comprobante.TipoCambio is None:
        return None
    return published_limits(case, comprobante.Moneda, case.on)


@rule("CFDI40118", at="@TipoCambio", needs=(Need.EXCHANGE_RATES,), severity=Severity.SUSPENDED)
def unusual_rate_is_confirmed(comprobante: Comprobante, case: Case) -> Verdict:
    limits = rate_limits(comprobante, case)
    if limits is None or isinstance(limits, Unknown):
        return limits
    if limits.lower <= comprobante.tipo_cambio <= limits.upper or comprobante.Confirmacion is not None:
        return None
    return Breach(found=comprobante.TipoCambio, expected=f"{limits}, o una Confirmacion")
