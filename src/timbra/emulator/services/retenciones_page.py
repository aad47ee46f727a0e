"""The public page of verification of retenciones: the only source of their status, which programs read from its HTML.

Source: the table `tbl_resultado`, the field `efosEstatus`, the cell `tdFechaCancelacion` and the class `noresultados`
are what public programs read.
"""

from __future__ import annotations

from html import escape

from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.clock import to_central_mexico
from timbra.emulator.simulated_sat import SimulatedSat
from timbra.sandbox.authority.ledger.efos import validacion_efos
from timbra.sandbox.store.models import RETENCION, DocumentRow

NOT_FOUND = "No hay una retención con esos datos."
CANCELLED = "Cancelado"


def verification_page(sat: SimulatedSat, folio: str, issuer_rfc: str, receiver_rfc: str) -> str:
    """Return the page about a retención; only matching RFCs show its state. `folio`: The UUID, in any letter case."""
    row = _find(sat, folio, issuer_rfc, receiver_rfc)
    if row is None:
        return _page(f'<div class="noresultados">{NOT_FOUND}</div>')
    cells = [
        ("Folio fiscal", "", row.uuid.upper()),
        ("RFC del emisor", "", row.issuer_rfc),
        ("RFC del receptor", "", row.receiver_rfc),
        ("Fecha de certificación", "", to_central_mexico(row.issued_at)),
        ("Monto total de la operación", "", row.total),
        ("Estado CFDI Retención", "", row.state),
    ]
    if row.state == CANCELLED:
        cancelled_at = sat.ledger.workflow.history(row.uuid)[-1].fiscal_at
        cells.append(("Fecha de cancelación", ' id="tdFechaCancelacion"', to_central_mexico(cancelled_at)))
    rows = "".join(
        f"<tr><th>{label}</th><td{name}><span>{escape(text)}</span></td></tr>" for label, name, text in cells
    )
    efos = validacion_efos(row.issuer_rfc, (), sat.registry.is_definitive)
    return _page(f'<table id="tbl_resultado">{rows}</table><input type="hidden" id="efosEstatus" value="{efos}">')


def _find(sat: SimulatedSat, folio: str, issuer_rfc: str, receiver_rfc: str) -> DocumentRow | None:
    uuid = canonical_uuid(folio.strip())
    sat.ledger.synchronize()
    row = None if uuid is None else sat.ledger.indexer.find_or_index(uuid)
    parties = (issuer_rfc.strip().upper(), receiver_rfc.strip().upper())
    is_found = row is not None and row.kind == RETENCION and (row.issuer_rfc, row.receiver_rfc) == parties
    return row if is_found else None


def _page(content: str) -> str:
    return (
        '<!DOCTYPE html><html lang="es"><head><meta charset="utf-8"><title>Verificación de retenciones (emulador)'
        f"</title></head><body><h1>Verificación de retenciones</h1>{content}</body></html>"
    )
