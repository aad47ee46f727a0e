"""The period in which a document may be stamped: 401."""

from __future__ import annotations

from timbra.cfdi.nodes import FiscalDocument
from timbra.core.clock import CENTRAL_MEXICO, LOCAL_FORMAT
from timbra.rules.engine.instants import CLOCK_TOLERANCE, STAMPING_WINDOW
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.rules.rulesets.certificates.sources import PROVIDER_VALIDATIONS


@rule(
    "401",
    at="@Fecha",
    says="Fecha debe estar entre 72 horas antes y 5 minutos después del timbrado, en la hora de LugarExpedicion.",
    note=(
        "72 horas hacia atrás y 5 minutos hacia adelante, como instantes: Fecha es la hora local de "
        "LugarExpedicion. Si no es una fecha, se informa CFDI40101."
    ),
    cites=PROVIDER_VALIDATIONS,
)
def date_is_inside_the_window(document: FiscalDocument, context: SealContext) -> RuleResult:
    now = context.reference_data.now
    first, last = now - STAMPING_WINDOW, now + CLOCK_TOLERANCE
    if not context.issued or any(first <= instant <= last for instant in context.issued):
        return None
    place = document.postal_code
    zone = context.reference_data.catalogs.zone(place) or CENTRAL_MEXICO
    expected = (
        f"entre {first.astimezone(zone).strftime(LOCAL_FORMAT)} y {last.astimezone(zone).strftime(LOCAL_FORMAT)}"
        f", hora de {document.PLACE} {place}"
    )
    return Violation(found=document.issued_at, expected=expected)
