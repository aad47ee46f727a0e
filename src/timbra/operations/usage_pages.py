"""Usage of an account: stamps and rejections by day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from starlette.responses import Response

from timbra.core.clock import CENTRAL_MEXICO
from timbra.operations.services import OperationsServices
from timbra.stamps.usage import DailyUsage
from timbra.web.portal.dispatch.page import MenuGroup, MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest
from timbra.web.portal.dispatch.scope import visible_account
from timbra.web.portal.views.bar_chart import bar_chart

PERIODS = (30, 90)


async def show(page_request: PageRequest, services: OperationsServices) -> Response:
    """Show the last 30 or 90 days, up to the current fiscal day."""
    days = 90 if page_request.query("dias") == "90" else PERIODS[0]
    today = services.fiscal.now().astimezone(CENTRAL_MEXICO).date()
    since = today - timedelta(days=days - 1)
    recorded = await page_request.pools.run_database(services.usage.days, visible_account(page_request), since, today)
    usage = every_day(recorded, since, today)
    values = {
        "days": days,
        "periods": PERIODS,
        "usage": usage,
        "chart": bar_chart([(day, daily.stamps, daily.rejections) for day, daily in usage.items()]),
        "stamps": sum(daily.stamps for daily in usage.values()),
        "rejections": sum(daily.rejections for daily in usage.values()),
        "all_accounts": page_request.account.is_administrator,
    }
    return page_request.render("usage.html", values)


def every_day(usage: Mapping[date, DailyUsage], since: date, until: date) -> dict[date, DailyUsage]:
    """Add the days without usage.

    Args:
        since: First day.
        until: Last day, inclusive.
    """
    days = (since + timedelta(days=number) for number in range((until - since).days + 1))
    return {day: usage.get(day, DailyUsage()) for day in days}


PAGES = (
    Page("GET", "/portal/uso", show, menu=MenuItem("Uso", 80, MenuGroup.ACCOUNT), icon="chart-column", shortcut="u"),
)
