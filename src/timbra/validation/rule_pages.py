"""The validation rules: all rule sets, and a search over their rows."""

from __future__ import annotations

from starlette.responses import Response

from timbra.validation.rule_catalog_view import rule_set_rows, search_rules
from timbra.web.portal.dispatch.page import Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest

MAX_ROWS = 200


async def show(page_request: PageRequest) -> Response:
    """Show the rule sets, and the rules that match the search."""
    query, rule_set = page_request.query("q"), page_request.query("libro")
    rows, total = search_rules(query, rule_set, MAX_ROWS) if query or rule_set else ([], 0)
    values = {"query": query, "rule_set": rule_set, "rule_sets": rule_set_rows(), "rows": rows, "total": total}
    return page_request.render("rules.html", values)


PAGES = (Page("GET", "/validador/reglas", show, PageAccess.PUBLIC_IN_SANDBOX),)
