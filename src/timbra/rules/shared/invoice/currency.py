"""Currency and exchange rate."""

from __future__ import annotations

import re

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.shared.amounts import AmountLimits
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.exchange_rates import published_limits

MXN, XXX = "MXN", "XXX"
RATE_PATTERN = re.compile(r"[0-9]{1,18}(\.[0-9]{1,6})?")
"""Form of TipoCambio."""


def has_rate_in_foreign_currency(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    """TipoCambio is present with a currency other than MXN and XXX."""
    if comprobante.Moneda in (MXN, XXX) or comprobante.TipoCambio is not None:
        return None
    return Violation(expected=f"el tipo de cambio de {comprobante.Moneda}")


def has_no_rate_without_currency(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    """TipoCambio is absent with Moneda XXX."""
    return absent(comprobante.TipoCambio, "por Moneda XXX") if comprobante.Moneda == XXX else None


def rate_limits(comprobante: Comprobante, ctx: EvaluationContext) -> AmountLimits | Indeterminate | None:
    """Return the limits of TipoCambio around the published rate; None when no limit applies."""
    if comprobante.Moneda in (MXN, XXX) or comprobante.TipoCambio is None:
        return None
    return published_limits(ctx, comprobante.Moneda, ctx.issued)


def rate_is_within_limits_or_confirmed(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """TipoCambio is within the limits around the published rate, or the document has Confirmacion."""
    limits = rate_limits(comprobante, ctx)
    if limits is None or isinstance(limits, Indeterminate):
        return limits
    if limits.lower <= comprobante.tipo_cambio <= limits.upper or comprobante.Confirmacion is not None:
        return None
    return Violation(found=comprobante.TipoCambio, expected=f"{limits}, o una Confirmacion")
