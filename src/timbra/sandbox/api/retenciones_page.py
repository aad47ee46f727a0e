"""The sandbox's page for retenciones: the QR code leads to it, and programs read the status in it."""

from __future__ import annotations

from starlette.responses import Response

from timbra.cfdi.qr import RETENCIONES_PAGE
from timbra.sandbox.retenciones_page import (
    CONTENT_SECURITY_POLICY,
    empty_page,
    found_page,
    missing_page,
    page_query,
)
from timbra.sandbox.services import SandboxServices
from timbra.web.framework.operation import Operation, OperationAccess, Parameter
from timbra.web.framework.request_context import RequestContext

HEADERS = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


async def show(request: RequestContext, services: SandboxServices) -> Response:
    """Show a retención when every value of the query is that of the retención; status 200 always, as the SAT's page."""
    query = page_query(request.query)
    if query is None:
        return Response(empty_page(), headers=HEADERS)
    document = await request.pools.run_database(services.ledger.verify, query)
    return Response(missing_page() if document is None else found_page(document), headers=HEADERS)


def _query(name: str, description: str) -> Parameter:
    return Parameter(name, "query", description)


OPERATIONS = (
    Operation(
        name="retenciones-page",
        method="GET",
        paths=(RETENCIONES_PAGE,),
        endpoint=show,
        summary="The verification page of a retención in the form of the SAT's page; sandbox only",
        description="HTML with the elements `tbl_resultado`, `tdFechaCancelacion` (of a cancelled one) and "
        "`efosEstatus`; with the class `noresultados` when no retención matches. The parameters are those of the QR "
        "code, or `folio`, `rfcEmisor` and `rfcReceptor`.",
        tag="sandbox",
        answer="file",
        media_types=("text/html",),
        access=OperationAccess.PUBLIC,
        parameters=(
            _query("id", "UUID, in the QR code."),
            _query("re", "RFC of the issuer, in the QR code."),
            _query("rr", "RFC of the receiver, in the QR code."),
            _query("nr", "NumRegIdTribR of a receiver abroad, in the QR code."),
            _query("tt", "MontoTotOperacion, in the QR code."),
            _query("fe", "The last 8 characters of the seal, in the QR code."),
            _query("folio", "UUID, as programs query the SAT's page."),
            _query("rfcEmisor", "RFC of the issuer, with `folio`."),
            _query("rfcReceptor", "RFC or NumRegIdTribR of the receiver, with `folio`."),
        ),
    ),
)
