"""Currency and exchange rate."""

from __future__ import annotations

import re

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.shared.amounts import AmountLimits
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.exchange_rates import published_limits

PESOS, NONE = "MXN", "XXX"
RATE = re.compile(r"[0-9]{1,18}(\.[0-9]{1,6})?")


def others_have_a_rate(comprobante: Comprobante) -> RuleResult:
    """Check that TipoCambio is present with a currency other than MXN and XXX."""
    if comprobante.Moneda in (PESOS, NONE) or comprobante.TipoCambio is not None:
        return None
    return Violation(expected=f"el tipo de cambio de {comprobante.Moneda}")


def none_has_no_rate(comprobante: Comprobante) -> RuleResult:
    """Check that TipoCambio is absent with XXX."""
    return absent(comprobante.TipoCambio, "por Moneda XXX") if comprobante.Moneda == NONE else None


def rate_limits(comprobante: Comprobante, ctx: EvaluationContext) -> AmountLimits | Indeterminate | None:
    """Return the limits of TipoCambio around the published rate; None when no limit applies."""
    if comprobante.Moneda in (PESOS, NONE) or comprobante.TipoCambio is None:
        return None
    return published_limits(ctx, comprobante.Moneda, ctx.on)


def unusual_rate_is_confirmed(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """Check that a TipoCambio beyond the limits has a Confirmacion."""
    limits = rate_limits(comprobante, ctx)
    if limits is None or isinstance(limits, Indeterminate):
        return limits
    if limits.lower <= comprobante.tipo_cambio <= limits.upper or comprobante.Confirmacion is not None:
        return None
    return Violation(found=comprobante.TipoCambio, expected=f"{limits}, o una Confirmacion")
