"""The home page: server state, certificates, balance, last invoices and last rejections."""

from __future__ import annotations

from starlette.responses import Response

from timbra.portal.dispatch.page import Page
from timbra.portal.dispatch.page_request import PageRequest
from timbra.portal.dispatch.scope import user_names, visible_account
from timbra.portal.views.certificates import account_certificates
from timbra.service.services import AccountServices, CertificateServices, DocumentServices, OperationsServices
from timbra.store.activity.rejections import RejectionFilter
from timbra.store.stamps.search import StampFilter

ROWS = 5


async def show(
    page_request: PageRequest,
    accounts: AccountServices,
    certificates: CertificateServices,
    documents: DocumentServices,
    operations: OperationsServices,
) -> Response:
    """Show the home page of the account."""

    def read() -> dict[str, object]:
        account, scope = page_request.account.account_id, visible_account(page_request)
        rows, _ = documents.listing.page(StampFilter(scope), limit=ROWS)
        stored = account_certificates(certificates, account)
        return {
            "health": operations.health(),
            "fiscal": operations.fiscal.now(),
            "users": user_names(page_request, accounts),
            "rows": rows,
            "rejections": operations.rejection_store.page(RejectionFilter(scope), limit=ROWS).rejections,
            "certificates": [certificate for certificate in stored if certificate.stored.active],
            "is_new": not rows or not stored,
            "balance": accounts.balances.get(account),
        }

    return page_request.render("home.html", await page_request.pools.run_database(read))


PAGES = (Page("GET", "/portal", show, menu="Inicio", icon="house", shortcut="h"),)
