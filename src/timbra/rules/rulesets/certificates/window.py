"""When a document may be stamped: 401."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.clock import CENTRAL_MEXICO, LOCAL_FORMAT
from timbra.rules.engine.instants import CLOCK_TOLERANCE, STAMPING_WINDOW
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.certificates.certificate import PROVIDERS
from timbra.rules.rulesets.certificates.context import SealContext


@rule("401", at="@Fecha", source=PROVIDERS)
def date_is_inside_the_window(comprobante: Comprobante, context: SealContext) -> RuleResult:
    """72 hours back and 5 minutes ahead, as instants: Fecha is local time of LugarExpedicion. No date: CFDI40101."""
    now = context.reference_data.now
    first, last = now - STAMPING_WINDOW, now + CLOCK_TOLERANCE
    if not context.issued or any(first <= instant <= last for instant in context.issued):
        return None
    place = comprobante.LugarExpedicion
    zone = context.reference_data.catalogs.zone(place) or CENTRAL_MEXICO
    expected = (
        f"entre {first.astimezone(zone).strftime(LOCAL_FORMAT)} y {last.astimezone(zone).strftime(LOCAL_FORMAT)}"
        f", hora de LugarExpedicion {place}"
    )
    return Violation(found=comprobante.Fecha, expected=expected)
