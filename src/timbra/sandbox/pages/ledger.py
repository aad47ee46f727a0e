"""One CFDI in the ledger of the simulated authority: state, relations and history."""

from __future__ import annotations

from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.documents.invoice_view import history_line
from timbra.sandbox.services import SandboxServices
from timbra.web.portal.dispatch.page import Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest

PATH = "/portal/ambiente/cfdi"
ORIGINS = {"delivered": "timbrado aquí", "imported": "importado"}


async def show(page_request: PageRequest, services: SandboxServices) -> Response:
    """Show the CFDI whose folio fiscal the query names."""
    folio = page_request.query("folio")
    values: dict[str, object] = {"query": folio, "entry": None}
    if not folio:
        return page_request.render("sandbox/ledger.html", values)
    try:
        entry = await page_request.pools.run_database(services.ledger.inspect, folio)
    except ServiceError as error:
        return page_request.render_error("sandbox/ledger.html", error, values)
    values |= {
        "entry": entry,
        "origin": ORIGINS[entry.document.origin],
        "history": [history_line(event) for event in entry.history],
    }
    return page_request.render("sandbox/ledger.html", values)


PAGES = (Page("GET", PATH, show, PageAccess.SANDBOX),)
