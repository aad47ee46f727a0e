"""The first page after entering."""

from __future__ import annotations

from starlette.responses import Response

from timbra.portal.page import Page
from timbra.portal.visit import Visit


async def show(visit: Visit) -> Response:
    return visit.show("home.html", {"health": visit.house.health()})


PAGES = (Page("GET", "/portal", show, menu="Inicio"),)
