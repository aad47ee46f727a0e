"""The first page after entering: what happened last, and what will need care."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from timbra.portal import certificates
from timbra.portal.owners import scope_of, users
from timbra.portal.page import Page
from timbra.portal.visit import Visit
from timbra.store.refusals import RefusalFilter
from timbra.store.stamp_search import StampFilter

SHOWN = 5


async def show(visit: Visit) -> Response:
    return visit.show("home.html", await asyncio.to_thread(_values, visit))


def _values(visit: Visit) -> dict[str, object]:
    house, account, scope = visit.house, visit.account.account_id, scope_of(visit)
    held = certificates.shown(house, account)
    return {
        "health": house.health(),
        "fiscal": house.fiscal.now(),
        "owners": users(visit),
        "stamps": house.stamp_search.page(StampFilter(scope), limit=SHOWN).stamps,
        "refusals": house.refusal_store.page(RefusalFilter(scope), limit=SHOWN).refusals,
        "certificates": [one for one in held if one.stored.active],
        "balance": house.balances.of(account),
    }


PAGES = (Page("GET", "/portal", show, menu="Inicio"),)
