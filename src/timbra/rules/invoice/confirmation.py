"""Confirmacion: published and never switched on."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.case import Case
from timbra.rules.conditions import absent
from timbra.rules.finding import Breach, Unknown, Verdict
from timbra.rules.invoice.currency import rate_limits
from timbra.rules.invoice.totals import is_within_maximum


def is_confirmed(comprobante: Comprobante, _case: Case) -> bool:
    return comprobante.Confirmacion is not None


def usual_amounts_need_none(comprobante: Comprobante, case: Case) -> Verdict:
    limits = rate_limits(comprobante, case)
    if isinstance(limits, Unknown):
        return limits
    usual_rate = limits is None or limits[0] <= comprobante.tipo_cambio <= limits[1]
    if not (usual_rate and is_within_maximum(comprobante, case)):
        return None
    return absent(comprobante.Confirmacion, "con TipoCambio y Total dentro de sus límites")


def was_given_to_the_issuer(comprobante: Comprobante, case: Case) -> Verdict:
    key, registry = comprobante.Confirmacion, case.world.confirmations
    if key is None or registry is None or registry.issued_to(comprobante.emisor.Rfc, key):
        return None
    return Breach(found=key, expected=f"una clave entregada a {comprobante.emisor.Rfc}")


def is_used_once(comprobante: Comprobante, case: Case) -> Verdict:
    key, registry = comprobante.Confirmacion, case.world.confirmations
    if key is None or registry is None or not registry.used(key):
        return None
    return Breach(found=key, expected="una clave que no se haya usado")
