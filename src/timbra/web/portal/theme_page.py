"""The switch between the light and the dark theme."""

from __future__ import annotations

from starlette.responses import Response

from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.page import Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field
from timbra.web.portal.dispatch.theme import THEMES, set_theme

PREFIXES = ("/portal", "/validador", "/default.aspx")
"""Pages to which the switch may return."""


async def change(page_request: PageRequest) -> Response:
    """Keep the theme of the form in a cookie, and return to the page of the form."""
    form = await page_request.form()
    theme, back = text_field(form, "theme"), text_field(form, "back")
    if theme not in THEMES:
        raise FieldError("theme", f"Los temas son {', '.join(THEMES)}.")
    response = redirect(back if back.startswith(PREFIXES) and "\\" not in back else PREFIXES[0])
    set_theme(response, theme, secure=page_request.secure)
    return response


PAGES = (Page("POST", "/portal/tema", change, PageAccess.PUBLIC),)
