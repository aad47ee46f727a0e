"""The page that the QR code of a stamp leads to, with the form and the values of the SAT's verification page."""

from __future__ import annotations

from starlette.responses import Response

from timbra.cfdi.qr import PAGE
from timbra.sandbox.services import SandboxServices
from timbra.sat.port import StatusQuery
from timbra.web.portal.dispatch.page import Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest

NAMES = ("id", "re", "rr", "tt", "fe")
KINDS = {"I": "Ingreso", "E": "Egreso", "T": "Traslado", "N": "Nómina", "P": "Pago"}
MAX_VALUE_LENGTH = 60


async def show(page_request: PageRequest, services: SandboxServices) -> Response:
    """Show a CFDI when every value of the query is that of the CFDI; only the form without a query."""
    fields = {name: page_request.query(name)[:MAX_VALUE_LENGTH] for name in NAMES}
    is_query = any(fields.values())
    document = None
    if is_query:
        query = StatusQuery(fields["id"], fields["re"].upper(), fields["rr"].upper(), fields["tt"], fields["fe"])
        document = await page_request.pools.run_database(services.ledger.verify, query)
    values: dict[str, object] = {
        "fields": fields,
        "document": document,
        "kind": KINDS.get(document.kind, document.kind) if document else "",
        "is_query": is_query,
        "address": PAGE,
    }
    return page_request.render("sandbox/verification.html", values, status=404 if is_query and not document else 200)


PAGES = (Page("GET", PAGE, show, PageAccess.SANDBOX_PUBLIC),)
