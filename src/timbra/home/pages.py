"""The home page: figures, certificates, balance, the newest documents, and the cards of features."""

from __future__ import annotations

from datetime import timedelta

from starlette.responses import Response

from timbra.accounts.pages.certificate_view import account_certificates
from timbra.accounts.services import AccountServices, CertificateServices
from timbra.core.clock import CENTRAL_MEXICO
from timbra.documents.build import DocumentServices
from timbra.operations.services import OperationsServices
from timbra.operations.usage_pages import every_day
from timbra.stamps.search import StampFilter
from timbra.web.portal.dispatch.card import Cards
from timbra.web.portal.dispatch.page import MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest
from timbra.web.portal.dispatch.scope import visible_account
from timbra.web.portal.views.bar_chart import bar_chart

ROWS = 5
DAYS = 30
CODES = 6
CERTIFICATES = 5
"""Certificates of the list, those that expire first."""


async def show(
    page_request: PageRequest,
    accounts: AccountServices,
    certificates: CertificateServices,
    documents: DocumentServices,
    operations: OperationsServices,
    cards: Cards,
) -> Response:
    def read() -> dict[str, object]:
        account, scope = page_request.account.account_id, visible_account(page_request)
        rows = documents.listing.page(StampFilter(scope), limit=ROWS).rows
        stored = account_certificates(certificates, account)
        now = operations.fiscal.now()
        today = now.astimezone(CENTRAL_MEXICO).date()
        since, month_ago = today - timedelta(days=DAYS - 1), operations.wall.now() - timedelta(days=DAYS)
        usage = every_day(operations.usage.days(scope, since, today), since, today)
        return {
            "usage": usage,
            "today": usage[today],
            "stamps": sum(daily.stamps for daily in usage.values()),
            "rejected": sum(daily.rejections for daily in usage.values()),
            "chart": bar_chart([(day, daily.stamps, daily.rejections) for day, daily in usage.items()]),
            "codes": operations.rejection_store.count_by_code(scope, month_ago, CODES),
            "backlog": operations.backlog() if page_request.account.is_administrator else None,
            "health": operations.health(),
            "fiscal": now,
            "rows": rows,
            "certificates": sorted((each for each in stored if each.stored.active), key=lambda each: each.days_left),
            "shown_certificates": CERTIFICATES,
            "is_new": not rows or not stored,
            "cards": cards.read(page_request),
            "balance": accounts.balances.get(account),
        }

    return page_request.render("home.html", await page_request.pools.run_database(read))


PAGES = (Page("GET", "/portal", show, menu=MenuItem("Inicio", 10), icon="house", shortcut="h"),)
