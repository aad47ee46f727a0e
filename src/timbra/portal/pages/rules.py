"""The rules: all books, and a search over their rows."""

from __future__ import annotations

from starlette.responses import Response

from timbra.portal.books import book_lines, search
from timbra.portal.page import Access, Page
from timbra.portal.visit import Visit

MOST_SHOWN = 200


async def show(visit: Visit) -> Response:
    wanted, book = visit.query("q"), visit.query("libro")
    lines, total = search(wanted, book, MOST_SHOWN) if wanted or book else ([], 0)
    values = {"wanted": wanted, "book": book, "books": book_lines(), "lines": lines, "total": total}
    return visit.show("rules.html", values)


PAGES = (Page("GET", "/validador/reglas", show, Access.OPEN_IN_SANDBOX),)
