"""What an account has used, day by day."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta

from starlette.responses import Response

from timbra.clock import CENTRAL_MEXICO
from timbra.portal.owners import scope_of
from timbra.portal.page import Page
from timbra.portal.plot import plot
from timbra.portal.visit import Visit
from timbra.store.usage import DayUse

SPANS = (30, 90)


async def show(visit: Visit) -> Response:
    """The last 30 or 90 days until the fiscal today."""
    days = 90 if visit.query("dias") == "90" else SPANS[0]
    today = visit.house.fiscal.now().astimezone(CENTRAL_MEXICO).date()
    used = await by_day(visit, today - timedelta(days=days - 1), today)
    values = {
        "days": days,
        "spans": SPANS,
        "used": used,
        "plot": plot([(day, use.stamps, use.refusals) for day, use in used.items()]),
        "stamps": sum(use.stamps for use in used.values()),
        "refusals": sum(use.refusals for use in used.values()),
        "of_all": visit.account.is_administrator,
    }
    return visit.show("usage.html", values)


async def by_day(visit: Visit, since: date, until: date) -> dict[date, DayUse]:
    """Every day of the span, also those without use."""
    used = await asyncio.to_thread(visit.house.usage.days, scope_of(visit), since, until)
    days = (since + timedelta(days=number) for number in range((until - since).days + 1))
    return {day: used.get(day, DayUse()) for day in days}


PAGES = (Page("GET", "/portal/uso", show, menu="Uso"),)
