"""Confirmacion: rules that the SAT published and has not enabled."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.invoice.currency import rate_limits
from timbra.rules.shared.invoice.totals import is_within_maximum


def has_confirmation(comprobante: Comprobante, _ctx: EvaluationContext) -> bool:
    """Whether the document has Confirmacion."""
    return comprobante.Confirmacion is not None


def is_absent_within_limits(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """Confirmacion is absent when TipoCambio and Total are within their limits."""
    limits = rate_limits(comprobante, ctx)
    if isinstance(limits, Indeterminate):
        return limits
    rate_is_within_limits = limits is None or limits.lower <= comprobante.tipo_cambio <= limits.upper
    if not (rate_is_within_limits and is_within_maximum(comprobante, ctx)):
        return None
    return absent(comprobante.Confirmacion, "con TipoCambio y Total dentro de sus límites")


def is_issued_to_issuer(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """The provider issued the key to the issuer of the document."""
    key, registry = comprobante.Confirmacion, ctx.reference_data.confirmations
    if key is None or registry is None or registry.issued_to(comprobante.emisor.Rfc, key):
        return None
    return Violation(found=key, expected=f"una clave entregada a {comprobante.emisor.Rfc}")


def is_unused(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """No other document has used the key."""
    key, registry = comprobante.Confirmacion, ctx.reference_data.confirmations
    if key is None or registry is None or not registry.used(key):
        return None
    return Violation(found=key, expected="una clave que no se haya usado")
