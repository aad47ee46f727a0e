"""One-time sign-in links: a page with a button, whose form uses the link.

Opening the page does not use the link, because programs that preview links open it too.
"""

from __future__ import annotations

from starlette.responses import Response

from timbra.accounts.services import AccountServices
from timbra.core.errors import ServiceError
from timbra.web.portal.dispatch import sessions
from timbra.web.portal.dispatch.log_path import SIGN_IN_LINK
from timbra.web.portal.dispatch.page import Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest, redirect

INVALID = "sign-in-link-invalid"
NOT_FOUND = 404


async def show(page_request: PageRequest, services: AccountServices) -> Response:
    """Show the user that the link signs in, and the button."""
    token = _token(page_request)
    try:
        user = await page_request.pools.run_database(services.sign_in_links.find_user, token)
    except ServiceError as error:
        return _render_invalid(page_request, error)
    return page_request.render("sign_in_link.html", {"user": user})


async def use(page_request: PageRequest, services: AccountServices) -> Response:
    """Use the link and open a session."""
    await page_request.form()
    token = _token(page_request)
    try:
        session = await page_request.pools.run_database(services.sign_in_links.consume, token)
    except ServiceError as error:
        return _render_invalid(page_request, error)
    response = redirect("/portal")
    sessions.open_session(response, session.token, secure=page_request.secure)
    return response


def _token(page_request: PageRequest) -> str:
    return str(page_request.request.path_params["token"])


def _render_invalid(page_request: PageRequest, error: ServiceError) -> Response:
    if error.code != INVALID:
        raise error
    return page_request.render("sign_in_link.html", {"user": "", "error": error}, status=NOT_FOUND)


PAGES = (
    Page("GET", f"{SIGN_IN_LINK}{{token}}", show, PageAccess.PUBLIC),
    Page("POST", f"{SIGN_IN_LINK}{{token}}", use, PageAccess.PUBLIC),
)
