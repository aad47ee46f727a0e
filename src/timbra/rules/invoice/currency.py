"""Currency and rate of exchange."""

from __future__ import annotations

import re

from timbra.cfdi.nodes import Comprobante
from timbra.rules.amounts import Limits
from timbra.rules.case import Case
from timbra.rules.conditions import absent
from timbra.rules.exchange import published_limits
from timbra.rules.finding import Breach, Unknown, Verdict

PESOS, NONE = "MXN", "XXX"
RATE = re.compile(r"[0-9]{1,18}(\.[0-9]{1,6})?")


def others_have_a_rate(comprobante: Comprobante) -> Verdict:
    if comprobante.Moneda in (PESOS, NONE) or comprobante.TipoCambio is not None:
        return None
    return Breach(expected=f"el tipo de cambio de {comprobante.Moneda}")


def none_has_no_rate(comprobante: Comprobante) -> Verdict:
    return absent(comprobante.TipoCambio, "por Moneda XXX") if comprobante.Moneda == NONE else None


def rate_limits(comprobante: Comprobante, case: Case) -> Limits | Unknown | None:
    """Limits of TipoCambio around the published rate; None where no limit applies."""
    if comprobante.Moneda in (PESOS, NONE) or comprobante.TipoCambio is None:
        return None
    return published_limits(case, comprobante.Moneda, case.on)


def unusual_rate_is_confirmed(comprobante: Comprobante, case: Case) -> Verdict:
    limits = rate_limits(comprobante, case)
    if limits is None or isinstance(limits, Unknown):
        return limits
    if limits.lower <= comprobante.tipo_cambio <= limits.upper or comprobante.Confirmacion is not None:
        return None
    return Breach(found=comprobante.TipoCambio, expected=f"{limits}, o una Confirmacion")
