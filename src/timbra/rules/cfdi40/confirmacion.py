"""Confirmacion: CFDI40127 to CFDI40129, published and not yet switched on."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.case import Case
from timbra.rules.cfdi40.moneda import rate_limits
from timbra.rules.cfdi40.totales import is_within_maximum
from timbra.rules.conditions import absent
from timbra.rules.finding import Breach, Need, Severity, Unknown, Verdict
from timbra.rules.rule import rule


def is_confirmed(comprobante: Comprobante, _case: Case) -> bool:
    return comprobante.Confirmacion is not None


@rule(
    "CFDI40127",
    at="@Confirmacion",
    needs=(Need.EXCHANGE_RATES,),
    severity=Severity.SUSPENDED,
    applies=is_confirmed,
)
def usual_amounts_need_no_confirmation(comprobante: Comprobante, case: Case) -> Verdict:
    limits = rate_limits(comprobante, case)
    if isinstance(limits, Unknown):
        return limits
    usual_rate = limits is None or limits[0] <= comprobante.tipo_cambio <= limits[1]
    if not (usual_rate and is_within_maximum(comprobante, case)):
        return None
    return absent(comprobante.Confirmacion, "con TipoCambio y Total dentro de sus límites")


@rule(
    "CFDI40128",
    at="@Confirmacion",
    needs=(Need.CONFIRMATIONS,),
    severity=Severity.SUSPENDED,
    applies=is_confirmed,
)
def confirmation_was_given_to_the_issuer(comprobante: Comprobante, case: Case) -> Verdict:
    key, registry = comprobante.Confirmacion, case.world.confirmations
    if key is None or registry is None or registry.issued_to(comprobante.emisor.Rfc, key):
        return None
    return Breach(found=key, expected=f"una clave entregada a {comprobante.emisor.Rfc}")


@rule(
    "CFDI40129",
    at="@Confirmacion",
    needs=(Need.CONFIRMATIONS,),
    severity=Severity.SUSPENDED,
    applies=is_confirmed,
)
def confirmation_is_used_once(comprobante: Comprobante, case: Case) -> Verdict:
    key, registry = comprobante.Confirmacion, case.world.confirmations
    if key is None or registry is None or not registry.used(key):
        return None
    return Breach(found=key, expected="una clave que no se haya usado")
