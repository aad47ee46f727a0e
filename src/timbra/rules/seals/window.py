"""When a document may be stamped: 401."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.clock import CENTRAL_MEXICO, LOCAL_FORMAT
from timbra.rules.finding import Breach, Verdict
from timbra.rules.instants import AHEAD, WINDOW
from timbra.rules.rule import rule
from timbra.rules.seals.certificate import PROVIDERS
from timbra.rules.seals.context import SealContext


@rule("401", at="@Fecha", source=PROVIDERS)
def date_is_inside_the_window(comprobante: Comprobante, context: SealContext) -> Verdict:
    """72 hours back and 5 minutes ahead, as instants: Fecha is local time of LugarExpedicion. No date: CFDI40101."""
    now = context.world.now
    first, last = now - WINDOW, now + AHEAD
    if not context.issued or any(first <= instant <= last for instant in context.issued):
        return None
    place = comprobante.LugarExpedicion
    zone = context.world.catalogs.zone(place) or CENTRAL_MEXICO
    expected = (
        f"entre {first.astimezone(zone).strftime(LOCAL_FORMAT)} y {last.astimezone(zone).strftime(LOCAL_FORMAT)}"
        f", hora de LugarExpedicion {place}"
    )
    return Breach(found=comprobante.Fecha, expected=expected)
